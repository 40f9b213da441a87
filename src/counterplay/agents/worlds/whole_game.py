"""Agents of whole games of hold'em: of a known strategy, and of searches that solve boards when they are dealt.

Before that they keep to a blueprint, as Liu et al. 2022 do (appendix C), or to a look-ahead with portfolios. From some
street on a board is solved after the betting so far, to the end of the hand and without card abstraction, and each later
board again behind the same gadget. Solutions are kept to the end of the hand; with the full gadget all flops are solved
together, and the solution is kept for good.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from counterplay.agents.agent import StrategyAgent, UnfinishedSolves
from counterplay.agents.agent_archive import HOLDEM, Saved
from counterplay.arrays import F64, U32, AnyArray
from counterplay.blueprints.whole_game.as_strategy import gifts_before
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, betting_after, board_subtree, cards_after
from counterplay.blueprints.whole_game.portfolio_look_ahead import (
    LookAheadPlays,
    look_ahead_on_board,
    valued_board,
)
from counterplay.blueprints.whole_game.solved_board import SolvedBoard, known_at_board
from counterplay.blueprints.whole_game.whole_game_plans import JointSolve
from counterplay.budget import limited_seconds, time_left
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import ResolvedSubtree, pose_subtree
from counterplay.lookahead.search import SINGLE, Posed, Search
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.payoff import LARGE
from counterplay.poker.public_tree.size_estimate import SpotSize, size_of
from counterplay.poker.whole_game.boards.board import DEALT, Board, DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy, Ways
from counterplay.poker.whole_game.strategies.row_models import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy, probabilities, reach
from counterplay.poker.whole_game.values.measure import rest_of_game
from counterplay.poker.whole_game.walks.make_rule import RuleResponse, RuleSettings, early_choices
from counterplay.solvers.cfr import Stop
from counterplay.treeplex.strategy import check_observation

_AROUND = 3.0
"""Overhead around a solve, in times of its preparation."""
_FEWEST = 8
"""Iterations before which an unfinished solution is worse than the blueprint, which is then played."""
Line = tuple[int, tuple[int, ...]]
"""A line of betting to a street, by its number among the street's roots, and the board."""


@dataclass(frozen=True, eq=False)
class SearchSettings:
    """A searching agent.

    Attributes:
        blueprint: its strategy before the first search, and the source of alternative values, unless there is a look-ahead.
        search: of each board, or of all flops.
        ahead: search of the street before `street`, and both players' portfolios after it; None to play the blueprint there.
        profile: alternative values are those of the opponent's part of the blueprint.
        street: first street whose boards are solved again: 1 for the flop, 2 for the turn, 3 for the river.
        memory: limit in bytes; None for half of the machine's memory.
    """

    blueprint: BlueprintStrategy
    model: BlueprintStrategy | None
    search: Search
    ahead: tuple[Search, Ways] | None
    profile: bool
    street: int = 1
    memory: float | None = None


def rest_size(game: HoldemGame, street: int, entry: int) -> SpotSize:
    """The size of the rest of a hand after a line of betting."""
    return size_of(betting_after(game, street, entry), cards_after(game, game.deck.cards[: DEALT[street]]))


def lines_by_size(game: HoldemGame, street: int, *sizes: int) -> list[int]:
    """Lines of betting to a street, as numbers in `HoldemGame.roots`: that with the smallest rest of a hand, and with
    the smallest that has at least each of some numbers of sequences. One is left out where no decision follows or none
    is so large."""
    roots = game.roots[street]
    left = (game.betting.end[roots] - roots).tolist()
    entries = sorted((k for k, node in enumerate(roots.tolist()) if game.betting.children(node)), key=left.__getitem__)
    found = set(entries[:1])
    for size in sizes:
        large = bisect_left(entries, size, key=lambda entry: rest_size(game, street, entry).sequences)
        found.update(entries[large : large + 1])
    return sorted(found)


class Origin(NamedTuple):
    """The source of an agent: the text of its record, and the seed of its opponents and samples."""

    text: str
    seed: int


class HoldemAgent(StrategyAgent):
    """Plays a strategy; what it plays is known with every hand that it may hold. play: the strategy, or what is played
    before the first search. expected: how the other player is taken to play: by the model, or as the seat would itself.
    origin: from which `resume` makes the agent again; None if it has no text."""

    origin: Origin | None = None

    def __init__(self, rules: Holdem, play: BlueprintStrategy, seat: int, seed: int = 0, name: str = "") -> None:
        self.rules, self.game, self.play = rules, rules.game, play
        super().__init__(seat, seed, name)

    @property
    def expected(self) -> BlueprintStrategy:
        return self.play

    def row(self, observation: str) -> dict[str, float]:
        check_observation(observation)
        seen = self.rules.read(observation, self.seat)
        row = self.rows(seen.node, seen.board)[:, self.game.deck.hand(*seen.hand)]
        return dict(zip(self.rules.betting.actions(seen.node), row.tolist(), strict=True))

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        """(actions, hands of the deck) probabilities at one of its betting nodes, with every hand that the seat may
        hold; board: in the order of the deal."""
        return np.asarray(probabilities(self.game, self.play, node, board), np.float64)

    def saved(self) -> Saved | None:
        """Boards are not in the file: they are solved again when they are dealt."""
        if self.origin is None:
            return None
        facts = {"kind": HOLDEM, "game": self.rules.name, "seat": self.seat, **self.origin._asdict()}
        return {**facts, "log": list(self.log), "draws": self.draws.getstate()}, {}

    def first_board(self, street: int) -> Board:
        """The first board of a street, on which kernels are warmed up."""
        board = self.game.boards.root
        for _ in range(street):
            board = self.game.boards.child(board, 0)
        return board


class BoardSearch(HoldemAgent):
    """Plays a strategy before some street, and solves the board when that street is dealt, once in a hand: continual
    re-solving, SES, CDBR or CDRNR. entry: number of each line to the street, by the node after the deal. kept:
    unfinished solves of boards, by their lines."""

    is_fixed = False

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int) -> None:
        super().__init__(rules, settings.blueprint, seat)
        self.settings, self.street = settings, settings.street
        self.entry = {rules.betting.children(int(node))[0]: e for e, node in enumerate(self.game.roots[self.street])
                      if rules.betting.children(int(node))}  # fmt: skip
        self._now: tuple[Line, SolvedBoard] | None = None
        self._early: F64 | None = None
        if settings.search.gadget.takes_gifts and is_walked(self.game):
            self._early = gifts_before(self.game, settings.blueprint, 1 - seat)
        elif settings.search.gadget.takes_gifts:
            self.note("gifts on earlier streets are not counted: this game has too many boards")
        self.kept = UnfinishedSolves()
        self.warm()

    @property
    def expected(self) -> BlueprintStrategy:
        return self.play if self.settings.model is None else self.settings.model

    def new_hand(self) -> None:
        self._now = None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if self.rules.betting.street[node] < self.street:
            return super().rows(node, board)
        top, board = node, (*sorted(board[:3]), *board[3:])
        while top not in self.entry:
            top = int(self.rules.betting.parent[top])
        key = top, board[: DEALT[self.street]]
        if self._now is None or self._now[0] != key:
            with limited_seconds(self.settings.search.stop.seconds):
                self._now = key, self._solved((self.entry[top], key[1]))
        return self._now[1].rows(node - top, board)

    def warm(self) -> None:
        """One iteration on a board, so that compilation does not use up the first decision's time: after the line with
        the smallest rest of a hand, the smallest that is worked on in branches, and the smallest iterated in
        float32."""
        settings, board = self.settings, self.first_board(self.street).cards
        brief = replace(settings.search, stop=Stop(iterations=1))
        for entry in lines_by_size(self.game, self.street, LARGE, SINGLE):
            piece = board_subtree(self.game, entry, board, self.seat)
            known = known_at_board(piece, settings.blueprint, settings.model, brief, profile=settings.profile)
            posed = pose_subtree(piece, brief, known)
            if posed is not None:
                posed.solve.advance()

    def _solved(self, line: Line) -> SolvedBoard:
        """A board, solved within a time limit less the overhead around the solve. An unfinished one is kept, and
        continued when it is dealt again."""
        settings, search, kept = self.settings, self.settings.search, self.kept.get(line)
        posed: Posed | None
        if kept:
            (piece, known), posed = kept.rest, kept.posed
        else:
            begin, gifts = run_time(), None
            if self._early is not None:
                gifts = gifts_before(self.game, settings.blueprint, 1 - self.seat, line[1], self._early)
            piece = self.piece(*line, gifts)
            known = known_at_board(piece, settings.blueprint, settings.model, search, profile=settings.profile)
            overhead = _AROUND * (run_time() - begin)
            posed = pose_subtree(piece, search.with_seconds(search.stop.seconds, overhead), known)
        if posed is None:  # the opponent never comes here: nothing is at stake
            return SolvedBoard.of(piece, known, None, search)
        where = f"{STREETS[piece.street]} {hand_text(line[1])}"
        if not posed.solve.iterations and not time_left():
            self.kept.keep(line, posed, (piece, known))
            self.note(f"no time was left to solve the {where}: the blueprint plays")
            return SolvedBoard.of(piece, known, None, search)
        found: ResolvedSubtree = posed.read(posed.solve.advance())
        is_cut = not posed.solve.finished and search.stop.seconds > 0.0
        if is_cut:
            self.kept.keep(line, posed, (piece, known))
            self.note_cut(where, found.interrupted, posed.solve.iterations, found.gap)
        return SolvedBoard.of(piece, known, None if is_cut and posed.solve.iterations < _FEWEST else found, search)

    def piece(self, entry: int, board: tuple[int, ...], gifts: F64 | None) -> BoardSubtree:
        """The rest of the hand on a board; gifts: (entries, hands of the deck), as of `gifts_before`."""
        return board_subtree(self.game, entry, board, self.seat, gifts)


class FullGadgetSearch(HoldemAgent):
    """Solves all boards from the flop on at once with the full gadget, at the first flop. An unfinished solve serves
    its hand and is continued in a later one."""

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int) -> None:
        super().__init__(rules, settings.blueprint, seat)
        self.settings, self._decided = settings, False
        self._solve: JointSolve | None = None

    def new_hand(self) -> None:
        self._decided &= self._solve is None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if not board or self._decided:
            return super().rows(node, board)
        settings = self.settings
        standing = StandingDecisions(self.game, self.seat, settings.blueprint)
        with limited_seconds(settings.search.stop.seconds):
            solve = self._solve or JointSolve(self.game, standing, settings.model, settings.search, settings.memory)
            found = solve.advance()
        self.play, self._decided = found.play, True
        self._solve = None if solve.finished else solve
        if not solve.finished:
            self.note_cut("all boards", found.interrupted, found.iterations, found.gap)
        return super().rows(node, board)


class LookAheadSearch(BoardSearch):
    """Decides the street before the first that is solved to the end by a look-ahead (see `portfolio_look_ahead`), and
    solves the boards after it again: what it decided is the blueprint there. seed: of what the look-ahead draws."""

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int, seed: int) -> None:
        assert settings.ahead is not None
        self._base, (self._ahead, self._ways), self._seed = settings, settings.ahead, seed
        self._looked: tuple[Line, LookAheadStrategy] | None = None
        super().__init__(rules, settings, seat)

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        street = int(self.rules.betting.street[node])
        if street < self.street - 1:
            return super().rows(node, board)
        with limited_seconds(self._ahead.stop.seconds):
            look = self._look(node, board, self._ahead)
        if street == self.street - 1:
            return probabilities(self.game, look, node, board)
        self.settings = replace(self._base, blueprint=look)
        return super().rows(node, board)

    def piece(self, entry: int, board: tuple[int, ...], gifts: F64 | None) -> BoardSubtree:
        """As `BoardSearch.piece`, with the alternative values that the look-ahead counted on, if it is over a
        network."""
        worth = None if self._looked is None else self._looked[1].worth.get(entry)
        if worth is None:
            return super().piece(entry, board, gifts)
        return valued_board(self.game, entry, board, self.seat, worth)

    def _look(self, node: int, board: tuple[int, ...], search: Search) -> LookAheadStrategy:
        """The look-ahead on the way to a node; it is kept until another one is asked for."""
        street = self.street - 1
        shown = (*sorted(board[: DEALT[1]]), *board[DEALT[1] : DEALT[street]])
        roots = self.game.roots[street].tolist()
        entry = max(k for k, root in enumerate(roots) if root < node)  # the last one before it in the walk of the tree
        if self._looked is None or self._looked[0] != (entry, shown):
            base, (at, _) = self._base, self.game.boards.find_board(shown)
            plays = LookAheadPlays(base.blueprint, self._ways, base.model if search.p > 0.0 else None)
            found = look_ahead_on_board(
                self.game, at, self.seat, plays, search, lines=[entry], profile=base.profile, seed=self._seed
            )
            self._looked = (entry, shown), found
            self.kept.clear()  # solves of later boards began with another one
        return self._looked[1]

    def warm(self) -> None:
        super().warm()
        betting, roots = self.game.betting, self.game.roots[self.street - 1].tolist()
        first = next(children[0] for node in roots if (children := betting.children(node)))
        self._look(first, self.first_board(self.street - 1).cards, replace(self._ahead, stop=Stop(iterations=1)))
        self._looked = None


EARLY_DRAWS = (1, 2, 1)
"""Boards that `lbr` draws after each board where there are too many to see all: after every flop two turns, and a river
after each. That takes 7 CPU seconds before a match."""
MOST_ROWS = 6_000_000
"""Rows of hands that a decision may take, of all sequences on all boards to come: a flop at 200 big blinds with pots and
all-ins has 5.4 million, which takes up to 3 CPU seconds."""


def decide_early(game: HoldemGame, player: int, model: BlueprintStrategy) -> BlueprintStrategy:
    """The model with a player's local best response before the flop, by all flops and all or some boards after each."""
    seen = None if is_walked(game) else DrawnBoards(game.boards, np.random.default_rng(0), EARLY_DRAWS)
    early = early_choices(game, player, model, seen)
    first, second = model.preflop
    return EarlyResponse(model, (early, second) if player == 0 else (first, early))


@dataclass(frozen=True, eq=False)
class EarlyResponse:
    """A strategy with other decisions before the flop: per player, (sequences, classes) probabilities."""

    play: BlueprintStrategy
    preflop: tuple[F64, F64]

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.play.on(player, board)


class ResponseAgent(HoldemAgent):
    """Plays a strategy before some street, and from there on a response to the model. plays: both. rule: of the
    responses, such as the local best response (Lisý and Bowling 2017); None for best responses."""

    is_fixed = False

    def __init__(
        self, rules: Holdem, plays: tuple[BlueprintStrategy, BlueprintStrategy], seat: int, street: int,
        rule: RuleSettings | None = None
    ) -> None:  # fmt: skip
        super().__init__(rules, plays[0], seat)
        self._model, self._street, self._rule = plays[1], street, rule
        self._after = cache(self._response)
        last = self.game.last  # a response there first, so that compilation does not use up the first decision's time
        self._response(last, int(self.game.roots[last][0])).on(seat, self.first_board(last))

    @property
    def expected(self) -> BlueprintStrategy:
        return self._model

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        betting, game = self.rules.betting, self.game
        street = int(betting.street[node])
        if street < self._street:
            return super().rows(node, board)
        if not reach(game, self._model, 1 - self.seat, node, board).any():
            shown = f"{STREETS[street]} {hand_text(board)}" if board else "preflop"
            self.note(f"{shown}: the model never plays '{betting.path(node)}'; the blueprint is played")
            return super().rows(node, board)
        # The last root before the node in the walk of the tree.
        root = max(top for top in game.roots[street].tolist() if top < node)
        response = self._after(street, root)
        return probabilities(response.game, response, node, board)

    def _response(self, street: int, root: int) -> RuleResponse:
        """The response where a street is dealt at a betting node; it keeps the last board of each street."""
        rest = rest_of_game(self.game, street, self.game.roots[street].tolist().index(root))
        model, preflop = rest.strategy(self._model), self._model.preflop
        return RuleResponse(rest.game, self.seat, model, self._rule or RuleSettings(), preflop[self.seat])


def first_walked_street(game: HoldemGame) -> int:
    """The first street, from the flop on, from which all boards are walked within seconds."""
    cards, most = len(game.deck.cards), max(side.sizes[game.last] for side in game.sides)
    boards, street = 1.0, game.last
    while street > 1 and boards * (cards - DEALT[street - 1]) * most <= MOST_ROWS:
        street -= 1
        boards *= cards - DEALT[street]
    return street
