"""The rules by which a responder chooses on a walk, by name: look-aheads of limited depth, and local best response; and
responses by a rule as strategies.

A continual depth-limited best response (Milec et al. 2025) is on every street the best response of a game that ends so many
streets later. Hands are then checked down, both players go on by a blueprint, or the player by the best of several
strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, U32, AnyArray
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, SeatHalves, TablesOnDemand, entry_reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk, ChoiceRule, add_rows
from counterplay.poker.whole_game.values.measure import choose_best, choose_by_lane, preflop_values_against
from counterplay.poker.whole_game.values.showdown_lines import showdown_lines
from counterplay.poker.whole_game.walks.local_best_response import CheckDown, LocalBestResponseRule, Stake

BEST, LOOK_AHEAD, LOCAL, ADAPTING = "br", "cdbr", "lbr", "abd"
StreetValues = Callable[[Board, AnyArray, Iterable[tuple[Board, float]] | None], F64]
"""(entries, places) values to a player of the streets beyond a look-ahead; arguments as of `BoardWalk.below`."""


@dataclass(frozen=True)
class RuleSettings:
    """Settings of a responder's rule of choice.

    Attributes:
        name: br, cdbr, lbr or abd.
        depth: streets that cdbr and abd see, their own counted.
        blueprint: of cdbr, by which both go on behind the limit; hands are checked down if it is None.
        continuations: of abd, the strategies by the best of which the player goes on behind the limit.
    """

    name: str = BEST
    depth: int = 1
    blueprint: BlueprintStrategy | None = None
    continuations: tuple[BlueprintStrategy, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise InputError(f"over drawn flops there are {', '.join(RULES)}, and not {self.name}")
        if self.depth < 1:
            raise InputError(f"a look-ahead sees at least 1 street, not {self.depth}")
        if (self.name == ADAPTING) != bool(self.continuations):
            raise InputError(f"{ADAPTING} has strategies by which the player goes on, and no other method has")


class LimitedLookAhead(ChoiceRule):
    """The rule of a look-ahead of so many streets, its own counted, with values of the streets after them."""

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, depth: int, leaf: StreetValues
    ) -> None:
        self.game, self.player, self.theirs, self.depth = game, player, theirs, depth
        self._walks = [_StoppedWalk(game, player, theirs, leaf, street + depth - 1) for street in range(game.last + 1)]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        street = board.street
        if street + self.depth > self.game.last:
            return None
        estimates = values.copy()
        entry = plan[self.game.sides[1 - self.player].entries[street + 1]]
        add_rows(estimates, self.game.sides[self.player].entries[street + 1], self._walks[street].below(board, entry))
        return estimates

    def early_estimates(self, flop: Board) -> AnyArray | None:
        game, side = self.game, self.game.sides[self.player]
        if self.depth > game.last:
            return None
        entry = entry_reach(game, 1 - self.player, self.theirs)
        out = np.zeros((side.sizes[0], game.boards.classes))
        out[side.entry] = self._walks[0].below(game.boards.root, entry, [(flop, 1.0)])
        return out


class _StoppedWalk(BoardWalk):
    """Best play up to the street `limit`, and a leaf behind it."""

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, leaf: StreetValues, limit: int
    ) -> None:
        super().__init__(game, player, theirs)
        self._leaf, self._limit = leaf, limit

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        return (self._leaf if board.street == self._limit else super().below)(board, entry, children)


def _checked_down(game: HoldemGame) -> StreetValues:
    """Values without further bets: at the entries of a street both players have put in equally much."""
    by_street = [game.roots[street].tolist() for street in range(1, game.last + 1)]
    known = [
        CheckDown(
            game, [Stake(k, k, float(game.betting.pot[node]) / 2) for k, node in enumerate(nodes)], (len(nodes),) * 2
        )
        for nodes in by_street
    ]
    return lambda board, entry, children: known[board.street].below(board, entry, children)


def _best_continuation(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, plays: Sequence[BlueprintStrategy]
) -> StreetValues:
    """Values if the opponent goes on as they do, and each hand of the player, on each board, by the best of several
    strategies: matrix-valued states against a known opponent (Milec et al. 2025, section 2.3)."""
    walks, seen = [BoardWalk(game, player, theirs, play) for play in plays], SeenBoards(game.boards)

    def below(board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None) -> F64:
        boards = seen.after(board) if children is None else children
        if 0 < board.street == game.last - 1:
            lines, reach = showdown_lines(game, player), entry[:, : len(board.hand)]
            total = np.zeros_like(lines.sums(reach).out)
            for child, weight in boards:
                total[child.up] += weight * lines.best_of(child, theirs, plays, reach)
            return even_out(board, lines.entries(total))
        out = np.zeros((len(entry), len(board.hand)))
        for child, weight in boards:
            best = np.max([walk.values_at(child, entry) for walk in walks], axis=0)
            np.add.at(out.T, child.up, weight * best.T)
        return even_out(board, out)

    return below


def _look_ahead(game: HoldemGame, player: int, theirs: BlueprintStrategy, settings: RuleSettings) -> ChoiceRule:
    if settings.continuations:
        leaf = _best_continuation(game, player, theirs, settings.continuations)
    elif settings.blueprint is not None:
        leaf = BoardWalk(game, player, settings.blueprint, settings.blueprint).below
    else:
        leaf = _checked_down(game)
    return LimitedLookAhead(game, player, theirs, settings.depth, leaf)


RULES: dict[str, Callable[[HoldemGame, int, BlueprintStrategy, RuleSettings], ChoiceRule]] = {
    BEST: lambda *_: ChoiceRule(),
    LOOK_AHEAD: _look_ahead,
    ADAPTING: _look_ahead,
    LOCAL: lambda game, player, theirs, _: LocalBestResponseRule(game, player, theirs),
}
"""What makes each rule of a player against a strategy of the other."""


def make_rule(game: HoldemGame, player: int, theirs: BlueprintStrategy, settings: RuleSettings) -> ChoiceRule:
    """The rule of a player against a strategy of the other."""
    return RULES[settings.name](game, player, theirs, settings)


@dataclass(frozen=True, eq=False)
class RuleResponse(TablesOnDemand):
    """A player who responds to a strategy by a rule; the other plays the strategy. early: (sequences, classes) the
    responder's probabilities before the flop."""

    game: HoldemGame
    player: int
    theirs: BlueprintStrategy
    asked: RuleSettings
    early: F64

    @property
    def preflop(self) -> tuple[F64, F64]:
        one, two = self.theirs.preflop
        return (self.early, two) if self.player == 0 else (one, self.early)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return super().on(player, board) if player == self.player else self.theirs.on(player, board)

    def table_on(self, player: int, board: Board) -> AnyArray:
        values = self._walk.values_on(board)
        return choose_by_lane(self.game, player, board, values, backed=self._walk.rule.backed)

    @cached_property
    def _walk(self) -> BoardWalk:
        rule = make_rule(self.game, self.player, self.theirs, self.asked)
        return BoardWalk(self.game, self.player, self.theirs, rule=rule)


def best_response(game: HoldemGame, to: BlueprintStrategy) -> SeatHalves:
    """The best responses to both halves of a strategy, in the game without buckets."""
    halves = []
    for player, side in enumerate(game.sides):
        worth = preflop_values_against(game, player, to, BoardWalk(game, player, to).entry_values())
        halves.append(RuleResponse(game, player, to, RuleSettings(), choose_best(side.preflop, worth)))
    return SeatHalves((halves[0], halves[1]))
