"""The rules by which a responder chooses on a walk, by name: look-aheads of limited depth, and local best response.

A continual depth-limited best response (Milec et al. 2025) is on every street the best response of a game that ends so many
streets later. Hands are then checked down, both players go on by a blueprint, or the player by the best of several
strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import AllBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk, ChoiceRule, add_rows
from counterplay.poker.whole_game.values.showdown_lines import showdown_lines
from counterplay.poker.whole_game.walks.check_down import CheckDown, Stake
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen
from counterplay.poker.whole_game.walks.local_best_response import LocalBestResponseRule

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


class LimitedLookAhead:
    """The rule of a look-ahead of so many streets, its own counted, with values of the streets after them."""

    backed, line_guess = True, None

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, depth: int, leaf: StreetValues
    ) -> None:
        self.game, self.player, self.theirs, self.depth = game, player, theirs, depth
        self._walks = [_StoppedWalk(game, player, theirs, leaf, street + depth - 1) for street in range(game.last + 1)]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        street = board.street
        if street + self.depth > self.game.last:
            return None
        found = values.copy()
        entry = plan[self.game.sides[1 - self.player].entries[street + 1]]
        add_rows(found, self.game.sides[self.player].entries[street + 1], self._walks[street].below(board, entry))
        return found

    def early_estimates(self, flop: Board) -> AnyArray | None:
        game, side = self.game, self.game.sides[self.player]
        if self.depth > game.last:
            return None
        entry = entry_reach(game, 1 - self.player, self.theirs)
        out = np.zeros((side.sizes[0], game.boards.classes))
        out[side.entry] = self._walks[0].below(game.boards.root, entry, [(flop, 1.0)])
        return out

    def raise_values(self, decisions: AnyArray, found: AnyArray, values: AnyArray, n: int, run: int) -> None:
        raise_chosen(decisions, found.reshape(-1), values, n, run, self.backed)


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
    """Values without further bets: at the entries of a street both players have put in the same."""
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
    """Values if the opponent goes on as they do, and each hand of the player, on each board that is dealt, by the best of
    several strategies: matrix-valued states against a known opponent (Milec et al. 2025, section 2.3)."""
    walks, seen = [BoardWalk(game, player, theirs, play) for play in plays], AllBoards(game.boards)

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


def _look_ahead(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> ChoiceRule:
    if asked.continuations:
        leaf = _best_continuation(game, player, theirs, asked.continuations)
    elif asked.blueprint is not None:
        leaf = BoardWalk(game, player, asked.blueprint, asked.blueprint).below
    else:
        leaf = _checked_down(game)
    return LimitedLookAhead(game, player, theirs, asked.depth, leaf)


RULES: dict[str, Callable[[HoldemGame, int, BlueprintStrategy, RuleSettings], ChoiceRule | None]] = {
    BEST: lambda game, player, theirs, asked: None,  # noqa: ARG005 - the walk does it by itself
    LOOK_AHEAD: _look_ahead,
    ADAPTING: _look_ahead,
    LOCAL: lambda game, player, theirs, asked: LocalBestResponseRule(game, player, theirs),  # noqa: ARG005
}
"""What makes each rule of a player against a strategy of the other; None for the best response."""


def make_rule(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> ChoiceRule | None:
    """The rule of a player against a strategy of the other; None for the best response."""
    return RULES[asked.name](game, player, theirs, asked)
