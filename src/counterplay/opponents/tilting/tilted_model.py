"""A blueprint tilted toward the hands of a player: probabilities ∝ blueprint^β × w[context, quantile, kind of action].

β, the sharpness, acts on the probabilities of kinds of action; within a kind the blueprint's sizes keep their shares.
Where the cards of all hands are known, the counts of rows come on top; how much they say beside the tilt is learned from
how well the observations of a row predict each other.

The weights w maximise the likelihood of the hands with a penalty: each category is worth some further decisions in which
the player does as the blueprint does there (the number is learned on held-out hands). Contexts are tilted first, then
quantiles from there. Hidden cards are summed over by expectation maximisation: what the player may hold given the whole
betting, the board and the showdown, then the weights. A step of generalised iterative scaling never lowers the penalised
likelihood. Hands that are shown down alone would make every player a caller; here they count no more than others.

A blueprint is surer than a player of its kind is: with hands about which an equilibrium is indifferent, another solution
does something else. So the sharpness is learned on held-out hands, too.

The smallest tilts meet frequencies alone: figures of the villain card, or a player's tendencies by street. A tendency
(folds, raises, bets) is k of n decisions. One whose interval holds what the blueprint does there is left alone; any other
is moved to the near end of its interval. Frequencies of a street need no cards and are known from some hundred hands,
where rows and categories of hands stay unknown for many thousands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from counterplay.arrays import F32, F64, I32, I64, AnyArray, Flags
from counterplay.errors import InputError, quoted
from counterplay.intervals import NORMAL_975
from counterplay.opponents.counting.estimate import counts_of_shares
from counterplay.opponents.histories.hand_record import Cards
from counterplay.opponents.tilting.evidence import (
    CONTEXTS,
    FACED_BET,
    KINDS,
    LEAST,
    NOTHING_FACED,
    QUANTILES,
    Categories,
    Evidence,
    by_sight,
    gather,
    observed_strengths,
    place_of_context,
    soften_kinds,
)
from counterplay.opponents.tilting.mapped_hands import MappedHand, MappedHands
from counterplay.opponents.tilting.spot_tilt import (
    FrequencyRow,
    fit_frequencies,
    shift_rows,
    shifts_by_node,
    statistic_classes,
)
from counterplay.opponents.villain.seen_decisions import ObservedShare, StrategyFigures
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, Deviation, change_rows

Row = tuple[int, int, int]
"""Betting node, block and lane."""
SeenHands = Iterable[tuple[MappedHand, F64 | None]]
"""Hands, and of the hidden ones (holdings,) how likely each holding is."""
Shares = tuple[I32, F32]
"""The lanes of a hidden hand at a decision, and how likely each is."""
_LEAST = 1e-6
"""Shares of a hidden hand below which a row is not counted as seen."""
ROW_STRENGTH, ROW_STRENGTHS = 30.0, (1.0, 3.0, 10.0, 30.0, 100.0)
"""Decisions in each row that the tilted blueprint is worth where cards are known: where few rows were seen twice, and what
observations choose from."""
_FEW = 200
_TINY = 1e-12


def row_counts(categories: Categories, hands: SeenHands, prior: float) -> BucketedStrategy:
    """Effective observations of each row, in tables like those of the categories' strategy. prior: decisions that the
    prior is worth in a row, above 0."""
    game = categories.game
    tables = change_rows(game, categories.play, lambda _, rows: np.zeros(rows.shape))
    seen: dict[tuple[int, int], tuple[list[I64], list[Shares]]] = {}
    for hand, odds in hands:
        for node, block, lane in _rows_passed(categories, hand):
            shown, hidden = seen.setdefault((node, block), ([], []))
            if odds is None:
                shown.append(lane)
            else:
                by_lane: F64 = np.bincount(lane, odds).astype(np.float64)
                some = np.flatnonzero(by_lane > _LEAST)
                hidden.append((some.astype(np.int32), by_lane[some].astype(np.float32)))
    for (node, block), (shown, hidden) in seen.items():
        known = np.concatenate([np.zeros(0, np.int64), *shown])
        lanes = np.unique(np.concatenate([known, *(here for here, _ in hidden)])).astype(np.int64)
        shares = np.zeros((len(hidden), len(lanes)))
        for row, (here, share) in zip(shares, hidden, strict=True):
            row[np.searchsorted(lanes, here)] = share
        counted = np.bincount(np.searchsorted(lanes, known), minlength=len(lanes)).astype(np.float64)
        table, rows = categories.table(tables, node, block)
        table[rows, lanes] = counts_of_shares(shares, np.ones(len(hidden)), counted, prior)
    return tables


def shown_actions(categories: Categories, hands: Sequence[MappedHand]) -> dict[Row, F64]:
    """(actions,) how often each was seen at every row, where the player's cards are known."""
    found: dict[Row, F64] = {}
    for hand in hands:
        for one, (node, block, lane) in zip(hand.decisions, _rows_passed(categories, hand), strict=True):
            rows = categories.decisions[node].rows
            here = found.setdefault((node, block, int(lane[0])), np.zeros(rows.stop - rows.start))
            here[one.choice] += 1.0
    return found


def learn_row_strength(categories: Categories, play: BucketedStrategy, seen: Mapping[Row, F64]) -> float:
    """Of `ROW_STRENGTHS` that with which every action is likeliest, predicted from the others of its row and the
    strategy (leave one out). seen: (actions,) counts by row."""
    again = {row: found for row, found in seen.items() if found.sum() > 1.0}  # one alone is left to the strategy
    if sum(found.sum() for found in again.values()) < _FEW:
        return ROW_STRENGTH
    counts, strengths = np.concatenate(list(again.values())), np.array(ROW_STRENGTHS)[:, None]
    odds = np.concatenate([prior[:, lane] for prior, lane in (_row(categories, play, row) for row in again)])
    whole = np.concatenate([np.full(len(found), found.sum()) for found in again.values()])
    happened = counts > 0.0
    found = (strengths * odds + np.maximum(counts - 1.0, 0.0)) / (strengths + whole - 1.0)
    likely = (counts * np.log(np.maximum(found, _TINY)))[:, happened].sum(axis=1)
    return ROW_STRENGTHS[int(likely.argmax())]


def add_rows(categories: Categories, play: BucketedStrategy, seen: Mapping[Row, F64], strength: float) -> None:
    """Put what was seen on top of a strategy's rows, in place; arguments as of `learn_row_strength`."""
    for row, found in seen.items():
        rows, lane = _row(categories, play, row)
        rows[:, lane] = (strength * rows[:, lane] + found) / (strength + found.sum())


def _row(categories: Categories, play: BucketedStrategy, row: Row) -> tuple[AnyArray, int]:
    """The (actions, lanes) of a strategy at a decision, a view of its table, and the lane."""
    table, rows = categories.table(play, *row[:2])
    return table[rows], row[2]


def counts_passed(
    categories: Categories, counts: BucketedStrategy, hands: Sequence[MappedHand]
) -> Iterator[tuple[int, float]]:
    """At every decision of hands whose cards are known: the street, and the effective observations of its row."""
    for hand in hands:
        for node, block, lane in _rows_passed(categories, hand):
            table, rows = categories.table(counts, node, block)
            yield int(categories.game.betting.street[node]), float(table[rows.start, int(lane[0])])


def _rows_passed(categories: Categories, hand: MappedHand) -> Iterator[tuple[int, int, I64]]:
    """Of each decision: betting node, block, and as (1,) the lane of a shown hand, or (holdings,) those of a hidden one."""
    held = categories.game.deck.hand(*hand.hole) if hand.hole else 0
    on: dict[Cards, tuple[int, I64]] = {}
    for one in hand.decisions:
        if hand.hole:
            _, _, known, block = categories.held(one.node, one.board, held)
            lanes: I64 = np.array([known])
        else:
            if one.board not in on:
                on[one.board] = categories.lanes(one.board)
            block, lanes = on[one.board]
        yield one.node, block, lanes


STRENGTH, STRENGTHS = 20.0, (5.0, 20.0, 80.0)
"""Decisions in each category that the blueprint is worth: by default, and what held-out hands choose from."""
SHARPNESSES = (1.0, 0.7, 0.5, 0.35)
"""Exponents of the blueprint's probabilities that held-out hands choose from."""
ROUNDS = 20
_HELD_OUT = 30_000_000
"""The most decisions times holdings that strength and sharpness are learned on; the first hands are taken."""
_CLEAR, _SETTLED = 2.0, 1e-3  # nats of all hands together
ROWS, HELD, LINES, CATEGORIES = TRUSTS = ("rows", "strengths", "lines", "categories")
"""What trust rests on: observations of the row itself; of its line of betting with hands of its strength; of the line, with
whatever hand; or of all rows of its category, on any line. From these the tilt carries over."""
TENDENCIES = "tendencies"
"""In place of trust: nothing but frequencies by street is taken from the hands."""


class Fit(NamedTuple):
    """A tilt. weights: (categories, KINDS). observed: expected numbers seen. likelihood: of the hands, in logarithms, before
    every round, the penalty included."""

    weights: F64
    observed: F64
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


def _iterate(parts: Sequence[Evidence], weights: F64, toward: F64, strength: float, rounds: int, *, tied: bool) -> Fit:
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
            above, below = (
                np.repeat(one.reshape(CONTEXTS, QUANTILES, -1).sum(axis=1), QUANTILES, axis=0) for one in (above, below)
            )
        weights = weights * np.divide(above, below, out=np.ones_like(above), where=below > _TINY)
    return Fit(weights, seen, tuple(likelihood))


def learn_strength(parts: Sequence[Evidence]) -> float:
    """The strength whose weights give the other half of the hands the largest likelihood, each half in turn; the default
    where there are few."""
    if _are_few(parts):
        return STRENGTH
    halves = _halves(parts)
    return max(STRENGTHS, key=lambda strength: _held_out(halves, strength))


def learn_sharpness(parts: Sequence[Evidence]) -> float:
    """Of `SHARPNESSES` the one that gives held-out halves the largest likelihood; 1 where it is about as likely, or where
    there are few hands."""
    if _are_few(parts):
        return SHARPNESSES[0]

    def likelihood(sharpness: float) -> float:
        found = _held_out(_halves([part.softened(sharpness) for part in parts]), STRENGTH)
        return found + (_CLEAR if sharpness == 1.0 else 0.0)

    return max(SHARPNESSES, key=likelihood)


def _are_few(parts: Sequence[Evidence]) -> bool:
    return sum(len(part.kind) for part in parts) < _FEW


def _halves(parts: Sequence[Evidence]) -> list[list[Evidence]]:
    """Every other hand, among the first ones."""
    halves: list[list[Evidence]] = [[], []]
    for part in parts:
        if len(part.may) > 1:
            decisions = max(_FEW, _HELD_OUT // part.may.shape[1])
            few = part.kept(part.first[1:] <= decisions) if len(part.kind) > decisions else part
            for which in (0, 1):
                halves[which].append(few.kept(np.arange(len(few.may)) % 2 == which))
    return halves


def _held_out(halves: Sequence[Sequence[Evidence]], strength: float) -> float:
    """The log-likelihood of each half by the weights of the other."""
    fits = [fit(half, strength, ROUNDS // 2) for half in halves]
    return sum(part.expected(fits[1 - k].weights)[3] for k, half in enumerate(halves) for part in half)


@dataclass(frozen=True, eq=False)
class TiltedModel:
    """A model of a player of a whole game. play: both seats of the player. counts: effective observations of each row,
    in the same tables. fit: the tilt. strength: decisions in each category that the blueprint is worth. sharpness:
    exponent of the blueprint's probabilities. row_strength: decisions in each row that the tilted blueprint is worth,
    where cards are known. mapped: the hands."""

    play: BucketedStrategy
    counts: BucketedStrategy
    fit: Fit
    strength: float
    sharpness: float
    row_strength: float
    mapped: MappedHands

    def note(self) -> str:
        """What the model was made from, and what not, in one line."""
        hands = self.mapped
        left = "".join(f"; {count:,} {reason}" for reason, count in hands.left_out.items())
        bets = f", {hands.mapped:,} of {hands.bets:,} bets mapped to sizes of the tree" if hands.bets else ""
        return f"{hands.about}{bets}{left}"


def model_of_hands(
    game: HoldemGame, prior: BucketedStrategy, mapped: MappedHands, trust: str = ROWS, weight: float | None = None
) -> TiltedModel:
    """The model of a player. weight: decisions in each row that the tilted blueprint is worth, above 0, where cards are
    known; None to learn it from them."""
    categories = Categories(game, prior)
    parts = by_sight(mapped.hands)
    evidence = [gather(categories, part) for part in parts]
    sharpness = learn_sharpness(evidence)
    evidence = [one.softened(sharpness) for one in evidence]
    strength = learn_strength(evidence)
    found = fit(evidence, strength)
    play = tilt_strategy(categories, found.weights, sharpness)
    seen = shown_actions(categories, mapped.hands) if mapped.all_shown else {}
    in_rows = learn_row_strength(categories, play, seen) if weight is None else weight
    add_rows(categories, play, seen, in_rows)
    counts = _counts(categories, list(zip(parts, evidence, strict=True)), found, trust, in_rows)
    return TiltedModel(play, counts, found, strength, sharpness, in_rows, mapped)


def checked_trust(trust: str) -> str:
    """What trust rests on."""
    if trust not in TRUSTS:
        alone = f"; in a text 'hands:...' it may rest on {TENDENCIES}" if trust == TENDENCIES else ""
        raise InputError(f"trust rests on {', '.join(TRUSTS[:-1])} or {TRUSTS[-1]}, not {quoted(trust)}{alone}")
    return trust


def tilt_strategy(categories: Categories, weights: F64, sharpness: float = 1.0) -> BucketedStrategy:
    """The strategy of a tilt. weights: (categories, KINDS) factors of actions."""

    def change(node: int, quantile: I64, rows: AnyArray) -> F64:
        one = categories.decisions[node]
        factor = weights[(one.context * QUANTILES + quantile)[None, :], one.kinds[:, None]]
        odds = np.asarray(rows, np.float64) + LEAST  # as the evidence has it
        if sharpness != 1.0:
            by_kind = np.zeros((len(KINDS), odds.shape[1]))
            np.add.at(by_kind, one.kinds, odds / odds.sum(axis=0))
            odds *= (soften_kinds(by_kind, sharpness) / np.maximum(by_kind, _TINY))[one.kinds]
        out: F64 = odds * factor
        same = (factor == 1.0).all(axis=0) & (sharpness == 1.0)
        return np.where(same, rows, out / out.sum(axis=0))

    return categories.changed(change)


def _counts(
    categories: Categories, evidence: Sequence[tuple[Sequence[MappedHand], Evidence]], found: Fit, trust: str,
    weight: float,
) -> BucketedStrategy:  # fmt: skip
    """Effective observations of what trust rests on."""
    if trust == LINES:
        at = Counter(one.node for part, _ in evidence for hand in part for one in hand.decisions)
        return change_rows(categories.game, categories.play, lambda node, rows: np.full(rows.shape, float(at[node])))
    if trust == HELD:
        seen, none = observed_strengths(evidence, found.weights), np.zeros(QUANTILES)
        return categories.changed(
            lambda node, quantile, rows: np.broadcast_to(seen.get(node, none)[quantile], rows.shape)
        )
    if trust == CATEGORIES:
        sums, decisions = found.observed.sum(axis=1), categories.decisions
        return categories.changed(
            lambda node, quantile, rows: np.broadcast_to(
                sums[decisions[node].context * QUANTILES + quantile], rows.shape
            )
        )
    hands = (
        (hand, None if hand.hole else odds)
        for part, one in evidence
        for hand, odds in zip(part, one.shares(found.weights), strict=True)
    )
    return row_counts(categories, hands, weight)


Play = TypeVar("Play")
_FOLD, _AGGRESSIVE = [0], [2, 3]
_SURE = 1e-3
"""The least probability of an action: one that the prior never takes may be a mistake of the prior."""
_STEPS, _FARTHEST = 30, 4.0
"""Newton's steps, and the most that log odds are moved."""
BOARDS = 10
"""Boards that the figures after the flop are measured on."""


class Tendency(NamedTuple):
    """A kind of decision with some of its actions. categories: (categories,) where it counts. kinds: of action."""

    name: str
    categories: Flags
    kinds: list[int]

    def share(self, numbers: F64) -> tuple[float, float]:
        """Of numbers (categories, KINDS): those of its actions, and of all actions there."""
        here = numbers[self.categories]
        return float(here[:, self.kinds].sum()), float(here.sum())


@dataclass(frozen=True, eq=False)
class GameTilt(Generic[Play]):
    """A player with other frequencies. play: both seats of the player. rows: by tendency or statistic, what the
    blueprint does, what was counted or asked for, and what the player does."""

    play: Play
    rows: tuple[FrequencyRow, ...]


def model_of_tendencies(game: HoldemGame, prior: BucketedStrategy, mapped: MappedHands) -> GameTilt[Deviation]:
    """A player with the tendencies that hands support, beside the blueprint. mapped: hands of the player, at least one."""
    (street, faced), known = place_of_context(np.repeat(np.arange(CONTEXTS), QUANTILES)), list[Tendency]()
    for number, name in enumerate(STREETS):
        known += [
            Tendency(f"{name}: fold", (street == number) & (faced != NOTHING_FACED), _FOLD),
            Tendency(f"{name}: raise", (street == number) & (faced == FACED_BET), _AGGRESSIVE),
            Tendency(f"{name}: bet", (street == number) & (faced == NOTHING_FACED), _AGGRESSIVE),
        ]
    categories = Categories(game, prior)
    parts = [gather(categories, part) for part in by_sight(mapped.hands)]
    context = np.concatenate([part.contexts for part in parts])
    seen = np.eye(len(KINDS))[np.concatenate([part.kind for part in parts])]
    expected = np.concatenate([part.prior_kinds() for part in parts])
    counted, bounds = dict[str, ObservedShare](), dict[str, tuple[float, float]]()
    for one in known:
        here = one.categories[context * QUANTILES]
        if here.any():
            taken, prior_share = (kinds[here][:, one.kinds].sum(axis=1) for kinds in (seen, expected))
            counted[one.name] = ObservedShare(round(float(taken.sum())), len(taken))
            bounds[one.name] = _interval(taken, prior_share)

    def figures(weights: Mapping[str, float]) -> dict[str, float]:
        moved = np.sum([part.expected(_factors(known, weights))[1] for part in parts], axis=0)
        shares = {one.name: one.share(moved) for one in known}
        return {name: k / n for name, (k, n) in shares.items() if n > 0.0}

    fit = fit_frequencies(figures, bounds)
    play = tilt_strategy(categories, _factors(known, fit.weights))
    return GameTilt(Deviation(play, prior), fit.rows(bounds, counted))


def _interval(taken: F64, expected: F64) -> tuple[float, float]:
    """The 95 % interval of a frequency in the decisions that were seen: that of the log odds by which the prior is moved
    (Wald's, by Fisher's information). taken: (decisions,) 1 where its actions were taken, else 0. expected: (decisions,)
    how likely the prior takes them there.

    What was seen is compared with what the prior does with that very hand, so that the luck of the cards cancels."""
    known, move, information = np.clip(expected, _SURE, 1.0 - _SURE), 0.0, 0.0
    for _ in range(_STEPS):
        share = _moved(known, move)
        information = float((share * (1.0 - share)).sum())
        move = float(np.clip(move + (taken - share).sum() / information, -_FARTHEST, _FARTHEST))
    error = NORMAL_975 / sqrt(information)
    return float(_moved(known, move - error).mean()), float(_moved(known, move + error).mean())


def _moved(share: F64, move: float) -> F64:
    """Probabilities with other log odds."""
    odds = share * exp(move)
    return odds / (odds + 1.0 - share)


def _factors(known: Sequence[Tendency], weights: Mapping[str, float]) -> F64:
    """(categories, KINDS) factors of actions. weights: logarithms by tendency."""
    found = np.ones((CONTEXTS * QUANTILES, len(KINDS)))
    for one in known:
        for kind in one.kinds:
            found[one.categories, kind] *= np.exp(weights.get(one.name, 0.0))
    return found


def tilt_game(
    game: HoldemGame, play: BucketedStrategy, figures: Mapping[str, float], boards: int = BOARDS, seed: int = 0
) -> GameTilt[BucketedStrategy]:
    """The smallest change of a blueprint with which a player meets figures against that blueprint. figures: shares by
    name in `seen_decisions.STATISTICS`."""
    classes = [one for player in (0, 1) for one in statistic_classes(game.betting, player)]
    measured = StrategyFigures(game, play, play)

    def tilted(weights: Mapping[str, float]) -> BucketedStrategy:
        shifts = shifts_by_node(game.betting, classes, weights)
        if not shifts:
            return play
        return change_rows(
            game, play, lambda node, rows: shift_rows(rows.T, shifts[node]).T if node in shifts else rows
        )

    def found(weights: Mapping[str, float]) -> dict[str, float]:
        return measured.of_strategy(tilted(weights)).figures(boards, seed)

    bounds = {name: (share, share) for name, share in figures.items()}
    fit = fit_frequencies(found, bounds)
    return GameTilt(tilted(fit.moved), fit.rows(bounds, {}))
