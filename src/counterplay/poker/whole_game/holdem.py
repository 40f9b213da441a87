"""Flop Hold'em as the solvers take it: two streets of betting, the different flops, and each player's sequences.

One flop's sequences of one player (see `fhp.sides`) make an array with a row of hands, in order of strength, for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.betting.rules import BettingRules, flop_holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, build
from counterplay.poker.betting.tree_size import SizesLike
from counterplay.poker.cards.deck import FULL, Deck, Ints
from counterplay.poker.showdown.terminals import Fold, Showdown, Terminals, scratch_of, terminals_of
from counterplay.poker.whole_game.decisions import (
    StreetDecisions,
    fold_payoffs,
    number_sequences,
    reaches_flop,
    showdown_stakes,
)
from counterplay.poker.whole_game.flops import Flops, flops_of

Floats = NDArray[np.float64]
_RUN = 16


@dataclass(frozen=True, eq=False)
class HoldemGame:
    """Flop Hold'em of a deck and a betting tree.

    Attributes:
        flops: the different flops and their hands.
        betting: nodes of both streets; player 0 is the big blind.
        sides: of both players.
        entries: (entries,) betting nodes at which the flop is dealt.
        folded: (folds, 4) before the flop: both players' sequences, and what player 0 and player 1 get.
        shown: (2, terminals, 5) on the flop, one row for each fold and showdown: the opponent's sequence, the player's,
            and what the player gets for a win, a loss and a tie; the three are equal at a fold.
        dtype: of ranges and values on a flop, float32 or float64.
    """

    flops: Flops
    betting: BettingTree
    sides: tuple[StreetDecisions, StreetDecisions]
    entries: Ints
    folded: Floats
    shown: Floats
    dtype: np.dtype[Any]

    @cached_property
    def run(self) -> int:
        """Numbers from one row of hands to the next."""
        return -(-self.flops.places // _RUN) * _RUN

    @cached_property
    def deals(self) -> float:
        """Ways to deal two hands and a flop: what sums of payoffs are divided by."""
        before, after = self.flops.deals
        return before * after

    @cached_property
    def terminals(self) -> tuple[Terminals, Terminals]:
        """Each player's folds and showdowns on a flop."""
        board, run = self.flops.layouts[0], self.run
        found = []
        for player in (0, 1):
            sizes = (self.sides[1 - player].sizes[1] * run, self.sides[player].sizes[1] * run)
            listed: list[Showdown | Fold] = []
            for theirs, ours, win, lose, tie in self.shown[player]:
                at = int(theirs) * run, int(ours) * run
                listed.append(Fold(*at, win) if win == lose else Showdown(*at, win, -lose, tie))
            found.append(terminals_of(board, listed, sizes, self.dtype))
        return found[0], found[1]

    def room(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Work space of one thread: plan and values of whichever player has more sequences, and the kernels' scratch."""
        size = max(side.sizes[1] for side in self.sides) * self.run
        return np.zeros(size, self.dtype), np.zeros(size, self.dtype), scratch_of(self.flops.layouts[0], self.dtype)

    @cached_property
    def milli(self) -> float:
        """Milli-big-blinds in a chip."""
        return 1000.0 / self.betting.rules.chips(max(self.betting.rules.blinds))


def fhp(
    rules: BettingRules | None = None,
    sizes: SizesLike = "",
    *,
    deck: Deck = FULL,
    dtype: Any = np.float32,
    flops: Flops | None = None,
) -> HoldemGame:
    """The game.

    Args:
        rules: any that start before the flop and end on it; those of the paper unless given.
        sizes: of bets, for no-limit.
        deck: the cards; suits must be worth the same.
        dtype: of ranges and values: float32 is twice as fast, float64 for checks.
        flops: of the deck, if they are known already.

    Raises:
        InputError: the rules play other streets, have a rake or no big blind, or the deck is too small.
    """
    rules = flop_holdem() if rules is None else rules
    if (rules.first, rules.last) != (0, 1):
        raise InputError("Flop Hold'em is played before the flop and on it; rules from 'preflop' to 'flop' are needed")
    if rules.rake:
        raise InputError("Flop Hold'em is solved without a rake")
    if not max(rules.blinds):
        raise InputError("Flop Hold'em is measured in big blinds, and these rules have none")
    betting = build(rules, sizes)
    entries = np.array([n for n in range(betting.nodes) if reaches_flop(betting, n)], np.int64)
    if not len(entries):
        raise InputError("with these rules no flop is ever dealt")
    found = number_sequences(betting, entries)
    terminals = [n for n in range(betting.nodes) if betting.kind[n] > Kind.DEAL]
    early = [n for n in terminals if betting.street[n] == 0 and betting.kind[n] != Kind.SHOWDOWN]
    folded = [(*found.at[n], *fold_payoffs(betting, n)) for n in early]
    shown = [
        [showdown_stakes(betting, found.at[n], n, player) for n in terminals if n not in early] for player in (0, 1)
    ]
    return HoldemGame(
        flops_of(deck) if flops is None else flops, betting, found.sides, entries,
        np.array(folded, float).reshape(-1, 4), np.array(shown, float), np.dtype(dtype),
    )  # fmt: skip
