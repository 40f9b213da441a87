"""What learning agents count in each world: ends of games in memory, actions by situation in spots, hands of hold'em; and
what an opponent has given away for certain, and what may therefore be risked (Ganzfried and Sandholm 2015).

Against a plan of ours, the opponent's best response has a value; every action below it loses some of it. Of a hand it is
known that the opponent plays the actions that were seen with at least one of the hidden hands that agree with them. So
whatever they do elsewhere, the hand was worth at least our worst case plus the least of these losses. The sum of these
bounds over hands, less the value of the game, may be risked: the total expectation stays at least that of an equilibrium.

How a loss is counted is the *credit*. `sure`: weighted by the probability with which chance and we bring the opponent there,
which is what an opponent gives who acts like this whenever there. No larger number is safe: who plays the least of them, and
best elsewhere, gives exactly that. `mean`: not weighted, since the hand has been there. Over many hands its mean is exactly
what the opponent gives where all is shown, and less where cards are hidden; so the expected total still is that of an
equilibrium, but the sum on the way may be ahead of what was given, by luck of the deal.

In a spot the deal is chance's: holding one hand rather than another is no mistake. A loss at a decision is therefore
weighted by the hand's share of the range, which the CFVs of a spot leave out, and by all else that brings the opponent
there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from math import exp

import numpy as np

from counterplay.agents.agent import StrategyAgent
from counterplay.agents.learning.learning_agent import SOFT, Governor, Study
from counterplay.agents.records import EVIDENCE, GIFTS, SURE, LearningBot
from counterplay.agents.worlds.histories import ListedAgent
from counterplay.agents.worlds.spot import SpotAgent
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.lookahead.search import LookAhead
from counterplay.opponents.counting.terminal_infosets import Move, ObservedHand, consistent_ends
from counterplay.opponents.counts import Counts
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.opponent import opponent
from counterplay.opponents.spot_counts import SeenHand, SpotObserver, sequences_at
from counterplay.opponents.tilting.mapped_hands import MappedHand, MappedHands, log_likelihood, map_hand
from counterplay.opponents.tilting.spot_tilt import situations, tilt_spot
from counterplay.opponents.tilting.tilted_model import model_of_hands
from counterplay.opponents.villain.seen_decisions import ObservedShare
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.solution import SolvedSpot, met_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.responses.method import Method
from counterplay.responses.methods import DBR, RNR, SES, Safe
from counterplay.responses.respond import respond
from counterplay.responses.whole_game import SampledResponses, lanes_of, start_of
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.strategies.strategy_makers import locked_strategy
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, best_cfvs
from counterplay.treeplex.treeplex import Treeplex

_METHODS: dict[str, Callable[[float], Method]] = {
    DBR.HEAD: lambda p: DBR(p=p),
    RNR.HEAD: lambda p: RNR(p=p),
    SES.HEAD: lambda alpha: SES(alpha=alpha, look=LookAhead(1)),
}
"""Methods with a trust in the model; that of SES is its alpha."""
MOST_HANDS = 3000
"""The latest hands that a model of whole hold'em is made of."""
ITERATIONS = 1000
"""Of public chance sampling, for each response in whole hold'em."""


class FollowedAgent(ListedAgent):
    """A strategy in memory that knows the last sequence of its seat in the hand."""

    last = 0
    _at = ""

    def new_hand(self) -> None:
        self.last = 0

    def row(self, observation: str) -> dict[str, float]:
        self._at = observation
        return super().row(observation)

    def acted(self, action: int) -> None:
        tree = self.strategy.tree
        lane = tree.labels.lanes[tree.labels.index[self._at]]
        if lane >= 0:
            self.last = range(tree.size)[tree.sequences_of(lane)][action]


class ListedStudy(Study):
    """Counts the ends that hands of a compiled game may have had; the model is the prior with what was counted."""

    first, growth = 20, 1.25
    counts_change = False
    draws_anew = False

    def __init__(self, game: GameTree, seat: int, prior: Strategy, bot: LearningBot) -> None:
        self.learns_in: GameTree = game
        self.seat, self.prior, self.bot = seat, prior, bot
        self._soft_prior = _softened(prior)
        self._soft = prior, self._soft_prior

    def begin(self) -> Governor:
        self.counts = Counts(self.learns_in, 1 - self.seat)
        return self.governor(partial(GiftBounds, self.learns_in, credit=self.bot.credit))

    def likelihoods(self, ends: I64, model: Strategy) -> tuple[float, float]:
        weight, last = self.learns_in.histories.reach[ends], self.learns_in.sequences[model.player][ends]
        if self._soft[0] is not model:
            self._soft = model, _softened(model)
        return float(weight @ self._soft[1][last]), float(weight @ self._soft_prior[last])

    def read(self, shown: Sequence[Move], result: float, played: FollowedAgent) -> I64:
        hand = ObservedHand(tuple(shown), result if self.seat == 0 else -result)
        ends = consistent_ends(self.learns_in, hand)
        return np.asarray(ends[self.learns_in.sequences[self.seat][ends] == played.last], np.int64)

    def count(self, hand: I64) -> None:
        self.counts.see_ends(hand)

    def model(self) -> Strategy:
        return self.counts.strategy(self.prior)

    def respond(self, model: Strategy, trust: float) -> FollowedAgent:
        """Without any trust by evidence, the equilibrium that wins most."""
        method: Method = Safe(trust)
        if self.bot.by != GIFTS:
            # Zero trust at infosets without observations.
            counts = model.counts if model.counts is not None else np.zeros(model.tree.lanes)
            model = Strategy(model.tree, model.behaviour, model.facts, counts)
            none = trust == 0.0 and self.bot.by == EVIDENCE
            method = Safe(0.0) if none else _METHODS[self.bot.method](trust)
        return FollowedAgent(respond(self.learns_in, model, method).strategy)


def _softened(strategy: Strategy) -> F64:
    """The plan of a strategy that takes every action now and then."""
    mixed = (1.0 - SOFT) * strategy.behaviour + SOFT * strategy.tree.uniform()
    return Strategy(strategy.tree, mixed).plan


class SpotStudy(Study):
    """Counts the opponent's actions in a spot by class of decisions (`spot_tilt.situations`): of each, how often its
    actions were taken, and of how many.

    That needs no hidden cards, and it leaves the deal alone, the first decision of each player's treeplex, which estimates
    over sequences would take for a habit. The model is the solution of the spot with the smallest change that brings every
    frequency to the near end of its interval."""

    def __init__(self, game: SpotGame, solved: SolvedSpot, seat: int, bot: LearningBot) -> None:
        self.learns_in, self._solved, self.seat, self.bot = game, solved, seat, bot
        self._classes, self._observer = situations(game.tree.betting, 1 - seat), SpotObserver(game, 1 - seat)
        self._nash, self._theirs = (opponent(game, "nash", player) for player in (seat, 1 - seat))

    def begin(self) -> Governor:
        self.counted = {kind.name: (0, 0) for kind in self._classes}
        floor = SpotGiftBounds(self.learns_in, self._nash, self.bot.credit).worst_case if self.bot.by == GIFTS else 0.0
        return self.governor(partial(SpotGiftBounds, self.learns_in, credit=self.bot.credit, floor=floor))

    def likelihoods(self, hand: SeenHand, model: Strategy) -> tuple[float, float]:
        likely = list[float]()
        for play in (model, self._theirs):
            reach = hand.holdings
            for part, number in hand.actions:
                sequences, hands = sequences_at(self.learns_in, play.player, part, number)
                row = np.zeros(len(reach))
                row[hands] = play.behaviour[sequences]
                choices = len(self.learns_in.tree.betting.children(part.node))
                reach = reach * ((1.0 - SOFT) * row + SOFT / choices)
            likely.append(float(reach.sum()))
        return likely[0], likely[1]

    def read(self, shown: Sequence[Move], result: float, played: StrategyAgent) -> SeenHand:  # noqa: ARG002 - the moves say it
        return self._observer.read(shown)

    @cached_property
    def _at(self) -> dict[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]]:
        """The classes of each node."""
        found: dict[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]] = {}
        for kind in self._classes:
            for at in kind.nodes:
                found.setdefault(at.node, []).append((kind.name, at.hits, at.among))
        return found

    def count(self, hand: SeenHand) -> None:
        for part, number in hand.actions:
            for name, hits, among in self._at.get(part.node, ()):
                k, n = self.counted[name]
                self.counted[name] = (k + (number in hits), n + 1) if number in among else (k, n)

    def model(self) -> Strategy | None:
        seen = {name: ObservedShare(k, n) for name, (k, n) in self.counted.items() if n}
        bounds = {name: share.interval for name, share in seen.items()}
        classes = [kind for kind in self._classes if kind.name in seen]
        try:
            tilt = tilt_spot(self._solved, 1 - self.seat, classes, bounds, seen)
        except InputError:  # the solution never comes to where the opponent was seen: there is nothing to tilt
            return None
        return locked_strategy(tilt.lock, self.learns_in)

    def respond(self, model: Strategy | None, trust: float) -> SpotAgent:
        if model is None or trust == 0.0:
            return SpotAgent(self.learns_in, self._nash)
        method = Safe(trust) if self.bot.by == GIFTS else _METHODS[self.bot.method](trust)
        answer = respond(self.learns_in, model, method)
        if answer.interrupted:
            raise KeyboardInterrupt
        return SpotAgent(self.learns_in, answer.strategy)


class HoldemStudy(Study):
    """Keeps the latest hands of a whole no-limit game of hold'em; the model is the prior tilted toward them. The agent
    plays as the prior, too, until it responds."""

    def __init__(self, rules: Holdem, prior: BucketedStrategy, seat: int, bot: LearningBot, seed: int) -> None:
        if rules.limits.bets is not None:
            raise InputError(f"learn plays no-limit hold'em, and {rules.name} has fixed bets")
        self.learns_in, self._play, self.seat, self.bot, self._seed = rules, prior, seat, bot, seed

    def begin(self) -> Governor:
        self.kept: deque[MappedHand] = deque(maxlen=MOST_HANDS)
        return self.governor()

    def likelihoods(self, hand: MappedHand, model: ObservedStrategy) -> tuple[float, float]:
        ours, priors = (log_likelihood(self.learns_in.game, play, hand, SOFT) for play in (model, self._play))
        return exp(min(ours - priors, 500.0)), 1.0

    def read(self, shown: HoldemHand, result: float, played: StrategyAgent) -> MappedHand | None:  # noqa: ARG002 - it has it
        return map_hand(self.learns_in.game, shown, 1 - self.seat, MappedHands(()))

    def count(self, hand: MappedHand) -> None:
        self.kept.append(hand)

    def model(self) -> ObservedStrategy:
        made = model_of_hands(self.learns_in.game, self._play, MappedHands(tuple(self.kept)))
        return ObservedStrategy(made.play, made.counts)

    def respond(self, model: ObservedStrategy | None, trust: float) -> HoldemAgent:
        """In the buckets of the game."""
        rules = self.learns_in
        if model is None or trust == 0.0:
            return HoldemAgent(rules, self._play, self.seat)
        stop = Stop(iterations=self.bot.iterations or ITERATIONS)
        solves = SampledResponses(
            rules.game, lanes_of(rules), 1 - self.seat, model, stop, self._seed, start_of(rules, self._play)
        )
        found = solves.response(trust, by_row=self.bot.method == DBR.HEAD)
        if found.interrupted:
            raise KeyboardInterrupt
        return HoldemAgent(rules, found.plan, self.seat)


class GiftBounds:
    """Lower bounds of what hands of a compiled game are worth while a strategy of ours is played; credit: of `CREDITS`.
    exploitability: of the strategy, in chips. losses: (size,) of each sequence of the opponent, what playing it loses
    to a best response, in chips."""

    def __init__(self, game: GameTree, played: Strategy, credit: str = SURE) -> None:
        seat = played.player
        tree = game.trees[1 - seat]
        values = game.payoff.product(1 - seat, played.plan)
        best_cfvs(tree.arrays.groups, tree.arrays.parent, values)
        self.exploitability = equilibrium_of(game).bound(seat) + float(values[0])
        reach = np.ones(tree.lanes)
        if credit != SURE:
            found = counterfactual_reach(game, 1 - seat, played.plan)
            reach = np.where(found > 0.0, found, 1.0)  # where never, nothing is lost
        self.losses = losses_below_best(tree, values, reach)
        self._last = game.sequences[1 - seat]

    def surplus(self, hand: I64) -> float:
        """Chips above the value of the game that a hand was worth at least; below 0 if more was risked than given;
        hand: (n,) the ends that it may have had."""
        return float(self.losses[self._last[hand]].min()) - self.exploitability


class SpotGiftBounds:
    """Lower bounds of what hands of a spot without a rake are worth while a strategy of ours is played. worst_case: of
    the strategy, in net chips of its player. losses: (size,) of each sequence of the opponent, what playing it loses to
    a best response, in chips."""

    def __init__(self, game: SpotGame, played: Strategy, credit: str = SURE, floor: float = 0.0) -> None:
        self._game, self._seat, self._floor = game, 1 - played.player, floor
        tree, dealt = game.trees[self._seat], game.subgame.restrictions[self._seat]
        values = game.payoff.product(self._seat, played.plan)
        best(tree.arrays, dealt.keep, dealt.mix, values, np.zeros(tree.size))
        self.worst_case = -float(values[0])
        # (lanes,) 1 / the share in the range of the hand that decides, or the probability with which chance and our strategy
        # bring it there; infinite at the deal, for hands not dealt, and where they never do.
        divisors = np.full(tree.lanes, np.inf)
        solved = None if credit == SURE else game.with_strategies(played, Strategy.uniform(tree))
        weights = game.tree.boards.cards.weights[self._seat]
        rarity = np.divide(1.0, weights, out=np.full(len(weights), np.inf), where=weights > 0.0)
        first = game.tree.runs[self._seat].lane[: game.tree.betting.nodes]
        for node in np.flatnonzero(first >= 0).tolist():
            if solved is None:
                here = rarity[game.tree.boards.layers[layer_of(game.tree.betting, node)].hand]
            else:
                met = met_at(solved, self._seat, node)
                here = np.where(met > 0.0, met, np.inf)
            divisors[first[node] : first[node] + len(here)] = here
        self.losses = losses_below_best(tree, values, divisors)

    def surplus(self, hand: SeenHand) -> float:
        """Chips above the floor, the worst case of the solution, that a hand was worth at least."""
        least = 0.0
        if hand.actions:
            sequences, hands = sequences_at(self._game, self._seat, *hand.actions[-1])
            last = sequences[hand.holdings[hands] > 0.0]
            least = float(self.losses[last].min()) if len(last) else 0.0
        return self.worst_case - self._floor + least


def losses_below_best(tree: Treeplex, values: F64, divisors: F64) -> F64:
    """(size,) of each sequence of a player, what its actions lose to the best ones, from the root on. values: (size,)
    CFVs where the best is played below. divisors: (lanes,) of the losses at each infoset; infinite where nothing can be
    lost."""
    losses = np.zeros(tree.size)
    for offset, width, n, lane, count in tree.arrays.groups.tolist():
        # (actions, infosets) values of a group; what is lost above is lost below, too.
        rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
        above = losses[tree.arrays.parent[lane : lane + count]]
        lost: F64 = (rows.max(axis=0) - rows) / divisors[lane : lane + count]
        losses[offset : offset + n * width].reshape(n, width)[:, :count] = above + lost
    return losses
