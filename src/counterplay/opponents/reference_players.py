"""Reference opponents: uniform and random play, an equilibrium, the best response to another opponent; another opponent
changed at random; and the Leduc players of Milec et al. 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.leduc import PHASE, ROUND_2
from counterplay.games.policy import Policy, policy_of
from counterplay.opponents.bias import STYLES as PLAIN
from counterplay.opponents.bias import play_style
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import shuffle_blueprint, usual_blueprint, usual_lanes
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import add_noise, observe_hands, random_strategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, uniform
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.strategies.strategy_makers import rows_at_once, strategies_of
from counterplay.texts.readers import Head, Positive, Share, Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import visits

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
    to: Annotated[OpponentModel, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        other = self.to.strategy(game, 1 - player, seed)
        return strategies_of(game).best_response(player, other)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return best_response(game, self.to.blueprint(game, seed))


@dataclass(frozen=True)
class Noise(OpponentModel):
    """At every infoset uniform with probability `weight`, else as `to`."""

    HEAD = "noise"
    weight: Annotated[float, Share(what="the weight", example="0.2")]
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        return strategies_of(game).noisy(self.to.strategy(game, player, seed), self.weight)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return add_noise(game, self.to.blueprint(game, seed), self.weight)

    def policy(self, game: FastGame) -> Policy | None:
        inner = self.to.policy(game)
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
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        inner = self.to.strategy(game, player, seed)
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
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: Any, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            raise InputError(f"hands of {game.name} cannot be observed, since its opponent is a range")
        observed = self.to.strategy(game, player, seed)
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
        return observe_hands(game, self.to.blueprint(game, seed), usual_lanes(game), self.hands, own)


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
