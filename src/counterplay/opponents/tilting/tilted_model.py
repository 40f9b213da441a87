"""A blueprint tilted toward the hands of a player: probabilities ∝ blueprint^β × w[context, quantile, kind of action].

The weights w and the sharpness β maximise the likelihood of the hands (`tilt_fit`). β acts on the probabilities of kinds of
action; within a kind the blueprint's sizes keep their shares. Where the cards of all hands are known, the counts of rows
come on top; how much they say beside the tilt is learned from how well the observations of a row predict each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.categories import KINDS, QUANTILES, Categories, TreeDecision
from counterplay.opponents.tilting.evidence import Evidence, by_sight, gather_all, observed_strengths
from counterplay.opponents.tilting.mapped_hands import MappedHand, MappedHands, map_hands
from counterplay.opponents.tilting.prior_rows import LEAST, soften_kinds
from counterplay.opponents.tilting.row_counts import add_rows, learn_row_strength, row_counts, shown_actions
from counterplay.opponents.tilting.tilt_fit import Fit, fit, learn_sharpness, learn_strength
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows

ROWS, HELD, LINES, CATEGORIES = TRUSTS = ("rows", "strengths", "lines", "categories")
"""What trust rests on: observations of the row itself; of its line of betting with hands of its strength; of the line, with
whatever hand; or of all rows of its category, on any line. From these the tilt carries over."""
TENDENCIES = "tendencies"
"""In place of trust: nothing but frequencies by street is taken from the hands."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class TiltedModel:
    """A model of a player of a whole game.

    Attributes:
        play: both seats of the player.
        counts: effective observations of each row, in the same tables.
        weights: (categories, KINDS) of the tilt.
        observed: (categories, KINDS) expected numbers of what was seen.
        likelihood: log-likelihood of the hands after each round, the penalty included.
        strength: decisions in each category that the blueprint is worth.
        sharpness: exponent of the blueprint's probabilities.
        row_strength: decisions in each row that the tilted blueprint is worth, where cards are known.
        mapped: the hands.
    """

    play: BucketedStrategy
    counts: BucketedStrategy
    weights: F64
    observed: F64
    likelihood: tuple[float, ...]
    strength: float
    sharpness: float
    row_strength: float
    mapped: MappedHands

    def note(self) -> str:
        """What the model was made from, and what not, in one line."""
        found = self.mapped
        left = "".join(f"; {count:,} {reason}" for reason, count in found.left_out.items())
        bets = f", {found.mapped:,} of {found.bets:,} bets mapped to sizes of the tree" if found.bets else ""
        return f"{found.about}{bets}{left}"


def model_of_hands(
    game: HoldemGame,
    prior: BucketedStrategy,
    hands: Iterable[HoldemHand],
    player: str,
    trust: str = ROWS,
    weight: float | None = None,
) -> TiltedModel:
    """The model of a player. weight: decisions in each row that the tilted blueprint is worth, above 0, where cards are
    known; None to learn it from them."""
    return model_of_mapped(game, prior, map_hands(game, hands, player), trust, weight)


def model_of_mapped(
    game: HoldemGame, prior: BucketedStrategy, mapped: MappedHands, trust: str = ROWS, weight: float | None = None
) -> TiltedModel:
    """The same from hands in the tree."""
    categories = Categories(game, prior)
    parts, evidence = by_sight(mapped.hands), gather_all(game, categories, mapped.hands)
    sharpness = learn_sharpness(evidence)
    evidence = [one.softened(sharpness) for one in evidence]
    strength = learn_strength(evidence)
    found = fit(evidence, strength)
    play = tilt_strategy(game, categories, found.weights, sharpness)
    seen = shown_actions(categories, mapped.hands) if mapped.all_shown else {}
    in_rows = learn_row_strength(categories, play, seen) if weight is None else weight
    add_rows(categories, play, seen, in_rows)
    counts = _counts(categories, list(zip(parts, evidence, strict=True)), found, trust, in_rows)
    return TiltedModel(
        play, counts, found.weights, found.observed, found.likelihood, strength, sharpness, in_rows, mapped
    )


def checked_trust(trust: str) -> str:
    """What trust rests on."""
    if trust not in TRUSTS:
        alone = f"; in a text 'hands:...' it may rest on {TENDENCIES}" if trust == TENDENCIES else ""
        raise InputError(f"trust rests on {', '.join(TRUSTS[:-1])} or {TRUSTS[-1]}, not {quoted(trust)}{alone}")
    return trust


def tilt_strategy(game: HoldemGame, categories: Categories, weights: F64, sharpness: float = 1.0) -> BucketedStrategy:
    """The strategy of a tilt. weights: (categories, KINDS) factors of actions."""

    def change(one: TreeDecision, quantile: I64, rows: AnyArray) -> F64:
        factor = weights[(one.context * QUANTILES + quantile)[None, :], one.kinds[:, None]]
        odds = np.asarray(rows, np.float64) + LEAST  # as the evidence has it
        if sharpness != 1.0:
            by_kind = np.zeros((len(KINDS), odds.shape[1]))
            np.add.at(by_kind, one.kinds, odds / odds.sum(axis=0))
            odds *= (soften_kinds(by_kind, sharpness) / np.maximum(by_kind, _TINY))[one.kinds]
        out: F64 = odds * factor
        same = (factor == 1.0).all(axis=0) & (sharpness == 1.0)
        return np.where(same, rows, out / out.sum(axis=0))

    return _by_rows(game, categories, change)


Change = Callable[[TreeDecision, I64, AnyArray], AnyArray]
"""The new rows of a decision: it, the quantiles of the lanes, and the old rows (actions, lanes)."""


def _by_rows(game: HoldemGame, categories: Categories, change: Change) -> BucketedStrategy:
    """The tables of the categories' strategy, changed decision by decision."""

    def changed(node: int, rows: AnyArray) -> AnyArray:
        one = categories.decisions[node]
        return change(one, categories.quantiles_of(rows, one, int(game.betting.street[node])), rows)

    return change_rows(game, categories.play, changed)


def _by_strength(categories: Categories, seen: Mapping[int, F64]) -> BucketedStrategy:
    """At each row the observations of its line with hands of its strength. seen: by node, as of `observed_strengths`."""
    street, none = categories.game.betting.street, np.zeros(QUANTILES)

    def changed(node: int, rows: AnyArray) -> AnyArray:
        quantile = categories.quantiles_of(rows, categories.decisions[node], int(street[node]))
        return np.broadcast_to(seen.get(node, none)[quantile], rows.shape)

    return change_rows(categories.game, categories.play, changed)


def _counts(
    categories: Categories,
    evidence: Sequence[tuple[Sequence[MappedHand], Evidence]],
    found: Fit,
    trust: str,
    weight: float,
) -> BucketedStrategy:
    """Effective observations of what trust rests on."""
    if trust == LINES:
        at = Counter(one.node for part, _ in evidence for hand in part for one in hand.decisions)
        return change_rows(categories.game, categories.play, lambda node, rows: np.full(rows.shape, float(at[node])))
    if trust == HELD:
        return _by_strength(categories, observed_strengths(evidence, found.weights))
    if trust == CATEGORIES:
        return _by_rows(categories.game, categories, lambda one, quantile, rows: np.broadcast_to(
            found.observed.sum(axis=1)[one.context * QUANTILES + quantile], rows.shape))  # fmt: skip
    hands = (
        (hand, None if hand.hole else odds)
        for part, one in evidence
        for hand, odds in zip(part, one.shares(found.weights), strict=True)
    )
    return row_counts(categories, hands, weight)
