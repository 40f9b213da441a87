"""The decisions before the flop, made by what flops are worth: one backward pass over the betting before them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.measure import choose_best, preflop_values


@dataclass(frozen=True, eq=False)
class PreflopBackup:
    """The betting before the flop of one player against a fixed strategy.

    Attributes:
        folded: (sequences, classes) what the player's sequences earn by folds before the flop.
        backed: whether an estimate of the best action belongs to the sequence before it (see `ChoiceRule`).
    """

    game: HoldemGame
    player: int
    folded: F64
    backed: bool = True

    def plan(self, below: F64, estimates: F64 | None = None) -> F64:
        """(sequences, classes) 1 where the player goes; arguments as of `choices`."""
        return reaches(self.game.sides[self.player], self.choices(below, estimates))

    def choices(self, below: F64, estimates: F64 | None = None) -> F64:
        """(sequences, classes) 1 for the action of every decision.

        Args:
            below: (entries, classes) what all flops together are worth.
            estimates: (sequences, classes) what sequences seem to be worth by all flops; where given, they choose.
        """
        side = self.game.sides[self.player]
        found = self.folded + (0.0 if estimates is None else estimates)
        if estimates is None:
            found[side.entry] += below
        return choose_best(side.preflop, found, backed=self.backed)

    def values(self, plan: F64, rows: F64, folded: F64 | None = None) -> F64:
        """(flops,) chips a hand of a plan, if flops are together worth what each row of (flops, entries, classes) says.

        Args:
            plan: (sequences, classes) the player's reach before the flop, such as from `plan`.
            rows: (flops, entries, classes) for each flop, what all of them would be worth together.
            folded: (sequences, classes) other values of folds than those by which plans are made.
        """
        entry = plan[self.game.sides[self.player].entry]
        before = float((plan * (self.folded if folded is None else folded)).sum())
        return np.asarray((before + (rows * entry).sum(axis=(1, 2))) / self.game.deals)


def folded_values(game: HoldemGame, player: int, theirs: BlueprintStrategy) -> F64:
    """(sequences, classes) what a player's sequences before the flop earn by folds there."""
    nothing = np.zeros((len(game.entries), game.boards.classes))
    other = 1 - player
    return preflop_values(game, player, reaches(game.sides[other], theirs.preflop[other]), nothing)
