"""A player's belief in a game that is not in memory: weighted states, all of them or as many as are allowed.

The belief starts at the root and follows what the player does and observes. As long as there is room it holds every state
that the model could have brought about; where there is not, it is thinned out at random. A game may say how a state can be
changed behind the player's back (see `gametree.build.resample_hidden`), so that a thinned belief does not run out of states.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.resample_hidden import can_regroup, resample_hidden
from counterplay.gametree.build.step_states import Children, acting_players
from counterplay.lookahead.belief_search import BeliefSide, children_for
from counterplay.opponents.actors import Actor

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Observed = tuple[int, ...]
_PILOT, _MORE = 16, 8
"""States with which an observation is looked for first, and how many times as many next."""
_SHOWN = 256
"""States that stand for all that were observed alike, while an observation is looked for."""
_MOVES = 12
"""Changes that are tried with each state of a thinned belief after an observation."""


class Belief:
    """States and weights.

    Args:
        game: the rules.
        seat: the player's.
        model: the opponent.
        most: states that are kept.
        seed: of what is left out.

    Attributes:
        states: (n, size) rows, at the root at first.
        weight: (n,) how likely each is; they sum to 1.
        thinned: whether any had to be left out so far.
    """

    def __init__(self, game: FastGame, seat: int, model: Actor, most: int, seed: int) -> None:
        self.side, self.most = BeliefSide(game, seat, model, ()), most
        self.states, self.weight, self.thinned = game.root()[None, :], np.ones(1), False
        self._action: int | None = None
        self._at: tuple[str, bool] | None = None
        self._draw = random.Random(seed)

    def copy(self) -> Belief:
        """One that goes on by itself."""
        other = copy.copy(self)
        other._draw = random.Random()
        other._draw.setstate(self._draw.getstate())
        return other

    def acted(self, action: int) -> None:
        """The player takes an action, by its number."""
        self._action, self._at = action, None

    def observe(self, text: str, acts: bool = True) -> bool:
        """Go on until the player observes this; False, and nothing changes, if that cannot be.

        Args:
            text: what the player knows.
            acts: whether the player is to act there, or the other one.
        """
        if self._at != (text, acts):
            target = self._searched(text, acts)
            if target is None or not self._followed(target, acts):
                return False
            self._at = text, acts
        return True

    def _children(self, states: Longs, action: int | None, want: Longs | None = None) -> Children:
        """The children of states that the model can bring about, at the own decision only by one action."""
        found = children_for(self.side, states, want)
        kept = found.odds > 0.0
        return found.where(kept if action is None else kept & (found.action == action))

    def _searched(self, text: str, acts: bool) -> Observed | None:
        """The observations that lead to this text, found with few states or with more."""
        size, order = _PILOT, np.array(self._draw.sample(range(len(self.states)), len(self.states)))
        while True:
            for observed, state, who in self._paths(self.states[order[:size]]):
                if (who == self.side.seat) == acts and self.side.game.infoset(state, self.side.seat) == text:
                    return observed
            if size >= len(self.states):
                return None
            size *= _MORE

    def _paths(self, states: Longs) -> Iterator[tuple[Observed, Longs, int]]:
        """Each sequence of observations that can come about, with a state there and who acts in it, the shortest first."""
        layer: dict[Observed, Longs] = {(): states}
        action = self._action
        while layer:
            after: dict[Observed, list[Longs]] = {}
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
        arrived: list[tuple[Longs, Floats]] = []
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
        """As many states as are allowed again, and each changed behind the player's back."""
        rows, count = _thinned(self.weight, self.most, self._draw)
        again = np.repeat(rows, np.round(count * self.most / count.sum()).astype(np.int64))
        seed = self._draw.getrandbits(60)
        self.states = resample_hidden(self.side.game, self.states[again], self.side.seat, _MOVES, seed)
        self.weight = np.full(len(again), 1.0 / len(again))


def _goes_on(who: Longs, seat: int, action: int | None) -> NDArray[np.bool_]:
    """(n,) at which states to take a step: those of the others, or, if the own action is still to be taken, the own ones."""
    return np.asarray((who != TERMINAL) & ((who == seat) == (action is not None)))


def _thinned(weight: Floats, most: int, draw: random.Random) -> tuple[Longs, Floats]:
    """As many rows as are allowed, each as often as its weight has it (systematic resampling), and their weights."""
    edges = np.cumsum(weight)
    points = (np.arange(most) + draw.random()) * (edges[-1] / most)
    rows, count = np.unique(
        np.minimum(np.searchsorted(edges, points, side="right"), len(weight) - 1), return_counts=True
    )
    return rows, count * (edges[-1] / most)
