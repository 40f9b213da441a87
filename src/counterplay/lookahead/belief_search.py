"""Action values against a certain model (p = 1), from a belief: weighted states of the game.

The game need not be in memory: it is unfolded from the belief to the limit, played out there by each own strategy of a
portfolio against the model, and folded up in one backward pass (Milec et al. 2025, section 5.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.build.step_states import Children, acting_players, step_states
from counterplay.opponents.model import Actor
from counterplay.value_functions.estimates import playouts

_LEAST = 16
"""The least number of states of a belief that are unfolded."""
_PIECE = 1000
"""The number of states that are unfolded at once when only one child of each is drawn."""


@dataclass(frozen=True, eq=False)
class BeliefSide:
    """The rules, the searcher's seat, the opponent, and the searcher's continuations beyond the limit."""

    game: FastGame
    seat: int
    model: Actor
    own: tuple[Actor, ...]


@dataclass(frozen=True)
class Worth:
    """The result of a belief search.

    Attributes:
        actions: (A,) expected chips of the searcher by each action, from the belief on.
        errors: (A,) their standard errors, as far as they come from samples; infinite from one sample.
        leaves: number of histories at the limit.
        samples: random games per history at the limit and own strategy.
    """

    actions: F64
    errors: F64
    leaves: int
    samples: int


@dataclass
class _Knowledge:
    """The searcher's infosets as numbers: `before`, and the own `action` after it, -1 where it was an observation."""

    before: list[int] = field(default_factory=lambda: [0])
    action: list[int] = field(default_factory=lambda: [-1])
    _found: dict[tuple[int, int], int] = field(default_factory=dict)

    def after(self, known: I64, event: I64) -> I64:
        """The numbers after events: an own action as 2 k + 1, an observation as 2 c, 0 for no event."""
        pairs, which = np.unique(np.stack([known, event], 1), axis=0, return_inverse=True)
        return np.array([self._one(*pair) for pair in pairs.tolist()], np.int64)[which.ravel()]

    def _one(self, known: int, event: int) -> int:
        if event == 0:
            return known
        number = self._found.get((known, event))
        if number is None:
            number = self._found[known, event] = len(self.before)
            self.before.append(known)
            self.action.append(event // 2 if event % 2 else -1)
        return number


class _Leaves(NamedTuple):
    """The limit of the look-ahead. states: (n, size). weight: (n,). known: (n,)."""

    states: I64
    weight: F64
    known: I64


def respond_to(side: BeliefSide, states: I64, weight: F64, levels: int, samples: int, budget: int, seed: int) -> Worth:
    """The action values: unfold, play out, fold up.

    Args:
        side: the searcher's side of the game.
        states: (n, size) the states that the searcher considers possible at the decision.
        weight: (n,) their probabilities; they need not sum to 1.
        levels: number of levels, the decision's own action included: an action of a player, or an event of chance that
            both observe. That is one more than a look-ahead's depth.
        samples: random games per history at the limit and own strategy.
        budget: limit on the moves of all random games together, each of maximal length. If it is exceeded, fewer
            samples are taken; if one sample is too many, one move of the others is drawn instead of following all, and
            fewer states of the belief are used.
        seed: of the random games.
    """
    games = budget // max(1, side.game.rules.depth * len(side.own))
    stream = np.random.default_rng(seed)
    while True:
        knowledge = _Knowledge()
        ends, limit = _unfolded(side, states, weight / weight.sum(), levels, knowledge, games, stream)
        fewer = max(_LEAST, len(states) * games // max(1, len(limit.weight)))
        if len(limit.weight) <= games or fewer >= len(states):
            break
        kept = np.unique(stream.choice(len(states), fewer, p=weight / weight.sum()), return_counts=True)
        states, weight = states[kept[0]], kept[1].astype(np.float64)
    sign = 1.0 if side.seat == 0 else -1.0
    total = np.zeros(len(knowledge.before))
    chips = np.array([side.game.utility(state) for state in ends.states])
    np.add.at(total, ends.known, sign * ends.weight * chips)
    number = max(1, min(samples, games // max(1, len(limit.weight))))
    behind, variance = np.zeros((len(total), len(side.own))), np.zeros((len(total), len(side.own)))
    for k, one in enumerate(side.own if len(limit.weight) else ()):
        pair = (one, side.model) if side.seat == 0 else (side.model, one)
        mean, error = playouts(side.game, limit.states, pair, number, seed * 1_000_003 + k)
        np.add.at(behind[:, k], limit.known, sign * limit.weight * mean)
        np.add.at(variance[:, k], limit.known, (limit.weight * error) ** 2)
    which = behind.argmax(axis=1)
    rows = np.arange(len(total))
    total += behind[rows, which]
    actions, errors = _folded(knowledge, total, variance[rows, which], len(side.game.actions(states[0])))
    return Worth(actions, errors, len(limit.weight), number)


def _unfolded(
    side: BeliefSide,
    states: I64,
    weight: F64,
    levels: int,
    knowledge: _Knowledge,
    most: int,
    stream: np.random.Generator,
) -> tuple[_Leaves, _Leaves]:
    """The terminals up to the limit, and the histories at the limit; `most` histories are expanded in full."""
    known, level = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
    ends: list[_Leaves] = []
    limit: list[_Leaves] = []
    while len(states):
        over = acting_players(side.game, states) == TERMINAL
        beyond = ~over & (level >= levels)
        for found, here in ((ends, over), (limit, beyond)):
            found.append(_Leaves(states[here], weight[here], known[here]))
        open_ = ~over & ~beyond
        states, weight, known, level = states[open_], weight[open_], known[open_], level[open_]
        if not len(states):
            break
        children = _children(side, states, most, stream)
        children = children.where(children.odds > 0.0)
        up = children.parent
        own = np.where(children.actor == side.seat, 2 * children.action + 1, 0)
        known = knowledge.after(knowledge.after(known[up], own), 2 * children.seen[:, side.seat])
        hidden = (children.actor == CHANCE) & ~(children.seen > 0).all(axis=1)
        states, weight, level = children.states, weight[up] * children.odds, level[up] + ~hidden
    first, second = (_Leaves(*map(np.concatenate, zip(*parts, strict=True))) for parts in (ends, limit))  # type: ignore[arg-type]
    return first, second


def _children(side: BeliefSide, states: I64, most: int, stream: np.random.Generator) -> Children:
    """All children; if too many, those of own states, and one drawn child, with odds 1, of each other state."""
    if (
        len(states) * len(side.game.actions(states[0])) <= most
        or (acting_players(side.game, states) == side.seat).all()
    ):
        return children_for(side, states)
    parts = []
    for at in range(0, len(states), _PIECE):
        children = children_for(side, states[at : at + _PIECE])
        own = children.actor == side.seat
        odds = np.where(own, 0.0, children.odds)
        edges, first = np.cumsum(odds), np.unique(children.parent, return_index=True)[1]
        low, high = edges[first] - odds[first], np.append(edges[first[1:]] - odds[first[1:]], edges[-1])
        other = high > low
        points = low[other] + stream.random(int(other.sum())) * (high - low)[other]
        picked = np.zeros(len(odds), np.bool_)
        picked[np.minimum(np.searchsorted(edges, points, side="right"), len(odds) - 1)] = True
        drawn = children._replace(odds=np.where(picked, 1.0, children.odds)).where(own | picked)
        parts.append(drawn._replace(parent=drawn.parent + at))
    return Children(*(np.concatenate(column) for column in zip(*parts, strict=True)))  # type: ignore[arg-type]


def children_for(side: BeliefSide, states: I64, want: I64 | None = None) -> Children:
    """The children of states, with the model's odds; see `unfold` for `want`, which the searcher observes."""
    game, other = side.game, 1 - side.seat
    if isinstance(side.model, Policy):
        return step_states(game, states, side.model, other, side.seat, want)
    children = step_states(game, states, None, other, side.seat, want)
    asked: dict[str, dict[str, float]] = {}
    odds = children.odds.copy()
    for m in np.flatnonzero(children.actor == other).tolist():
        state = states[children.parent[m]]
        infoset = game.infoset(state, other)
        if infoset not in asked:
            asked[infoset] = side.model.odds(game, state)
        name = game.action_name(state, game.actions(state)[children.action[m]])
        odds[m] = asked[infoset].get(name, 0.0)
    return children._replace(odds=odds)


def _folded(knowledge: _Knowledge, total: F64, variance: F64, actions: int) -> tuple[F64, F64]:
    """The backward pass: values are added to the preceding number; after own actions only the best."""
    best: dict[int, tuple[float, float]] = {}
    first, errors = np.zeros(actions), np.zeros(actions)
    for number in range(len(total) - 1, 0, -1):
        if number in best:
            total[number] += best[number][0]
            variance[number] += best[number][1]
        # action: of the own player at `up`, or below 0 for an observation; at 0 stand the actions of the decision itself.
        up, action = knowledge.before[number], knowledge.action[number]
        if action < 0:
            total[up] += total[number]
            variance[up] += variance[number]
        elif up == 0:
            first[action], errors[action] = total[number], variance[number] ** 0.5
        elif up not in best or total[number] >= best[up][0]:
            best[up] = total[number], variance[number]
    return first, errors
