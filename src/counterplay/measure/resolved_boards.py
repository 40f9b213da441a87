"""Effect of solving boards again: *the table*, a strategy of both players, and the table with boards of one street solved
behind a gadget, to the end of the hand or of the street, on the same drawn boards. Nothing before those boards changes, and
everything after them is exact.

What a best responder wins more from the strategy with re-solved boards is a maximum over all boards together, which drawn
ones only bound. *At least*: what a responder wins more who plays up to the boards as is best against the table, and best
from there on. *At most*: what one wins more who knows, before the first decision, which board comes. Over all boards the
bounds hold exactly; means over drawn boards estimate them (without bias, but for the former's decisions
before the flop, which are made by the flops that were drawn).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import Any, ClassVar, Unpack

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, next_boards, solve_boards
from counterplay.blueprints.whole_game.portfolio_look_ahead import SOLVER as SAMPLED
from counterplay.blueprints.whole_game.portfolio_look_ahead import (
    LookAheadPlays,
    check_look_ahead,
    look_ahead_on_board,
    portfolio_of,
    valued_street,
    values_ranges,
)
from counterplay.blueprints.whole_game.resolve import check_drawn
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Search
from counterplay.measure.on_boards import BoardRecord, big_blind_of
from counterplay.opponents.opponent import seat_strategy, strategy_of
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem, as_whole_game, read_holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy, HoldemStrategy, digest_of
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import hand_values, rest_of_game
from counterplay.poker.whole_game.walks.make_rule import RuleResponse
from counterplay.poker.whole_game.walks.response_on_flops import ALL, FlopDraw, Interval, ResponseOnFlops, interval_of
from counterplay.responses.board_search import ways_of
from counterplay.solvers.cfr import Stop
from counterplay.texts.arguments import MANY_OR_ALL, NUMBER, TEXT, takes
from counterplay.value_functions.leaf_value import EXACT, ExactLeaf, value_function
from counterplay.value_functions.network_value import NetworkValue
from counterplay.work.carried_files import content_digest
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord

NOTE = (
    "Differences to the table on the same boards, inside the betting tree; 'error' is half of a 95 % interval. A best "
    "responder wins 'least' more by playing up to the boards as against the table, and at most 'most' more, which takes "
    "knowing beforehand which board comes."
)
ITERATIONS = 100
"""Of a solve that nothing else stops."""
EDGE, LEAST, MOST = "edge", "least", "most"


@dataclass(frozen=True)
class ResolvedBoards(BoardRecord):
    """Effect of solving boards again.

    Attributes:
        game, seat: where, and whose boards are solved again.
        means: `edge`, what is won more from the model than the table wins; `least` and `most`, bounds of what a best
            responder wins more (see above). Errors are 0 where all boards are seen.
        seed: of the draws; None where all are seen.
    """

    IN_HUNDREDS: ClassVar[bool] = False

    game: str
    seat: int
    street: str
    boards: int
    means: Mapping[str, Interval | None]
    seconds: float
    seed: int | None
    big_blind: float
    note: str = NOTE

    def __repr__(self) -> str:
        found = (labelled(name, getattr(self, name)) for name in self.means)
        return brief(self, self.game, f"seat {self.seat}", *found, f"{self.boards} boards")


@takes(at=TEXT, boards=MANY_OR_ALL, p=NUMBER)
def resolve_on_boards(
    game: Holdem,
    table: Any,
    at: str,
    boards: int | str,
    *,
    p: float = 0.0,
    leaf: Any = None,
    **options: Unpack[ResolveOptions],
) -> ResolvedBoards:
    """Solve drawn boards again, and measure what that changes.

    Args:
        game: a whole game of hold'em.
        table: both players' strategy, anything that `opponent` takes.
        at: the street: `flop`, `turn` or `river`.
        boards: number of drawn boards, or "all".
        p: probability with which the opponent is the model.
        leaf: a portfolio, by which hands go on where the street ends (see `look_ahead_on_board`), or a value function
            of both ranges, behind which each board that follows is solved in turn; a board is solved to the end of the
            hand unless given.
        options: those of `resolve`; unless they stop a solve, it takes 100 iterations.

    Raises:
        InputError: a place that is no street, a gadget that drawn boards do not have, or an option that whole games do not.
        KeyboardInterrupt: Ctrl-C; the record has the boards so far.
    """
    begin = run_time()
    leaf = EXACT if leaf is None else value_function(leaf)
    if not isinstance(leaf, ExactLeaf) and not values_ranges(leaf):
        leaf, options = portfolio_of(leaf), {"solver": SAMPLED, **options}
    asked = ResolveRequest.of({**options, "stop": options.get("stop") or Stop(iterations=ITERATIONS)})
    as_whole_game(game, "boards are drawn")
    streets = STREETS[1 : game.game.last + 1]
    if at not in streets:
        raise InputError(f"in {game.name} the place is one street, {' or '.join(streets)}, not '{at}'")
    check_drawn(asked)
    request = asked.settings(both=True)
    search = replace(request.search.looking(leaf=leaf), p=p)
    plays = [both_players(game, source, asked.seat, asked.seed) for source in (table, asked.model)]
    assert plays[0] is not None
    draw = BoardDraw(STREETS.index(at), boards, asked.seed)
    work = ResolvedBoardsWork(game, plays[0], plays[1], asked.seat, search, draw, request.profile, (table, asked.model))
    record = WorkRecord(asked.record, None if asked.record is None else work.identity())
    told = asked.watch
    watch = None if told is None else (lambda progress: told(progress.done, progress.pieces))
    changed = work.changes(complete_work(work, record=record, executor=asked.executor, watch=watch), responder_on(work))
    means = {
        part: Interval(float(each.sum()), 0.0) if boards == ALL else interval_of(len(each) * each)
        for part, each in changed.items()
    }
    seed, seconds = None if boards == ALL else asked.seed, run_time() - begin
    return ResolvedBoards(game.name, asked.seat, at, len(work.drawn), means, seconds, seed, big_blind_of(game))


DrawnBoard = tuple[Board, float]
"""A board, and how many boards it represents."""


@dataclass(frozen=True)
class BoardDraw:
    """Boards of a street: `count` drawn ones, or "all"; seed: of the draws."""

    street: int
    count: int | str
    seed: int

    def boards(self, game: HoldemGame) -> list[DrawnBoard]:
        """The boards, two at least drawn with equal chances and with repetition; or all different ones."""
        if self.count == ALL:
            seen, boards = SeenBoards(game.boards), [(game.boards.root, 1.0)]
            for _ in range(self.street):
                boards = [(child, weight * n) for board, weight in boards for child, n in seen.after(board)]
            return boards
        if isinstance(self.count, str) or self.count < 2:
            raise InputError(f"boards: a number from 2, or {ALL}, not {self.count}")
        drawn, boards = DrawnBoards(game.boards, np.random.default_rng(self.seed), (1,) * self.street), []
        for _ in range(self.count):
            drawn.draw_anew()
            board, weight = game.boards.root, 1.0 / self.count
            for _ in range(self.street):
                ((board, times),) = drawn.after(board)
                weight *= times
            boards.append((board, weight))
        return boards


@dataclass(eq=False)
class ResolvedBoardsWork:
    """Drawn boards, each solved again, as work: to the end of the hand after all betting at once, or, line by line, to
    the end of the street, behind which each hand goes on by one strategy of a portfolio, or the boards after it are
    solved in turn.

    Attributes:
        table, model: of both players; the model may be missing.
        profile: alternative values are those of the opponent's part of the table, not of a best response.
        texts: of table and model, by which another process makes them.
    """

    rules: Holdem
    table: BlueprintStrategy
    model: BlueprintStrategy | None
    seat: int
    search: Search
    draw: BoardDraw
    profile: bool = False
    texts: tuple[Any, Any] = (None, None)

    def __post_init__(self) -> None:
        self.game, street, value = self.rules.game, self.draw.street, self.search.value
        if self.search.gadget.keeps_path:
            raise InputError("the full gadget solves all boards together, and no drawn ones")
        if self.model is None and (self.search.p or self.search.alpha):
            raise InputError("p and alpha need a model of the opponent: give --to")
        if self.search.gadget.takes_gifts and not is_walked(self.game):
            raise InputError(f"{self.search.gadget} takes gifts on all boards, and there are too many to see them all")
        if not isinstance(value, ExactLeaf):
            check_look_ahead(self.game, street, self.search)
        if values_ranges(value):  # refuse one that does not know what follows the boards
            board = self.game.boards.root
            for _ in range(street):
                board = self.game.boards.child(board, 0)
            valued_street(self.game, (street, self._lines[0]), board, self.seat, value)

    def __reduce__(self) -> tuple[Any, ...]:
        if not isinstance(self.texts[0], str) or not isinstance(self.texts[1], str | None):
            raise PicklingError("a strategy has no text by which another process could make it")
        return _work_there, (self.rules.name, self.texts, self.seat, self.search, self.draw, self.profile)

    def identity(self) -> Mapping[str, Any]:
        """What the results of a board depend on; a longer draw goes on with the boards of a shorter one."""
        known = {
            name: None if play is None else [digest_of(self.game, player, play) for player in (0, 1)]
            for name, play in (("table", self.table), ("model", self.model))
        }
        how: dict[str, Any] = {"seat": self.seat, "search": str(self.search), "profile": self.profile}
        if self._ways is not None:
            ways = [[digest_of(self.game, who, play) for play in side] for who, side in enumerate(self._ways)]
            how |= {"ways": ways, "seed": self.draw.seed}
            if isinstance(self.search.value, NetworkValue):
                how["network"] = content_digest(Path(self.search.value.path).read_bytes())
        return {"game": self.rules.name, **known, **how}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> dict[str, Any]:
        """What a board changes, each time it comes, after a part of the betting: `won`, chips more from the model,
        summed over deals, 0 without one; `lost`, (entries, places) more CFVs of the opponent's best response."""
        board, line = self._pieces[key]
        if line is None:
            work = BoardSearches(self.game, self.table, self.seat, self.model, [board], self.search, self.profile)
            solved = work.finish({piece: work.compute(piece) for piece in work.keys()})  # noqa: SIM118
            return self._between(self.game, board, solved, self.table, self.model)
        # After one line all else stays as it is, so that the rest of the game after the line tells the change.
        assert self._ways is not None
        game, met = self.game, self.model if self.search.p else None
        plays = LookAheadPlays(self.table, self._ways, met)
        found = look_ahead_on_board(
            game, board, self.seat, plays, self.search, lines=[line], profile=self.profile, seed=self.draw.seed
        )
        rest = rest_of_game(game, board.street, line)
        now: BlueprintStrategy = found.in_rest(rest)
        if values_ranges(self.search.value):  # every board of the next street is solved, as when it is dealt
            boards = list(game.boards.after(board))
            now = rest.strategy(solve_boards(next_boards(game, self.seat, met, found, line, boards, self.search)))
        model = None if self.model is None else rest.strategy(self.model)
        there = self._between(rest.game, board, now, rest.strategy(self.table), model)
        lost = np.zeros((len(game.roots[board.street]), there["lost"].shape[1]))
        lost[line] = there["lost"][0]
        return {"won": there["won"], "lost": lost}

    def _between(self, game: HoldemGame, board: Board, now: Any, before: Any, model: Any) -> dict[str, Any]:
        """From one strategy to another, exactly over all boards to come."""
        me, won = self.seat, 0.0
        more = [hand_values(game, 1 - me, play, board).astype(float) for play in (now, before)]
        if model is not None:
            worth = [hand_values(game, me, model, board, play).astype(float) for play in (now, before)]
            came = BoardWalk(game, 1 - me, before).reach(board)[:, board.up]
            won = float((came * (worth[0] - worth[1])).sum())
        return {"won": won, "lost": more[0] - more[1]}

    def changes(self, results: Mapping[str, Mapping[str, Any]], met: RuleResponse) -> dict[str, F64]:
        """(draws,) chips a hand that each draw adds to the sum over all draws, which is the estimate, from the results
        of all boards; met: the best responder to the table."""
        rows, known = list[F64](), dict[str, F64]()
        walk = BoardWalk(self.game, self.seat, met)
        for board, weight in self.drawn:
            name = cards_text(board.cards)
            if name not in known:
                parts = [results[key] for key, (other, _) in self._pieces.items() if other.cards == board.cards]
                won, lost = (sum(part[name] for part in parts) for name in ("won", "lost"))
                came = walk.reach(board)[:, board.up]
                most = float(foreseen_values(self.game, 1 - self.seat, board, lost).sum())
                known[name] = np.array([won, float((came * lost).sum()), most])
            rows.append(known[name] * weight / self.game.deals)
        return dict(zip((EDGE, LEAST, MOST), np.ascontiguousarray(np.array(rows).T), strict=True))

    @cached_property
    def drawn(self) -> list[DrawnBoard]:
        """The boards."""
        return self.draw.boards(self.game)

    @cached_property
    def _ways(self) -> Ways | None:
        """Of each player, the portfolio behind the boards' street; none where both ranges are valued there. None where
        boards are solved to the end of the hand."""
        value, table = self.search.value, str(self.texts[0])
        if isinstance(value, ExactLeaf):
            return None
        if values_ranges(value):
            return [], []
        return ways_of(value, table, lambda text: strategy_of(self.game, text, self.draw.seed))

    @property
    def _lines(self) -> list[int]:
        """The lines of betting to the boards after which there is a decision, as numbers in `HoldemGame.roots`."""
        roots = self.game.roots[self.draw.street].tolist()
        return [line for line, node in enumerate(roots) if self.game.betting.children(node)]

    @cached_property
    def _pieces(self) -> dict[str, tuple[Board, int | None]]:
        """By key: a board, and the line of betting that is solved by itself; None for all at once."""
        found, roots = dict[str, tuple[Board, int | None]](), self.game.roots[self.draw.street].tolist()
        for board, _ in self.drawn:
            name = f"board {cards_text(board.cards)}"
            if self._ways is None:
                found[name] = board, None
            else:
                found |= {f"{name} after {self.game.betting.path(roots[line])}": (board, line) for line in self._lines}
        return found


def foreseen_values(game: HoldemGame, player: int, board: Board, more: F64) -> F64:
    """(n,) what (entries, n) values of the entries of a board are worth to each hand that plays for them from the first
    decision on, best, and gets 0 wherever it does not come to the board."""
    side, street, rows = game.sides[player], board.street, more
    for earlier in range(street - 1, -1, -1):
        worth = np.zeros((side.sizes[earlier], more.shape[1]))
        np.add.at(worth, side.entries[earlier + 1], rows)
        for _, before, first, count in side.decisions[earlier][::-1].tolist():
            worth[before] += worth[first : first + count].max(axis=0)
        rows = worth[: len(game.roots[earlier])] if earlier else worth[:1]
    return np.asarray(rows[0])


def responder_on(work: ResolvedBoardsWork) -> RuleResponse:
    """The best responder to the table, who decides before the flop by the flops of the drawn boards."""
    game, flops = work.game, dict[int, float]()
    for board, weight in work.drawn:
        flop = board
        while flop.before is not None and flop.before.cards:
            flop = flop.before
        flops[flop.number] = flops.get(flop.number, 0.0) + weight
    responder = ResponseOnFlops(game, 1 - work.seat, work.table)
    least = min(flops.values())
    times = tuple(max(1, round(weight / least)) for weight in flops.values())
    draw = FlopDraw(tuple(flops), times, int(game.boards.choices(game.boards.root)[1].sum()), None)
    return responder.strategy(draw, responder.rows(draw))


def both_players(game: Holdem, source: Any, player: int, seed: int) -> BlueprintStrategy | None:
    """Both players' strategy, from anything that `opponent` takes."""
    if source is None:
        return None
    return seat_strategy(game, source, source.player if isinstance(source, HoldemStrategy) else player, seed).play


def _work_there(
    game: str, texts: tuple[Any, Any], seat: int, search: Search, draw: BoardDraw, profile: bool
) -> ResolvedBoardsWork:
    """The work in another process."""
    rules: Holdem = read_holdem(game)
    table, model = (both_players(rules, source, seat, draw.seed) for source in texts)
    assert table is not None
    return ResolvedBoardsWork(rules, table, model, seat, search, draw, profile, texts)
