"""Counts of an opponent's decisions from observed hands: the strategy that they make likely, and its posterior."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.estimate import (
    Estimate,
    Observations,
    checked_weight,
    convex_program,
    effective_counts,
    expectation_maximisation,
    frequencies,
    learn_weight,
    public_state_of_lanes,
    street_of_sequences,
)
from counterplay.opponents.counting.terminal_infosets import SHOWN, TerminalInfosets, consistent_ends
from counterplay.opponents.model import MODELS
from counterplay.opponents.reference_players import PRECISIONS, fit_logit
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.arguments import COUNT, NUMBER, SEED, SEVERAL, WHOLE, Checked, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach, visits
from counterplay.treeplex.treeplex import Treeplex

_LEAST = 1e-3
"""Least parameter of a Dirichlet distribution, for actions that the prior never takes."""


@dataclass(frozen=True)
class GainSpread:
    """Spread of a gain over the posterior, in chips a hand of the responder. It is not a confidence interval: errors of
    the prior at infosets without hands average out in it, and a response seeks them. mean: the expected gain.
    spread_low, spread_high: the ends of the middle part of the draws. spread_share: of the draws in that part."""

    mean: float
    spread_low: float
    spread_high: float
    spread_share: float


@dataclass(frozen=True, eq=False)
class Posterior(metaclass=Checked):
    """Strategies that the hands and the prior leave possible.

    Attributes:
        game: compiled.
        samples: equally likely strategies.
    """

    game: GameTree
    samples: tuple[Strategy, ...]

    def __post_init__(self) -> None:
        strategies = isinstance(self.samples, tuple) and all(isinstance(one, Strategy) for one in self.samples)
        if not (strategies and self.samples):
            raise InputError("a posterior has at least one strategy, in a tuple")
        if not all(one.player == self.samples[0].player and one.is_of(self.game) for one in self.samples):
            raise InputError(f"the strategies of a posterior must be of one seat in {self.game.name}")

    def __repr__(self) -> str:
        return brief(self, self.game.name, f"{len(self.samples)} strategies of seat {self.samples[0].player}")

    @cached_property
    def mean(self) -> Strategy:
        """The strategy of the mean plan: payoffs are linear in plans, so the expected gain of any response over the
        posterior is its gain against this one."""
        plans = np.mean([one.plan for one in self.samples], axis=0)
        return Strategy.from_plan(self.samples[0].tree, plans, {"game": self.game.name, "method": "posterior mean"})

    def gain(self, response: Strategy, share: float = 0.9) -> GainSpread:
        """The gain of a response over the posterior, and its spread.

        Args:
            response: a strategy of the other seat.
            share: of the draws between the ends of the spread.

        Raises:
            InputError: a strategy of another seat or game.
        """
        seat = 1 - self.samples[0].player
        if response.player != seat or not response.is_of(self.game):
            raise InputError(f"the response must be a strategy of seat {seat} in {self.game.name}")
        own = self.game.payoff.product(1 - seat, response.plan)  # chips of the opponent for each of their sequences
        value = equilibrium_of(self.game).bound(seat)
        gains = np.array([-float(own @ one.plan) - value for one in self.samples])
        low, high = np.quantile(gains, [0.5 - share / 2.0, 0.5 + share / 2.0])
        return GainSpread(float(gains.mean()), float(low), float(high), share)


def draw_behaviours(
    data: Observations, prior: F64, weight: float, samples: int, *, sweeps: int = 40, seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> list[F64]:  # fmt: skip
    """Behaviours (size,) from the posterior under Dirichlet priors, by Gibbs sampling. prior: (size,) behaviour. weight:
    observations of an infoset that the prior is worth, above 0. samples: number of chains. watch: called with the number
    of finished chains.

    Each is the end of a chain of its own, which begins at a draw from the prior, so that strategies between which the
    hands cannot decide are met in their breadth. A sweep draws the hidden hands given the strategy, then the strategy
    given them.

    The prior is Dirichlet(weight p), so that where all is shown the mean is the estimate of EM. The density that EM
    maximises, Dirichlet(1 + weight p), would add a uniform observation of each action that neither hands nor prior have.
    """
    if not weight > 0.0:
        raise InputError("a posterior needs a prior with a weight above 0")
    if samples < 1 or sweeps < 0:
        raise InputError(f"a posterior needs samples and sweeps, not {samples} and {sweeps}")
    draw, tree, found = np.random.default_rng(seed), data.tree, list[F64]()
    shares = _Shares(data)
    for number in range(samples):
        behaviour = _drawn_behaviour(tree, weight * prior, draw)
        for _ in range(sweeps):
            last = np.bincount(data.sequence, shares.drawn(reach(tree, behaviour), draw), tree.size).astype(np.float64)
            behaviour = _drawn_behaviour(tree, visits(tree, last)[0] + weight * prior, draw)
        found.append(behaviour)
        if watch is not None:
            watch(number + 1)
    return found


class _Shares:
    """Draws how often each entry of the observations happened."""

    def __init__(self, data: Observations) -> None:
        self.data = data
        start = np.searchsorted(data.row, np.arange(len(data.hands)))
        place = np.arange(len(data.row)) - start[data.row]
        self.places = [np.flatnonzero(place == k) for k in range(int(place.max(initial=-1)) + 1)]

    def drawn(self, plan: F64, draw: np.random.Generator) -> I64:
        """(m,) hands of each entry: a multinomial draw in every observation, entry by entry."""
        data = self.data
        share = data.shares(plan)
        left, rest = np.rint(data.hands).astype(np.int64), np.ones(len(data.hands))
        last = np.bincount(data.row, minlength=len(data.hands)) - 1
        found = np.zeros(len(data.row), np.int64)
        for k, entries in enumerate(self.places):
            row = data.row[entries]
            odds = np.divide(share[entries], rest[row], out=np.zeros(len(entries)), where=rest[row] > 1e-12)
            odds = np.where(last[row] == k, 1.0, np.clip(odds, 0.0, 1.0))
            found[entries] = draw.binomial(left[row], odds)
            left[row] -= found[entries]
            rest[row] -= share[entries]
        return found


def _drawn_behaviour(tree: Treeplex, parameters: F64, draw: np.random.Generator) -> F64:
    """A behaviour drawn from Dirichlet distributions with these parameters (size,)."""
    inner, drawn = np.flatnonzero(tree.owner >= 0), np.zeros(tree.size)
    drawn[inner] = draw.standard_gamma(np.maximum(parameters[inner], _LEAST)) + 1e-300
    return tree.normalised(drawn, tree.uniform())


_MOST_TIMES = 1e15
AUTO = "auto"
EM, CONVEX, FREQUENCIES = ESTIMATORS = ("em", "convex", "frequencies")
"""Expectation maximisation with a prior, the convex program without one, frequencies of shown hands alone."""
LOGIT = "logit"
"""In place of an estimator, where a model is asked for by a text: the quantal response to the prior's other seat."""


class HandCounts:
    """Evidence of hands about a player's strategy in any world: each different observation once, and how often it was
    made.

    A world gives the treeplex of `observations`, the public state and the street of its infosets, the part of a
    strategy there (`seen_part`), and the strategy with another part (`_model`); here those of a game in memory. hands:
    number of hands seen."""

    def __init__(self, game: Any, seat: int) -> None:
        self.game, self.seat = game, seat
        self.hands: float = 0
        self._numbers: dict[bytes, int] = {}
        self._sets: list[tuple[I64, F64]] = []
        self._times: list[float] = []

    def __repr__(self) -> str:
        return brief(self, self.game.name, f"seat {self.seat}", f"{self.hands:,} hands")

    def _add(self, key: bytes, times: float, entries: Callable[[], tuple[I64, F64]]) -> None:
        """Count an observation. entries: its sequences (m,) and their weights."""
        if key not in self._numbers:
            self._sets.append(entries())
            self._times.append(0.0)
            self._numbers[key] = len(self._times) - 1
        self._times[self._numbers[key]] += times
        self.hands += times

    def _data(self, tree: Treeplex, places: I64 | None = None) -> Observations:
        """The hands as data of a likelihood. places: of the entries' sequences in the treeplex, if they are others."""
        row = np.repeat(np.arange(len(self._sets)), [len(of) for of, _ in self._sets])
        sequences = np.concatenate(
            [np.zeros(0, np.int64), *(of if places is None else places[of] for of, _ in self._sets)]
        )
        weights = np.concatenate([np.zeros(0), *(of for _, of in self._sets)])
        return Observations(tree, row, sequences, weights, np.array(self._times))

    @property
    def observations(self) -> Observations:
        """The hands as data of a likelihood."""
        return self._data(self.game.trees[self.seat])

    @property
    def public_states(self) -> I64:
        """(lanes,) a number of the public state of each infoset of `observations`; -1 in padding."""
        return public_state_of_lanes(self.game, self.seat)

    @property
    def streets(self) -> I64:
        """(size,) the street, from 0, of each sequence of `observations`; -1 of the empty one and in padding."""
        return street_of_sequences(self.game, self.seat)

    def seen_part(self, strategy: Strategy) -> Strategy:
        """A strategy as `observations` take it."""
        return strategy

    def _model(self, start: Strategy, behaviour: F64, counts: F64, facts: Mapping[str, Any]) -> Strategy:
        """The prior strategy with a fitted behaviour (size,) and effective counts (lanes,) of `observations`."""
        return Strategy(start.tree, behaviour, dict(facts), counts)

    def _prior(self, prior: Any, seed: int) -> Any:
        start = prior if hasattr(prior, "behaviour") else MODELS.record(prior).strategy(self.game, self.seat, seed)
        if not strategies_of(self.game).owns(start, self.seat):
            raise InputError(f"the prior must be a strategy of seat {self.seat} in {self.game.name}")
        return start

    @takes(seed=SEED, rounds=COUNT)
    def strategy(
        self, prior: Any = "uniform", weight: float | str = AUTO, by: str = EM, *, seed: int = 0, rounds: int = 50
    ) -> Strategy:
        """The player's strategy as the hands and a prior have it, with effective counts of each infoset.

        Args:
            prior: a strategy of the seat, or any opponent's text or record.
            weight: observations of an infoset that the prior is worth; `auto` learns it on held-out hands.
            by: `em`; `convex`, the maximum of the likelihood, where the prior only fills what was not seen; `frequencies`
                of shown hands alone, which are biased where what is shown depends on the hand.
            seed: of a random prior, and of the parts that `auto` holds out.
            rounds: the most of EM.

        Raises:
            InputError: another estimator, or a weight that is no number of at least 0.
        """
        start, data = self._prior(prior, seed), self.observations
        fitted, weight = self.fit(data, self.seen_part(start).behaviour, weight, by, seed, rounds)
        counts = fitted.visits
        if by != FREQUENCIES:
            counts = effective_counts(self.public_states, data, fitted.behaviour, weight)
        named = prior if isinstance(prior, str) else str(start.facts.get("method", "strategy"))
        facts = {
            "game": self.game.name, "method": f"hands by {by}", "hands": self.hands, "prior": named, "weight": weight,
            "gap": fitted.gap,
        }  # fmt: skip
        return self._model(start, fitted.behaviour, counts, facts)

    @staticmethod
    def fit(
        data: Observations, prior: F64, weight: float | str, by: str = EM, seed: int = 0, rounds: int = 50
    ) -> tuple[Estimate, float]:
        """The estimate of some observations, and the weight of the prior (size,); arguments as in `strategy`."""
        if by not in ESTIMATORS:
            raise InputError(f"a model is made by {', '.join(ESTIMATORS)}, not {quoted(by)}")
        if by == CONVEX:
            if weight != AUTO:
                raise InputError("the convex program has no weight of a prior: leave it out, or estimate by em")
            return convex_program(data, prior), 0.0

        def at(part: Observations, given: float) -> Estimate:
            if by == FREQUENCIES:
                return frequencies(part, prior, given)
            return expectation_maximisation(part, prior, given, rounds)

        number = learn_weight(data, at, seed) if weight == AUTO else checked_weight(weight)
        return at(data, number), number


class Counts(HandCounts, metaclass=Checked):
    """Evidence of hands about a player's strategy in a game in memory.

        counts = cp.Counts(game, seat=1)
        counts.see(hand)
        model = counts.strategy(prior="nash")

    Args:
        game: from `load`.
        seat: the observed player's, 0 or 1.
        own: the strategy of the other seat; needed only where a hand hides what that seat knew.

    Raises:
        InputError: a game that does not list its histories, or another seat.
    """

    def __init__(self, game: Any, seat: int, own: Strategy | None = None) -> None:
        game = as_compiled(game)
        if game.enters_boards_alone:
            raise InputError(
                f"hands of {game.name} are not counted by Counts, since its opponent is a range; hands:FILE,player=NAME is "
                "the model of a log"
            )
        if seat not in (0, 1):
            raise InputError(f"the observed seat must be 0 or 1, not {seat}")
        if own is not None and not (own.player == 1 - seat and own.is_of(game)):
            raise InputError(f"the own strategy must be one of seat {1 - seat} in {game.name}")
        super().__init__(game, seat)
        self.own = own

    @takes(times=NUMBER)
    def see(self, hand: Any, times: int = 1) -> None:
        """Count a hand.

        Args:
            hand: an `ObservedHand`; or the record of a hand of a match, in which all is shown.
            times: how often it was seen.

        Raises:
            InputError: no hand of the game is like this, or it hides what both players held and `own` is not given.
        """
        self.see_ends(consistent_ends(self.game, hand), times)

    @takes(hands=SEVERAL)
    def see_all(self, hands: Iterable[Any]) -> None:
        """Count several hands; errors as in `see`, with the number of the hand."""
        for number, hand in enumerate(hands, 1):
            try:
                self.see(hand)
            except InputError as error:
                raise InputError(f"hand {number}: {error}") from None

    def see_ends(self, ends: I64, times: float = 1) -> None:
        """Count a hand by the ends (n,) that it may have had. times: how often it was seen, from 0 to 10^15; expected
        numbers, too. Errors as in `see`."""
        if not isinstance(times, Real) or not 0.0 <= times <= _MOST_TIMES:
            raise InputError(f"a hand is seen from 0 to {_MOST_TIMES:.0e} times, not {quoted(times)}")
        ends = np.sort(np.asarray(ends, np.int64))
        self._add(ends.tobytes(), times, lambda: self._entries(ends))

    def see_sampled(self, seen: TerminalInfosets, hands: I64 | F64) -> None:
        """Count many hands by their ends, as a seat sees them. hands: (T,) number of hands at each of `seen.ends`."""
        by_label = np.bincount(seen.label, hands, int(seen.label.max()) + 1)
        for label in np.flatnonzero(by_label).tolist():
            self.see_ends(seen.ends[seen.groups.of(label)], _whole(float(by_label[label])))

    def _entries(self, ends: I64) -> tuple[I64, F64]:
        """The observed player's sequences among the ends (n,) of a hand, and their weights."""
        weight, mine = self.game.histories.reach[ends], self.game.sequences[1 - self.seat][ends]
        if self.own is not None:
            weight = weight * self.own.plan[mine]
        elif len(np.unique(mine)) > 1:
            raise InputError(f"a hand hides what player {1 - self.seat} held; give that player's strategy as own=")
        if not weight.sum() > 0.0:
            raise InputError("a hand cannot happen by the own strategy")
        sequence, inverse = np.unique(self.game.sequences[self.seat][ends], return_inverse=True)
        return sequence.astype(np.int64), np.bincount(inverse, weight) / weight.sum()

    @property
    def ends(self) -> list[I64]:
        """The ends (n,) of each observation of `observations`."""
        return [np.frombuffer(key, np.int64) for key in self._numbers]

    def part(self, times: F64) -> Counts:
        """Some of the hands. times: (n,) how often each observation of `observations` was made."""
        found = copy(self)
        found._times, found.hands = times.tolist(), _whole(float(times.sum()))
        found._numbers, found._sets = self._numbers.copy(), self._sets.copy()
        return found

    @takes(samples=WHOLE, sweeps=WHOLE, seed=SEED)
    def posterior(
        self, samples: int = 30, prior: Any = "uniform", weight: float | str = AUTO, *, sweeps: int = 40, seed: int = 0
    ) -> Posterior:
        """Strategies that the hands and the prior leave possible, drawn from the posterior.

        Args:
            samples: number of strategies.
            prior, weight: as in `strategy`; the weight must be above 0.
            sweeps: rounds of Gibbs sampling for each.
            seed: of the draws.

        Raises:
            InputError: a weight of 0, no samples, or a negative number of sweeps.
        """
        start, data = self._prior(prior, seed), self.observations
        number = self.fit(data, start.behaviour, weight, EM, seed)[1] if weight == AUTO else checked_weight(weight)
        drawn = draw_behaviours(data, start.behaviour, number, samples, sweeps=sweeps, seed=seed)
        facts = {"game": self.game.name, "method": "posterior", "hands": self.hands}
        return Posterior(self.game, tuple(Strategy(start.tree, one, facts) for one in drawn))

    @takes(seed=SEED, precisions=SEVERAL)
    def quantal_response(
        self, to: Any = "nash", precisions: Iterable[float] = PRECISIONS, *, seed: int = 0
    ) -> Strategy:
        """The most likely logit response to a strategy of the other seat: one number is learned from the hands.

        Args:
            to: a strategy of the other seat, or any opponent's text or record.
            precisions: those that are compared; errors as in `fit_logit`.
            seed: of a random `to`.
        """
        model = to if isinstance(to, Strategy) else MODELS.record(to).strategy(self.game, 1 - self.seat, seed)
        data = self.observations
        best, precision = fit_logit(self.game, self.seat, data, model, precisions)
        facts = {"game": self.game.name, "method": f"logit with precision {precision:g}", "hands": self.hands}
        counts = effective_counts(self.public_states, data, best, 0.0)
        return Strategy(self.game.trees[self.seat], best, facts | {"precision": precision}, counts)


def counts_of_player(
    game: Any, seat: int, hands: Iterable[Any], player: str, reveal: str = SHOWN, own: Strategy | None = None
) -> Counts:
    """The hands of a player in one seat, counted."""
    counts = Counts(game, seat, own)
    seen, known = TerminalInfosets(counts.game, 1 - seat, reveal), dict[Any, I64]()
    for hand in hands:
        if hand.players[seat] != player:
            continue
        key = hand.game, tuple(map(tuple, hand.moves)), hand.won
        try:
            if key not in known:
                known[key] = seen.ends_of(hand)
            counts.see_ends(known[key])
        except InputError as error:
            raise InputError(f"{hand.place}: {error}") from None
    if not counts.hands:
        raise InputError(f"there are no hands of {quoted(player)} in seat {seat}")
    return counts


def _whole(times: float) -> float:
    return int(times) if times.is_integer() else times
