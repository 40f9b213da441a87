"""A player's belief in a game that is not in memory: weighted states, all of them or up to a limit; and its agent.

The belief starts at the root and follows what the player does and observes. Up to a limit it holds every state that is
possible under the model; beyond it, it is resampled. A game may define changes of hidden state (see
`gametree.build.resample_hidden`), so that a resampled belief does not run out of states.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence

import numpy as np

from counterplay.agents.agent import Player
from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.games.game import TERMINAL, action_name
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.step_states import Children, acting_players, can_regroup, resample_hidden
from counterplay.lookahead.belief_search import BeliefSide, Worth, children_for, respond_to
from counterplay.opponents.model import Actor
from counterplay.treeplex.strategy import check_observation

Observed = tuple[int, ...]
_PILOT, _MORE = 16, 8
"""Number of states with which an observation is first searched, and its growth factor."""
_SHOWN = 256
"""Number of states that represent all with equal observations during that search."""
_MOVES = 12
"""Number of changes tried on each state of a resampled belief after an observation."""
_FIRST = 15
"""The factor of the budget for the first decision, which is the same in every hand."""


class Belief:
    """States and weights of a seat, under a model of the opponent; at most `most`, resampled by a seed. states: (n,
    size) rows, at the root at first. weight: (n,) probabilities, which sum to 1. thinned: whether the belief has been
    resampled."""

    def __init__(self, game: FastGame, seat: int, model: Actor, most: int, seed: int) -> None:
        self.side, self.most = BeliefSide(game, seat, model, ()), most
        self.states, self.weight, self.thinned = game.root()[None, :], np.ones(1), False
        self._action: int | None = None
        self._at: tuple[str, bool] | None = None
        self._draw = random.Random(seed)

    def copy(self) -> Belief:
        other = copy.copy(self)
        other._draw = random.Random()
        other._draw.setstate(self._draw.getstate())
        return other

    def acted(self, action: int) -> None:
        """Update by the player's action, given by its number."""
        self._action, self._at = action, None

    def observe(self, text: str, acts: bool = True) -> bool:
        """Update until the player observes a text; False without a change if that is impossible. acts: whether the
        player, not the other one, is to act there."""
        if self._at != (text, acts):
            target, size = None, _PILOT
            order = np.array(self._draw.sample(range(len(self.states)), len(self.states)))
            while target is None:  # the observations that lead to this text, searched with few states, then with more
                for observed, state, who in self._paths(self.states[order[:size]]):
                    if (who == self.side.seat) == acts and self.side.game.infoset(state, self.side.seat) == text:
                        target = observed
                        break
                if target is None and size >= len(self.states):
                    return False
                size *= _MORE
            if not self._follow(target, acts):
                return False
            self._at = text, acts
        return True

    def _children(self, states: I64, action: int | None, want: I64 | None = None) -> Children:
        """The children of states that are possible under the model; at the player's decision by one action only."""
        found = children_for(self.side, states, want)
        kept = found.odds > 0.0
        return found.where(kept if action is None else kept & (found.action == action))

    def _paths(self, states: I64) -> Iterator[tuple[Observed, I64, int]]:
        """Each possible sequence of observations, with a state there and its acting player, shortest first."""
        layer: dict[Observed, I64] = {(): states}
        action = self._action
        while layer:
            after: dict[Observed, list[I64]] = {}
            for observed, here in layer.items():
                who = acting_players(self.side.game, here)
                for player in np.unique(who[who != TERMINAL]).tolist() if action is None else ():
                    yield observed, here[who == player][0], player
                on = here[_steps_on(who, self.side.seat, action)]
                children = self._children(on[:: -(-len(on) // _SHOWN) or 1], action)
                codes = children.seen[:, self.side.seat]
                for code in np.unique(codes).tolist():
                    after.setdefault((*observed, code) if code else observed, []).append(children.states[codes == code])
            layer, action = {observed: np.concatenate(parts) for observed, parts in after.items()}, None

    def _follow(self, target: Observed, acts: bool) -> bool:
        """All states along these observations."""
        states, weight, place, action = self.states, self.weight, np.zeros(len(self.states), np.int64), self._action
        thinned = self.thinned
        arrived: list[tuple[I64, F64]] = []
        while len(states):
            who = acting_players(self.side.game, states)
            here = (place == len(target)) & ((who == self.side.seat) == acts) & (who != TERMINAL) & (action is None)
            arrived.append((states[here], weight[here]))
            on = ~here & _steps_on(who, self.side.seat, action)
            wanted = np.array([*target, 0], np.int64)[place[on]]  # behind the last one nothing may be observed
            children = self._children(states[on], action, wanted)
            weight = weight[on][children.parent] * children.odds
            place = place[on][children.parent] + (children.seen[:, self.side.seat] != 0)
            states, action = children.states, None
            if len(states) > self.most:
                thinned = True
                rows, weight = _resampled(weight, self.most, self._draw)
                states, place = states[rows], place[rows]
        states, weight = (np.concatenate([part[i] for part in arrived]) for i in (0, 1))
        if not weight.sum() > 0.0:
            return False
        self.states, self.weight, self.thinned, self._action = states, weight / weight.sum(), thinned, None
        if thinned and can_regroup(self.side.game):  # resampled to the limit, with hidden state changed in each
            rows, count = _resampled(self.weight, self.most, self._draw)
            again = np.repeat(rows, np.round(count * self.most / count.sum()).astype(np.int64))
            seed = self._draw.getrandbits(60)
            self.states = resample_hidden(self.side.game, self.states[again], self.side.seat, _MOVES, seed)
            self.weight = np.full(len(again), 1.0 / len(again))
        return True


def _steps_on(who: I64, seat: int, action: int | None) -> Flags:
    """(n,) whether to take a step: at others' states or, if the player's action is due, at the player's."""
    return np.asarray((who != TERMINAL) & ((who == seat) == (action is not None)))


def _resampled(weight: F64, most: int, draw: random.Random) -> tuple[I64, F64]:
    """Rows up to the limit, each repeated in proportion to its weight (systematic resampling), and their weights."""
    edges = np.cumsum(weight)
    points = (np.arange(most) + draw.random()) * (edges[-1] / most)
    rows, count = np.unique(
        np.minimum(np.searchsorted(edges, points, side="right"), len(weight) - 1), return_counts=True
    )
    return rows, count * (edges[-1] / most)


class BeliefAgent(Player):
    """The agent with full trust in its model: ABD at p = 1 in a game that is not in memory.

    At every decision it unfolds the game from its belief, some levels deep, plays random games from there, and takes the
    action with the largest value (Milec et al. 2025, section 5.3). samples: random games per history at the limit. budget:
    moves of the random games of one decision. particles: the most states of the belief."""

    def __init__(
        self,
        side: BeliefSide,
        depth: int,
        samples: int,
        *,
        budget: int,
        particles: int,
        seed: int = 0,
        name: str = "abd",
    ) -> None:
        super().__init__(side.seat, name)
        self.hands = 0
        self.found: Worth | None = None
        self._side, self._depth, self._samples = side, depth, samples
        self._budget, self._particles, self._seed = budget, particles, seed
        self._opening: dict[str, F64] = {}
        self._draw = random.Random(seed)
        self._start()

    @property
    def p(self) -> float:
        return 1.0

    @p.setter
    def p(self, p: float) -> None:  # noqa: ARG002
        raise InputError(f"{self.name} on the way is certain of its model: its p is 1; make another agent for less")

    def new_hand(self) -> None:
        self.hands += 1
        self._start()

    def _start(self) -> None:
        side = self._side
        self._belief = Belief(side.game, side.seat, side.model, self._particles, self._draw.getrandbits(60))
        self._lost, self._decisions = False, 0

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The action of largest value; where the model cannot explain the observation, one of `legal`."""
        if not self._observes(observation):
            if not legal:
                raise InputError(f"{self.name}: '{observation}' cannot follow what was observed and done before")
            return self._draw.choice(legal)
        names, worth = self._names_and_values(observation)
        chosen = int(worth.argmax())
        self._belief.acted(chosen)
        self._decisions += 1
        return names[chosen]

    def policy(self, observation: str) -> dict[str, float]:
        """A pure strategy; the agent's state does not change."""
        names, worth = self._names_and_values(observation)
        best = int(worth.argmax())
        return {name: float(k == best) for k, name in enumerate(names)}

    def values(self, observation: str) -> dict[str, float]:
        """The expected value of each action, in chips of the agent; errors as in `policy`."""
        names, worth = self._names_and_values(observation)
        return dict(zip(names, worth.tolist(), strict=True))

    def _names_and_values(self, observation: str) -> tuple[list[str], F64]:
        """The names of the actions, and the value of each."""
        if not self._observes(observation):
            raise InputError(f"{self.name}: '{observation}' cannot follow what was observed and done before")
        belief, game, first = self._belief, self._side.game, self._decisions == 0
        names = [action_name(game, belief.states[0], action) for action in game.actions(belief.states[0])]
        if first and observation in self._opening:
            return names, self._opening[observation]
        self.found = respond_to(
            self._side, belief.states, belief.weight, self._depth + 1, self._samples,
            self._budget * (_FIRST if first else 1), self._seed,
        )  # fmt: skip
        if first and not belief.thinned:
            self._opening[observation] = self.found.actions
        return names, self.found.actions

    def _observes(self, observation: str) -> bool:
        """Return whether the belief explains the observation; once it fails, it fails for the rest of the hand."""
        check_observation(observation)
        if not self._lost and not self._belief.observe(observation):
            self._lost = True
            line = f"'{observation}' cannot be explained by the model: every action alike from here on"
            self.log.append(f"hand {self.hands}: {line}")
        return not self._lost

    def belief(self, observation: str) -> dict[str, float]:
        check_observation(observation)
        belief = self._belief.copy()
        if self._lost or not belief.observe(observation, acts=False):
            raise InputError(f"'{observation}' cannot be explained by the model")
        found: dict[str, float] = {}
        for state, weight in zip(belief.states, belief.weight.tolist(), strict=True):
            text = self._side.game.infoset(state, 1 - self.seat)
            found[text] = found.get(text, 0.0) + weight
        return found
