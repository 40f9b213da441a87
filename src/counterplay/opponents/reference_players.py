"""Reference opponents: uniform and random play, an equilibrium, responses to another opponent; another opponent changed at
random, or with some actions preferred; and the Leduc players of Milec et al. 2025.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.leduc import PHASE, ROUND_2
from counterplay.games.policy import Policy, policy_of
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.opponents.counting.estimate import Observations
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.blueprints.blueprint import shuffle_blueprint, usual_blueprint, usual_lanes
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import add_noise, observe_hands, random_strategy
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    change_rows,
    normalise_rows,
    uniform,
)
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.strategies.strategy_makers import DecisionRows, rows_at_once, strategies_of
from counterplay.texts.grammar import split_pairs
from counterplay.texts.readers import Head, NumberPairs, Positive, Real, Share, Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import visits

PASSIVE, AGGRESSIVE = PLAIN = ("passive", "aggressive")
"""Styles in whole games of hold'em."""
_MANY = 256
"""Blocks that are changed at a time."""


def factors_of(words: str) -> dict[str, float]:
    """The factors of a text such as `fold=10,raise=0.5`."""
    factors: dict[str, float] = {}
    for action, factor in split_pairs(words, "bias takes ACTION=FACTOR, as in bias:fold=10:nash"):
        check_new(action, factors, "bias")
        try:
            factors[action] = float(factor)
        except ValueError:
            raise InputError(f"bias: the factor must be a number, not {quoted(factor)}") from None
        if not 0.0 <= factors[action] < float("inf"):
            raise InputError(f"bias: the factor must be at least 0, not {factor}")
    return factors


def check_new(prefix: str, others: Iterable[str], what: str) -> None:
    """Reject a prefix that is given twice, ignoring case. what: whose they are, for the message."""
    if prefix.casefold() in map(str.casefold, others):
        raise InputError(f"{what}: duplicate action {quoted(prefix)}")


class ByPrefix:
    """Numbers by prefix of an action's name, ignoring case: the longest match counts. It remembers all names and matches."""

    def __init__(self, numbers: Mapping[str, float], default: float) -> None:
        self._numbers, self._default = numbers, default
        self._met, self._names = set[str](), set[str]()

    def of(self, names: Iterable[str]) -> F64:
        """(actions,) the number of each name; the default where no prefix matches."""
        names = list(names)
        starts = [self._longest(name) for name in names]
        self._names.update(names)
        self._met.update(start for start in starts if start is not None)
        return np.array([self._default if start is None else self._numbers[start] for start in starts])

    def check(self) -> None:
        """Reject a prefix that changes no name so far: none begins with it, or all that do match a longer one."""
        missing = next((start for start in self._numbers if start not in self._met), None)
        if missing is None:
            return
        names = sorted(self._names)
        if not names:
            raise InputError(f"no action begins with {quoted(missing)}, since the player has no decision here")
        longer = {self._longest(name): None for name in names if _begins(name, missing)}
        if longer:
            raise InputError(
                f"{quoted(missing)} changes nothing: every action that begins with it begins with "
                f"{' or '.join(map(quoted, longer))} too, and the longest of these counts"
            )
        raise InputError(f"no action begins with {quoted(missing)}; they are {', '.join(names[:12])}")

    def _longest(self, name: str) -> str | None:
        matches = (start for start in self._numbers if _begins(name, start))
        return max(matches, key=lambda start: len(start.casefold()), default=None)


def _begins(name: str, prefix: str) -> bool:
    return name.casefold().startswith(prefix.casefold())


@dataclass(frozen=True)
class Bias(OpponentModel):
    """Another opponent with the probabilities of some actions multiplied, and each row normalised again; a row whose
    products are all 0 is left unchanged.

    Attributes:
        factors: factors by prefix of an action's name, ignoring case; the longest match counts; a mapping is
            accepted.
        to: the opponent that is changed.
    """

    HEAD = "bias"
    factors: Annotated[tuple[tuple[str, float], ...], NumberPairs(parse=factors_of, example="raise=2")]
    to: Annotated[OpponentModel | str, MODELS.nested(CHANGED)]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """Raises: InputError: a prefix that no action has; the message names it."""
        inner, factors = self.inner.strategy(game, player, seed), ByPrefix(dict(self.factors), 1.0)

        def biased(decision: DecisionRows, rows: F64) -> F64:
            after = rows * factors.of(decision.actions)[:, None]
            total = after.sum(axis=0)
            return np.where(total > 0.0, after / np.where(total > 0.0, total, 1.0), rows)

        changed: Strategy = strategies_of(game).changed(inner, biased)
        factors.check()
        return changed

    def make_blueprint(self, game: HoldemGame, seed: int) -> BucketedStrategy:
        return bias_actions(game, self.bucketed(game, seed), dict(self.factors))


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """The strategy that always checks and calls, or always bets and raises."""

    def only(node: int, rows: AnyArray) -> F64:
        moves = [int(game.betting.move[child]) for child in game.betting.children(node)]
        calls = [k for k, move in enumerate(moves) if move in (Move.CHECK, Move.CALL)]
        choice = calls[0] if style == PASSIVE else len(moves) - 1
        return np.broadcast_to(np.eye(len(rows))[:, [choice]], rows.shape)

    return change_rows(game, uniform(game), only)


def bias_actions(game: HoldemGame, play: BucketedStrategy, numbers: Mapping[str, float]) -> BucketedStrategy:
    """A strategy with the probability of some actions multiplied, as `Bias` has it."""
    factors = ByPrefix(numbers, 1.0)

    @cache
    def factors_at(node: int) -> F64:
        by = factors.of(game.betting.actions(node))[:, None]
        return np.asarray(by / max(1.0, by.max()), np.float64)  # so that sums stay finite

    def changed(node: int, rows: AnyArray) -> AnyArray:
        after = rows * factors_at(node)
        weights = np.where(after.sum(axis=0) > 0.0, after, rows)
        return normalise_rows(weights, np.array([[node, 0, 0, len(rows)]]))

    def joined(blocks: list[AnyArray]) -> list[AnyArray]:  # a lossless blueprint has thousands, each of few hands
        return [np.hstack(blocks[k : k + _MANY]) for k in range(0, len(blocks), _MANY)]

    wide = tuple((joined(one), joined(two)) for one, two in play.tables)
    found = change_rows(game, replace(play, tables=wide), changed)
    factors.check()
    pairs = zip(found.tables, play.tables, strict=True)
    return replace(found, tables=tuple((_apart(new[0], old[0]), _apart(new[1], old[1])) for new, old in pairs))


def _apart(tables: list[AnyArray], blocks: list[AnyArray]) -> list[AnyArray]:
    """The blocks of such tables, each as wide as its twin in `blocks`."""
    found = list[AnyArray]()
    for k, table in enumerate(tables):
        ends = np.cumsum([block.shape[1] for block in blocks[k * _MANY : (k + 1) * _MANY]])
        found += map(np.ascontiguousarray, np.split(table, ends[:-1], axis=1))
    return found


_LARGEST = 1e9
"""The largest alpha of a Dirichlet distribution; beyond it sums overflow."""


@dataclass(frozen=True)
class Uniform(OpponentModel):
    """Every legal action with equal probability."""

    HEAD = "uniform"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).uniform(player)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return uniform(game)

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.HEAD)


@dataclass(frozen=True)
class Random(OpponentModel):
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution. seed: seed of the draws; None takes
    the caller's. alpha: 1 is uniform over strategies; smaller values give purer ones."""

    HEAD = "random"
    seed: Annotated[int | None, Whole(what="the seed")] = None
    alpha: Annotated[float, Positive(most=_LARGEST)] = 1.0

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        seed = seed if self.seed is None else self.seed
        return strategies_of(game).random(player, seed, self.alpha)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return random_strategy(game, usual_lanes(game), seed if self.seed is None else self.seed, self.alpha)


@dataclass(frozen=True)
class Nash(OpponentModel):
    """An equilibrium strategy, always the same one."""

    HEAD = "nash"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).equilibrium(player)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return usual_blueprint(game).play


@dataclass(frozen=True)
class BestResponseTo(OpponentModel):
    """A best response to `to`, which plays the other seat."""

    HEAD = "br"
    to: Annotated[OpponentModel | str, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        other = self.inner.strategy(game, 1 - player, seed)
        return strategies_of(game).best_response(player, other)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return best_response(game, self.inner.blueprint(game, seed))


@dataclass(frozen=True)
class Noise(OpponentModel):
    """At every infoset uniform with probability `weight`, else as `to`."""

    HEAD = "noise"
    weight: Annotated[float, Share(what="the weight", example="0.2")]
    to: Annotated[OpponentModel | str, MODELS.nested(CHANGED)]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        return strategies_of(game).noisy(self.inner.strategy(game, player, seed), self.weight)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return add_noise(game, self.inner.blueprint(game, seed), self.weight)

    def policy(self, game: FastGame) -> Policy | None:
        inner = self.inner.policy(game)
        if inner is None:
            return None
        return Policy(str(self), inner.record, 1.0 - (1.0 - self.weight) * (1.0 - inner.noise))


@dataclass(frozen=True)
class Shuffle(OpponentModel):
    """With probability `share` an infoset's probabilities are multiplied by uniform draws from (0, 1) and normalised
    (Liu et al. 2022). share: expected share of shuffled infosets. to: the opponent that is changed. seed: seed of the
    draws; None takes the caller's."""

    HEAD = "shuffle"
    share: Annotated[float, Share(what="the share", example="0.2")]
    to: Annotated[OpponentModel | str, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        inner = self.inner.strategy(game, player, seed)
        seed = seed if self.seed is None else self.seed
        rows, draws = rows_at_once(inner.tree, spare=1)  # the first draw of a row decides whether it is shuffled
        drawn, behaviour = np.random.default_rng(seed).random(draws), np.array(inner.behaviour)
        for sequences, last in rows:
            n = sequences.shape[1]
            chosen = drawn[last - n - 1] < self.share
            where, own = sequences[chosen], last[chosen][:, None] - n + np.arange(n)
            changed = behaviour[where] * (1.0 - drawn[own])
            behaviour[where] = changed / changed.sum(axis=1, keepdims=True)
        return Strategy(inner.tree, behaviour, {"seed": seed}, inner.counts)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        rng = np.random.default_rng(seed if self.seed is None else self.seed)
        return shuffle_blueprint(game, self.bucketed(game, seed), self.share, rng)


@dataclass(frozen=True)
class Observed(OpponentModel):
    """Relative frequencies of another opponent's actions in sampled hands against a uniform player, all cards shown.

    Unobserved infosets are uniform and have count 0. The counts feed the data-biased response. hands: number of hands.
    to: the observed opponent. seed: seed of the hands; None takes the caller's."""

    HEAD = "observed"
    hands: Annotated[int, Whole(what="hands", least=1, example="1000")]
    to: Annotated[OpponentModel | str, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: Any, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            raise InputError(f"hands of {game.name} cannot be observed, since its opponent is a range")
        observed = self.inner.strategy(game, player, seed)
        seed, tree = seed if self.seed is None else self.seed, observed.tree
        plans = [observed.plan if i == tree.player else Strategy.uniform(game.trees[i]).plan for i in (0, 1)]
        ends = np.flatnonzero(game.histories.player == TERMINAL)
        first, second = (game.sequences[i][ends] for i in (0, 1))
        odds = game.histories.reach[ends] * plans[0][first] * plans[1][second]
        drawn = np.random.default_rng(seed).multinomial(self.hands, odds / odds.sum())
        last = np.bincount((first, second)[tree.player], weights=drawn, minlength=tree.size).astype(np.float64)
        seen, counts = visits(tree, last)
        behaviour = tree.normalised(seen, tree.uniform(), counts)
        return Strategy(tree, behaviour, {"hands": self.hands, "seed": seed}, counts)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        own = seed if self.seed is None else self.seed
        return observe_hands(game, self.inner.blueprint(game, seed), usual_lanes(game), self.hands, own)


# The rounds in which the player is aggressive, and whether it folds there where only Fold and Call are left.
_AGGRESSIVE = {
    "s1": ((2,), False), "s2": ((1,), False), "s3": ((2,), True), "s4": ((1,), True),
    "passive": ((), False), "aggressive": ((1, 2), False),
}  # fmt: skip
STYLES = tuple(_AGGRESSIVE)


@dataclass(frozen=True)
class LeducPlayer(OpponentModel):
    """S1 checks or folds in round 1, bets or raises in round 2, and calls there if it cannot raise; S2 does the
    reverse; S3 and S4 are S1 and S2 but fold in their aggressive round if only fold and call are legal. `passive` and
    `aggressive` play the same in both rounds (tight-passive and loose-aggressive). style: one of `STYLES`."""

    style: Annotated[str, Head(words=STYLES)]

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        round_of = _round_reader(game)
        aggressive, gives_up = _AGGRESSIVE[self.style]
        labels, table = game.trees[player].labels, {}
        for state, infoset, names in zip(game.states(game.first[player]), labels.infosets, labels.actions, strict=True):
            if round_of(state) in aggressive:
                choice = "Raise" if "Raise" in names else "Fold" if gives_up else "Call"
            else:
                choice = "Fold" if "Fold" in names else "Call"
            table[infoset] = {name: float(name == choice) for name in names}
        return Strategy.from_table(game.trees[player], table)

    @property
    def plays_whole_games(self) -> bool:
        return self.style in PLAIN

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return play_style(game, self.style)


def _round_reader(game: Any) -> Any:
    """A function from a state to its round, 1 or 2."""
    rules = game.rules
    if isinstance(rules, FastGame) and rules.name.split(":")[0] == "leduc":
        return lambda state: 2 if state[PHASE] == ROUND_2 else 1
    if isinstance(rules, OpenSpielGame) and rules.game.get_type().short_name == "leduc_poker":
        return lambda state: 2 if "[Round 2]" in state.information_state_string() else 1
    raise InputError(f"{', '.join(STYLES)} play Leduc poker, not {game.name}")


PRECISIONS = (0.0, *(0.05 * 1.5**step for step in range(16)))
"""Precisions that hands choose from, per chip."""
_LEAST = 1e-300


@dataclass(frozen=True)
class QuantalResponse(OpponentModel):
    """The logit response to `to` (McKelvey and Palfrey 1998).

    An action's probability is in proportion to exp(precision · its expected chips), where the player responds like this
    afterwards, too.

    Attributes:
        precision: per chip; 0 is uniform play, and a best response is the limit.
        to: the other seat's strategy.
    """

    HEAD = "logit"
    precision: Annotated[float, Real(what="the precision", example="2", most=1e6)]
    to: Annotated[OpponentModel | str, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            raise InputError(f"{self.HEAD} needs the histories of a game, and {game.name} is not listed by them")
        other = self.inner.strategy(game, 1 - player, seed)
        return Strategy(game.trees[player], logit_response(game, player, other, self.precision))


def logit_response(game: AnyGame, player: int, other: Strategy, precision: float) -> F64:
    """(size,) the behaviour of the logit response."""
    tree = game.trees[player]
    values, behaviour = game.payoff.product(player, other.plan), tree.uniform()
    reaches = counterfactual_reach(game, player, other.plan)  # type: ignore[arg-type]
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        # (actions, infosets) values of a group, weighted by chance and by the other player.
        rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
        chips = precision * rows / np.maximum(reaches[lane : lane + count], _LEAST)
        odds = np.exp(chips - chips.max(axis=0))
        odds /= odds.sum(axis=0)
        behaviour[offset : offset + n * width].reshape(n, width)[:, :count] = odds
        np.add.at(values, tree.arrays.parent[lane : lane + count], (odds * rows).sum(axis=0))
    return behaviour


def fit_logit(
    game: AnyGame, player: int, data: Observations, other: Strategy, precisions: Iterable[float] = PRECISIONS
) -> tuple[F64, float]:
    """(size,) the behaviour of the logit response that observations make most likely, and its precision."""
    if not data.hands.any():
        raise InputError("a quantal response is learned from hands, and none were seen")
    compared = list(precisions)
    if not compared or not all(0.0 <= one < float("inf") for one in compared):
        raise InputError(f"precisions are numbers from 0 on, at least one, not {quoted(compared)}")
    fits = [(logit_response(game, player, other, one), one) for one in compared]
    return max(fits, key=lambda fit: data.score(fit[0])[0])
