"""A blueprint tilted toward the hands of a player: probabilities ∝ blueprint × w[context, quantile, kind of action].

The weights maximise the likelihood of the hands with a penalty: each category is worth some further decisions in which the
player does as the blueprint does there (the number is learned on held-out hands). Contexts are tilted first, then quantiles
from there. Hidden cards are summed over by expectation maximisation: what the player may
hold given the whole betting, the board and the showdown, then the weights. A step of generalised iterative scaling never
lowers the penalised likelihood. Hands that are shown down alone would make every player a caller; here they count no more
than others. Where the cards of all hands are known, the counts of rows come on top; how much they say beside the tilt is
learned from how well the observations of a row predict each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.categories import CONTEXTS, KINDS, QUANTILES, Categories, TreeDecision
from counterplay.opponents.tilting.evidence import LEAST, Evidence, gather, observed_strengths
from counterplay.opponents.tilting.mapped_hands import MappedHand, MappedHands, map_hands
from counterplay.opponents.tilting.row_counts import add_rows, learn_row_strength, row_counts, shown_actions
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows

STRENGTH, STRENGTHS = 20.0, (5.0, 20.0, 80.0)
"""Decisions in each category that the blueprint is worth: by default, and what held-out hands choose from."""
ROWS, HELD, LINES, CATEGORIES = TRUSTS = ("rows", "strengths", "lines", "categories")
"""What trust rests on: observations of the row itself; of its line of betting with hands of its strength; of the line, with
whatever hand; or of all rows of its category, on any line. From these the tilt carries over."""
ROUNDS = 20
MOST_DECISIONS = 20_000
"""The most decisions with hidden cards; each takes 34 kB."""
_FEW = 200
_SETTLED = 1e-3  # nats of all hands together
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
        row_strength: decisions in each row that the tilted blueprint is worth, where cards are known.
        mapped: the hands.
    """

    play: BucketedStrategy
    counts: BucketedStrategy
    weights: Floats
    observed: Floats
    likelihood: tuple[float, ...]
    strength: float
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
    """The model of a player.

    Args:
        game: the game.
        prior: what is assumed of the player without hands: a blueprint.
        hands: those of the player; others are passed over.
        player: name.
        trust: what `counts` are of, one of `TRUSTS`.
        weight: decisions in each row that the tilted blueprint is worth, above 0, where cards are known; None to learn it
            from them.

    Raises:
        InputError: no hand fits the game, or there are too many.
    """
    return model_of_mapped(game, prior, map_hands(game, hands, player), trust, weight)


def model_of_mapped(
    game: HoldemGame,
    prior: BucketedStrategy,
    mapped: MappedHands,
    trust: str = ROWS,
    weight: float | None = None,
) -> TiltedModel:
    """The same from hands in the tree.

    Raises:
        InputError: there are too many.
    """
    hidden = sum(len(hand.decisions) for hand in mapped.hands if not hand.hole)
    if hidden > MOST_DECISIONS:
        raise InputError(f"{hidden:,} decisions with hidden cards; at most {MOST_DECISIONS:,} are fitted at once")
    categories = Categories(game, prior)
    by_sight = ([hand for hand in mapped.hands if bool(hand.hole) == known] for known in (True, False))
    parts = [part for part in by_sight if part]
    evidence = [gather(game, categories, part) for part in parts]
    strength = learn_strength(evidence)
    found = fit(evidence, strength)
    play = tilt_strategy(game, categories, found.weights)
    seen = shown_actions(categories, mapped.hands) if mapped.all_shown else {}
    in_rows = learn_row_strength(categories, play, seen) if weight is None else weight
    add_rows(categories, play, seen, in_rows)
    counts = _counts(categories, list(zip(parts, evidence, strict=True)), found, trust, in_rows)
    return TiltedModel(play, counts, found.weights, found.observed, found.likelihood, strength, in_rows, mapped)


def checked_trust(trust: str) -> str:
    """What trust rests on.

    Raises:
        InputError: it is none of `TRUSTS`.
    """
    if trust not in TRUSTS:
        raise InputError(f"trust rests on {', '.join(TRUSTS[:-1])} or {TRUSTS[-1]}, not {quoted(trust)}")
    return trust


class Fit(NamedTuple):
    """weights: (categories, KINDS). observed: expected numbers seen. likelihood: before every round, penalised."""

    weights: Floats
    observed: Floats
    likelihood: tuple[float, ...]


def fit(parts: Sequence[Evidence], strength: float = STRENGTH, rounds: int = ROUNDS) -> Fit:
    """The weights: first one for each context and kind, then, starting there and drawn toward it, one for each quantile."""
    size = CONTEXTS * QUANTILES
    ones = np.ones((size, len(KINDS)))
    base = np.sum([part.expected(ones)[2] for part in parts], axis=0)
    base /= np.maximum(base.sum(axis=1, keepdims=True), _TINY)
    by_context = _iterate(parts, ones, base, strength / QUANTILES, rounds, tied=True)
    mix = base * by_context.weights
    mix /= np.maximum(mix.sum(axis=1, keepdims=True), _TINY)
    return _iterate(parts, by_context.weights, mix, strength, rounds, tied=False)


def _iterate(
    parts: Sequence[Evidence], weights: Floats, toward: Floats, strength: float, rounds: int, *, tied: bool
) -> Fit:
    """Rounds of expectation maximisation. toward: (categories, KINDS) what the pseudo-observations are, made where the
    strategy at the beginning does this. tied: whether the quantiles of a context share their weights."""
    begin, likelihood = weights, list[float]()
    seen = np.zeros_like(weights)
    for _ in range(rounds):
        found = [part.expected(weights) for part in parts]
        seen, moved = np.sum([one[0] for one in found], axis=0), np.sum([one[1] for one in found], axis=0)
        mix = toward * np.divide(weights, begin, out=np.ones_like(weights), where=begin > _TINY)
        mix /= np.maximum(mix.sum(axis=1, keepdims=True), _TINY)
        penalty = strength * float((toward * np.log(np.maximum(mix, _TINY))).sum())
        likelihood.append(sum(one[3] for one in found) + penalty)
        if len(likelihood) > 1 and likelihood[-1] - likelihood[-2] < _SETTLED:
            break
        above, below = seen + strength * toward, moved + strength * mix
        if tied:
            above, below = (_over_quantiles(one) for one in (above, below))
        weights = weights * np.divide(above, below, out=np.ones_like(above), where=below > _TINY)
    return Fit(weights, seen, tuple(likelihood))


def _over_quantiles(numbers: Floats) -> Floats:
    """(categories, KINDS) sums over the quantiles of a context, at each of them."""
    sums = numbers.reshape(CONTEXTS, QUANTILES, -1).sum(axis=1)
    return np.repeat(sums, QUANTILES, axis=0)


def learn_strength(parts: Sequence[Evidence]) -> float:
    """The strength whose weights give the other half of the hands the largest likelihood, each half in turn; the default
    where there are few."""
    if sum(len(part.hand) for part in parts) < _FEW:
        return STRENGTH
    halves = [[part.half(k) for part in parts if len(part.may) > 1] for k in (0, 1)]

    def held_out(strength: float) -> float:
        fits = [fit(half, strength, ROUNDS // 2) for half in halves]
        return sum(part.posterior(fits[1 - k].weights)[1] for k, half in enumerate(halves) for part in half)

    return max(STRENGTHS, key=held_out)


def tilt_strategy(game: HoldemGame, categories: Categories, weights: Floats) -> BucketedStrategy:
    """The strategy of a tilt. weights: (categories, kinds) factors of actions."""

    def change(one: TreeDecision, quantile: Ints, rows: NDArray[Any]) -> Floats:
        factor = weights[(one.context * QUANTILES + quantile)[None, :], one.kinds[:, None]]
        out: Floats = (np.asarray(rows, np.float64) + LEAST) * factor  # as the evidence has it
        return np.where((factor == 1.0).all(axis=0), rows, out / out.sum(axis=0))

    return _by_rows(game, categories, change)


Change = Callable[[TreeDecision, Ints, NDArray[Any]], NDArray[Any]]
"""The new rows of a decision: it, the quantiles of the lanes, and the old rows (actions, lanes)."""


def _by_rows(game: HoldemGame, categories: Categories, change: Change) -> BucketedStrategy:
    """The tables of the categories' strategy, changed decision by decision."""

    def changed(node: int, rows: NDArray[Any]) -> NDArray[Any]:
        one = categories.decisions[node]
        return change(one, categories.quantiles_of(rows, one, int(game.betting.street[node])), rows)

    return change_rows(game, categories.play, changed)


def _by_strength(categories: Categories, seen: Mapping[int, Floats]) -> BucketedStrategy:
    """At each row the observations of its line with hands of its strength. seen: by node, as of `observed_strengths`."""
    street, none = categories.game.betting.street, np.zeros(QUANTILES)

    def changed(node: int, rows: NDArray[Any]) -> NDArray[Any]:
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
    hands: list[tuple[MappedHand, Floats | None]] = []
    for part, one in evidence:
        odds = [None] * len(part) if part[0].hole else one.posterior(found.weights)[0]
        hands += zip(part, odds, strict=True)
    return row_counts(categories, hands, weight)
