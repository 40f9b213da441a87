"""A player's belief in a game that is not in memory: weighted states, all of them or up to a limit.

The belief starts at the root and follows what the player does and observes. Up to a limit it holds every state that is
possible under the model; beyond it, it is resampled. A game may define changes of hidden state (see
`gametree.build.resample_hidden`), so that a resampled belief does not run out of states.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.step_states import Children, acting_players, can_regroup, resample_hidden
from counterplay.lookahead.belief_search import BeliefSide, children_for
from counterplay.opponents.actors import Actor

Observed = tuple[int, ...]
_PILOT, _MORE = 16, 8
"""Number of states with which an observation is first searched, and its growth factor."""
_SHOWN = 256
"""Number of states that represent all with equal observations during that search."""
_MOVES = 12
"""Number of changes tried on each state of a resampled belief after an observation."""


class Belief:
    """States and weights.

    Args:
        game: the rules.
        seat: the player's seat.
        model: the opponent's model.
        most: the most states.
        seed: seed of the resampling.

    Attributes:
        states: (n, size) rows, at the root at first.
        weight: (n,) probabilities, which sum to 1.
        thinned: whether the belief has been resampled.
    """

    def __init__(self, game: FastGame, seat: int, model: Actor, most: int, seed: int) -> None:
        self.side, self.most = BeliefSide(game, seat, model, ()), most
        self.states, self.weight, self.thinned = game.root()[None, :], np.ones(1), False
        self._action: int | None = None
        self._at: tuple[str, bool] | None = None
        self._draw = random.Random(seed)

    def copy(self) -> Belief:
        """An independent copy."""
        other = copy.copy(self)
        other._draw = random.Random()
        other._draw.setstate(self._draw.getstate())
        return other

    def acted(self, action: int) -> None:
        """Update by the player's action, given by its number."""
        self._action, self._at = action, None

    def observe(self, text: str, acts: bool = True) -> bool:
        """Update until the player observes this; returns False without a change if that is impossible.

        Args:
            text: the player's infoset.
            acts: whether the player, not the other one, is to act there.
        """
        if self._at != (text, acts):
            target = self._searched(text, acts)
            if target is None or not self._followed(target, acts):
                return False
            self._at = text, acts
        return True

    def _children(self, states: I64, action: int | None, want: I64 | None = None) -> Children:
        """The children of states that are possible under the model; at the player's decision by one action only."""
        found = children_for(self.side, states, want)
        kept = found.odds > 0.0
        return found.where(kept if action is None else kept & (found.action == action))

    def _searched(self, text: str, acts: bool) -> Observed | None:
        """The observations that lead to this text, searched with few states, then with more."""
        size, order = _PILOT, np.array(self._draw.sample(range(len(self.states)), len(self.states)))
        while True:
            for observed, state, who in self._paths(self.states[order[:size]]):
                if (who == self.side.seat) == acts and self.side.game.infoset(state, self.side.seat) == text:
                    return observed
            if size >= len(self.states):
                return None
            size *= _MORE

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
                on = here[_goes_on(who, self.side.seat, action)]
                children = self._children(on[:: -(-len(on) // _SHOWN) or 1], action)
                codes = children.seen[:, self.side.seat]
                for code in np.unique(codes).tolist():
                    after.setdefault((*observed, code) if code else observed, []).append(children.states[codes == code])
            layer, action = {observed: np.concatenate(parts) for observed, parts in after.items()}, None

    def _followed(self, target: Observed, acts: bool) -> bool:
        """All states along these observations."""
        states, weight, place, action = self.states, self.weight, np.zeros(len(self.states), np.int64), self._action
        thinned = self.thinned
        arrived: list[tuple[I64, F64]] = []
        while len(states):
            who = acting_players(self.side.game, states)
            here = (place == len(target)) & ((who == self.side.seat) == acts) & (who != TERMINAL) & (action is None)
            arrived.append((states[here], weight[here]))
            on = ~here & _goes_on(who, self.side.seat, action)
            wanted = np.array([*target, 0], np.int64)[place[on]]  # behind the last one nothing may be observed
            children = self._children(states[on], action, wanted)
            weight = weight[on][children.parent] * children.odds
            place = place[on][children.parent] + (children.seen[:, self.side.seat] != 0)
            states, action = children.states, None
            if len(states) > self.most:
                thinned = True
                rows, weight = _thinned(weight, self.most, self._draw)
                states, place = states[rows], place[rows]
        states, weight = (np.concatenate([one[i] for one in arrived]) for i in (0, 1))
        if not weight.sum() > 0.0:
            return False
        self.states, self.weight, self.thinned, self._action = states, weight / weight.sum(), thinned, None
        if thinned and can_regroup(self.side.game):
            self._refresh()
        return True

    def _refresh(self) -> None:
        """The belief resampled to its limit, with hidden state changed in each."""
        rows, count = _thinned(self.weight, self.most, self._draw)
        again = np.repeat(rows, np.round(count * self.most / count.sum()).astype(np.int64))
        seed = self._draw.getrandbits(60)
        self.states = resample_hidden(self.side.game, self.states[again], self.side.seat, _MOVES, seed)
        self.weight = np.full(len(again), 1.0 / len(again))


def _goes_on(who: I64, seat: int, action: int | None) -> Flags:
    """(n,) whether to take a step at each state: at the others' states or, if the player's action is due, at the
    player's.
    """
    return np.asarray((who != TERMINAL) & ((who == seat) == (action is not None)))


def _thinned(weight: F64, most: int, draw: random.Random) -> tuple[I64, F64]:
    """Rows up to the limit, each repeated in proportion to its weight (systematic resampling), and their weights."""
    edges = np.cumsum(weight)
    points = (np.arange(most) + draw.random()) * (edges[-1] / most)
    rows, count = np.unique(
        np.minimum(np.searchsorted(edges, points, side="right"), len(weight) - 1), return_counts=True
    )
    return rows, count * (edges[-1] / most)
