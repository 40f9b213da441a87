"""Opponents that change another one at random: noise, shuffled probabilities, and models of observed hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import shuffle_blueprint, usual_lanes
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import add_noise, observe_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.strategies.decision_rows import rows_at_once
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.readers import Share, Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.visits import visits


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
    """With probability `share` an infoset's probabilities are multiplied by uniform draws from (0, 1) and normalised (Liu et
    al. 2022).

    Attributes:
        share: expected share of shuffled infosets.
        to: the opponent that is changed.
        seed: seed of the draws; None takes the caller's.
    """

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

    Unobserved infosets are uniform and have count 0. The counts feed the data-biased response.

    Attributes:
        hands: number of hands.
        to: the observed opponent.
        seed: seed of the hands; None takes the caller's.
    """

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
