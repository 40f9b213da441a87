"""What hands show of a player, as arrays: at every decision, what the prior does with every hand that may be held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.opponents.tilting.categories import KINDS, QUANTILES, Categories
from counterplay.opponents.tilting.evidence_kernels import add_expected, share_out
from counterplay.opponents.tilting.mapped_hands import MappedHand
from counterplay.poker.cards.deck import Ints
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.holdem import Floats, HoldemGame

LEAST = 1e-4
"""The least probability of the prior's actions: what it never does may yet be seen."""
Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Decisions in order, those of a hand together, and the hands that the player may hold in each.

    Attributes:
        first: (hands,) the first decision of each hand.
        hand: (decisions,) the number of its hand.
        may: (hands, holdings) whether a holding is possible.
        kinds: (decisions, KINDS, holdings) the prior's probability of each kind of action.
        chosen: (decisions, holdings) that of the action that was seen.
        kind: (decisions,) the kind that was seen.
        category: (decisions, holdings) context · QUANTILES + quantile.
    """

    first: Ints
    hand: Ints
    may: NDArray[np.bool_]
    kinds: Rows
    chosen: Rows
    kind: Ints
    category: NDArray[np.int16]

    def half(self, which: int) -> Evidence:
        """Every other hand, from the first or the second."""
        hands = np.arange(len(self.may)) % 2 == which
        keep = hands[self.hand]
        sizes = np.bincount(self.hand[keep], minlength=len(self.may))[hands]
        return Evidence(
            np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(sizes)), sizes), self.may[hands], self.kinds[keep],
            self.chosen[keep], self.kind[keep], self.category[keep],
        )  # fmt: skip

    def softened(self, sharpness: float) -> Evidence:
        """The same evidence with the prior's probabilities of kinds of action taken to this power (`soften_kinds`)."""
        if sharpness == 1.0:
            return self
        kinds, chosen = np.empty_like(self.kinds), np.empty_like(self.chosen)
        for d, own in enumerate(self.kind.tolist()):  # one after the other, since all decisions may be half a gigabyte
            kinds[d] = soften_kinds(self.kinds[d], sharpness)
            chosen[d] = self.chosen[d] * (kinds[d, own] / self.kinds[d, own])
        return replace(self, kinds=kinds, chosen=chosen)

    def posterior(self, weights: Floats) -> tuple[Floats, float]:
        """(hands, holdings) how likely each holding is, and the log-likelihood of all hands.

        Args:
            weights: (categories, KINDS) of the tilt.
        """
        odds = np.empty(self.may.shape)
        likely: float = share_out(
            self.first, self.may, self.kinds, self.chosen, self.kind, self.category, np.ascontiguousarray(weights), odds
        )
        return odds, likely

    def expected(self, weights: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Expected numbers, each (categories, KINDS): what was seen, what the tilted strategy and what the prior do there;
        and the log-likelihood."""
        odds, likely = self.posterior(weights)
        found = np.zeros((3, len(weights), len(KINDS)))
        add_expected(self.hand, self.kinds, self.kind, self.category, np.ascontiguousarray(weights), odds, *found)
        return found[0], found[1], found[2], likely


def soften_kinds(kinds: NDArray[Any], sharpness: float) -> NDArray[Any]:
    """(KINDS, hands) probabilities to a power, and normalised. A kind that is not offered has 0 and keeps it."""
    out = kinds**sharpness
    return out / out.sum(axis=0)  # type: ignore[no-any-return]


def gather(game: HoldemGame, categories: Categories, hands: Sequence[MappedHand]) -> Evidence:
    """The evidence of hands in all of which the player's cards are known, or in none of which they are."""
    known = bool(hands[0].hole)
    kinds: list[Rows] = []
    chosen: list[Rows] = []
    category: list[NDArray[np.int16]] = []
    for hand in hands:
        held = game.deck.hand(*hand.hole) if known else -1
        for one in hand.decisions:
            quantile: Any
            if known:
                rows, quantile, _, _ = categories.held(one.node, one.board, held)
            else:
                rows, quantile, _, _ = categories.on(one.node, one.board)
            decision = categories.decisions[one.node]
            odds = np.asarray(rows, np.float64).reshape(len(rows), -1)
            odds = (odds + LEAST) / (odds + LEAST).sum(axis=0)
            by_kind = np.zeros((len(KINDS), odds.shape[1]))
            np.add.at(by_kind, decision.kinds, odds)
            kinds.append(by_kind.astype(np.float32))
            chosen.append(odds[one.choice].astype(np.float32))
            place = decision.context * QUANTILES + np.atleast_1d(quantile)
            category.append(place.astype(np.int16))
    sizes = [len(hand.decisions) for hand in hands]
    seen = [int(categories.decisions[one.node].kinds[one.choice]) for hand in hands for one in hand.decisions]
    may = np.ones((len(hands), 1), np.bool_) if known else np.stack([holdings(game, hand) for hand in hands])
    return Evidence(
        np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(hands)), sizes), may, np.stack(kinds), np.stack(chosen),
        np.array(seen), np.stack(category),
    )  # fmt: skip


def holdings(game: HoldemGame, hand: MappedHand) -> NDArray[np.bool_]:
    """(hands of the deck,) what the player may hold: no card that is seen elsewhere, and after a lost showdown nothing that
    would have won."""
    may = game.deck.live(hand.dead)
    if hand.beaten:
        live = np.flatnonzero(may)
        ranks = hand_ranks(hand.board, np.vstack([game.deck.hands[live], [hand.beaten]]), deck=game.deck)
        may = may.copy()
        may[live[ranks[:-1] > ranks[-1]]] = False
    return may


def observed_strengths(evidence: Sequence[tuple[Sequence[MappedHand], Evidence]], weights: Floats) -> dict[int, Floats]:
    """(QUANTILES,) expected numbers of decisions with each strength of hands, by betting node.

    Args:
        evidence: hands, and what was gathered from them.
        weights: (categories, KINDS) of the tilt, by which hidden holdings are shared out.
    """
    found: dict[int, Floats] = {}
    for hands, one in evidence:
        odds, _ = one.posterior(weights)
        nodes = [decision.node for hand in hands for decision in hand.decisions]
        for node, number, category in zip(nodes, one.hand.tolist(), one.category, strict=True):
            here = found.setdefault(node, np.zeros(QUANTILES))
            here += np.bincount(category % QUANTILES, odds[number], QUANTILES)
    return found
