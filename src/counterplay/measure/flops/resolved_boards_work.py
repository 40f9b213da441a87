"""Drawn boards of a street that are solved again to the end of the hand, as work: what that changes for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.portfolio_look_ahead import check_look_ahead
from counterplay.blueprints.whole_game.valued_street import valued_street, values_ranges
from counterplay.errors import InputError
from counterplay.lookahead.search import Search
from counterplay.measure.flops.board_changes import BoardChange, BoardSolver
from counterplay.opponents.opponent import seat_strategy, strategy_of
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.boards.seen_boards import AllBoards, DrawnBoards
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy, digest_of
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.flop_draw import ALL, FlopDraw
from counterplay.poker.whole_game.walks.response_on_flops import ResponseOnFlops
from counterplay.poker.whole_game.walks.rule_response import RuleResponse
from counterplay.responses.matchup.board_search import ways_of
from counterplay.value_functions.exact_leaf import ExactLeaf
from counterplay.value_functions.network_value import NetworkValue
from counterplay.work.carried_files import content_digest

WON, LEAST, MOST = "won", "least", "most"
_BOARD = "board"


class DrawnBoard(NamedTuple):
    """A board, and how many boards it represents."""

    board: Board
    weight: float


@dataclass(frozen=True)
class BoardDraw:
    """Boards of a street: `count` drawn ones, or "all"; seed: of the draws."""

    street: int
    count: int | str
    seed: int


def draw_boards(game: HoldemGame, asked: BoardDraw) -> list[DrawnBoard]:
    """Boards of a street, drawn with equal chances and with repetition; or all different ones.

    Raises:
        InputError: fewer than two.
    """
    found, street, count = [DrawnBoard(game.boards.root, 1.0)], asked.street, asked.count
    if count == ALL:
        seen = AllBoards(game.boards)
        for _ in range(street):
            found = [DrawnBoard(child, w * n) for board, w in found for child, n in seen.after(board)]
        return found
    if isinstance(count, str) or count < 2:
        raise InputError(f"boards: a number from 2, or {ALL}, not {count}")
    drawn, found = DrawnBoards(game.boards, np.random.default_rng(asked.seed), (1,) * street), []
    for _ in range(count):
        drawn.draw_anew()
        at = DrawnBoard(game.boards.root, 1.0 / count)
        for _ in range(street):
            ((child, times),) = drawn.after(at.board)
            at = DrawnBoard(child, at.weight * times)
        found.append(at)
    return found


@dataclass(eq=False)
class ResolvedBoardsWork:
    """The flops of drawn boards, on which a best responder to the table decides, and the boards, as work.

    Attributes:
        rules: the game.
        table, model: of both players; the model may be missing.
        seat: whose boards are solved again.
        search: how; to the end of the hand, or over a portfolio or a value function to the end of the boards' street.
        draw: which boards.
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
        if self.search.gadget.keeps_path:
            raise InputError("the full gadget solves all boards together, and no drawn ones")
        if self.model is None and (self.search.p or self.search.alpha):
            raise InputError("p and alpha need a model of the opponent: give --to")
        if self.search.gadget.takes_gifts and not is_walked(self.game):
            raise InputError(f"{self.search.gadget} takes gifts on all boards, and there are too many to see them all")
        if not isinstance(self.search.value, ExactLeaf):
            check_look_ahead(self.game, self.draw.street, self.search)
        if values_ranges(self.search.value):
            self._check_value()

    def _check_value(self) -> None:
        """Refuse a value function that does not know what follows the boards."""
        street, board = self.draw.street, self.game.boards.root
        for _ in range(street):
            board = self.game.boards.child(board, 0)
        line = next(k for k, node in enumerate(self.game.roots[street].tolist()) if self.game.betting.children(node))
        valued_street(self.game, (street, line), board, self.seat, self.search.value)

    def __reduce__(self) -> tuple[Any, ...]:
        if not isinstance(self.texts[0], str) or not isinstance(self.texts[1], str | None):
            raise PicklingError("a strategy has no text by which another process could make it")
        return _rebuilt, (self.rules.name, self.texts, self.seat, self.search, self.draw, self.profile)

    def identity(self) -> Mapping[str, Any]:
        """What the results of a board depend on; a longer draw goes on with the boards of a shorter one."""
        plays = {"table": self.table, "model": self.model}
        known = {
            name: None if play is None else [digest_of(self.game, player, play) for player in (0, 1)]
            for name, play in plays.items()
        }
        how: dict[str, Any] = {"seat": self.seat, "search": str(self.search), "profile": self.profile}
        if self._ways is not None:
            ways = [[digest_of(self.game, who, way) for way in side] for who, side in enumerate(self._ways)]
            how |= {"ways": ways, "seed": self.draw.seed}
            if isinstance(self.search.value, NetworkValue):
                how["network"] = content_digest(Path(self.search.value.path).read_bytes())
        return {"game": self.rules.name, **known, **how}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> dict[str, Any]:
        """What one board changes, each time it comes (see `BoardChange`)."""
        return self._solver.change(*self._pieces[key])._asdict()

    def changes(self, results: Mapping[str, Mapping[str, Any]], met: RuleResponse) -> dict[str, F64]:
        """(draws,) chips a hand that each draw adds to the sum over all draws, which is the estimate.

        Args:
            results: by key, what `compute` found, of all boards.
            met: the best responder to the table.
        """
        found: dict[str, list[float]] = {WON: [], LEAST: [], MOST: []}
        walk, known = BoardWalk(self.game, self.seat, met), dict[str, tuple[float, float, float]]()
        for board, weight in self.drawn:
            name = cards_text(board.cards)
            if name not in known:
                parts = [results[key] for key, (other, _) in self._pieces.items() if other.cards == board.cards]
                won, lost = (sum(part[name] for part in parts) for name in BoardChange._fields)
                came = walk.reach(board)[:, board.up]
                least = float((came * lost).sum())
                most = float(foreseen_values(self.game, 1 - self.seat, board, lost).sum())
                known[name] = won, least, most
            for part, chips in zip(found, known[name], strict=True):
                found[part].append(chips * weight / self.game.deals)
        return {part: np.array(chips) for part, chips in found.items()}

    @property
    def game(self) -> HoldemGame:
        """For walks."""
        return self.rules.game

    @cached_property
    def drawn(self) -> list[DrawnBoard]:
        """The boards."""
        return draw_boards(self.game, self.draw)

    @cached_property
    def _ways(self) -> Ways | None:
        """The portfolios behind the boards' street; none where both ranges are valued there."""
        value, table = self.search.value, str(self.texts[0])
        if isinstance(value, ExactLeaf):
            return None
        if values_ranges(value):
            return [], []
        return ways_of(value, table, lambda text: strategy_of(self.game, text, self.draw.seed))

    @cached_property
    def _solver(self) -> BoardSolver:
        return BoardSolver(
            self.game, self.table, self.model, self.seat, self.search, self.profile, self._ways, self.draw.seed
        )

    @cached_property
    def _pieces(self) -> dict[str, tuple[Board, int | None]]:
        """The parts of each board, by their keys."""
        street, found = self.draw.street, dict[str, tuple[Board, int | None]]()
        roots = self.game.roots[street].tolist()
        for one in self.drawn:
            for part in self._solver.parts(street):
                after = "" if part is None else f" after {self.game.betting.path(roots[part])}"
                found[f"{_BOARD} {cards_text(one.board.cards)}{after}"] = one.board, part
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
    return responder.strategy(draw, {flop: responder.on(flop) for flop in draw.numbers})


def both_players(game: Holdem, source: Any, player: int, seed: int) -> BlueprintStrategy | None:
    """Both players' strategy, from anything that `opponent` takes."""
    if source is None:
        return None
    return seat_strategy(game, source, source.player if isinstance(source, HoldemStrategy) else player, seed).play


def _rebuilt(
    game: str,
    texts: tuple[Any, Any],
    seat: int,
    search: Search,
    draw: BoardDraw,
    profile: bool,
) -> ResolvedBoardsWork:
    """The work in another process."""
    rules: Holdem = read_holdem(game)
    table, model = (both_players(rules, source, seat, draw.seed) for source in texts)
    assert table is not None
    return ResolvedBoardsWork(rules, table, model, seat, search, draw, profile, texts)
