"""Compilation of a game: its histories become one treeplex per player and a sparse payoff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I32, AnyArray, check_integers, lock_fields
from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, LARGEST_UTILITY, TERMINAL, Game
from counterplay.gametree.build.histories import Histories, history_text, labels_of, replay, replay_each
from counterplay.jit import kernel
from counterplay.leaves.matrix import Matrix
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex, build


@dataclass(frozen=True, eq=False)
class GameTree:
    """A game in memory.

    Attributes:
        name: the spec under which the game can be loaded again.
        rules: the game it was compiled from.
        payoff: chips of player 0 for each pair of sequences, times chance's probability.
        public: two arrays, the public state of each augmented infoset of each player (-1 where a number is unused).
        first: two arrays, one history of each infoset, in the order of the labels.
        place: two arrays, the index in the plan of each raw sequence (numbered by first visit).
    """

    name: str
    rules: Game
    histories: Histories
    trees: tuple[Treeplex, Treeplex]
    payoff: Matrix
    public: tuple[I32, I32]
    first: tuple[I32, I32]
    place: tuple[I32, I32]
    enters_boards_alone: ClassVar[bool] = False
    usual_depth: ClassVar[int | str] = 1
    lists_histories: ClassVar[bool] = True

    def __post_init__(self) -> None:
        count = len(self.histories)
        for tree, public, first, place in zip(self.trees, self.public, self.first, self.place, strict=True):
            check_integers(public, "public", np.shape(public)[:1], -1, count)
            check_integers(first, "first", np.shape(first)[:1], 0, count)
            check_integers(place, "place", np.shape(place)[:1], 0, tree.size)
        lock_fields(self, "public", "first", "place")

    def __repr__(self) -> str:
        infosets = "+".join(f"{len(first):,}" for first in self.first)
        return brief(self, self.name, f"{len(self.histories):,} histories", f"{infosets} infosets")

    @property
    def terminals(self) -> int:
        """The number of terminal histories."""
        return int((self.histories.player == TERMINAL).sum())

    @property
    def public_states(self) -> int:
        """The number of public states with a decision or a chance event."""
        return int(self.public[0].max(initial=-1)) + 1

    def state(self, history: int) -> Any:
        """The state of the rules at a history, by replay."""
        return replay(self.rules, self.histories, history)

    def states(self, histories: NDArray[np.integer]) -> Iterator[Any]:
        """The states of the rules at (n,) histories, in that order, by replay of what differs from one to the next."""
        return replay_each(self.rules, self.histories, histories.tolist())

    @cached_property
    def sequences(self) -> tuple[I32, I32]:
        """Two (H,) arrays: the index in the plan of each player's last sequence at each history."""
        table, children = self.histories, _children(self.histories.parent)
        places = []
        for player in (0, 1):
            last = _sequences(table.parent, table.action, table.player, table.info[player], children, player)[1]
            places.append(self.place[player][last])
        return places[0], places[1]

    @cached_property
    def lanes(self) -> tuple[I32, I32]:
        """Per player (augmented infosets,) the lane of each, -1 where that player has no choice."""
        children = _children(self.histories.parent)
        found = []
        for player in (0, 1):
            lanes = np.full(len(self.public[player]), -1, np.int32)
            first = self.first[player]
            lanes[self.histories.info[player][first[children[first] > 1]]] = self.trees[player].visit_order
            found.append(lanes)
        return found[0], found[1]

    @cached_property
    def subgame(self) -> Subgame:
        """The whole game as one problem, both players unrestricted."""
        return Subgame(self.trees, self.payoff, chance=bool((self.histories.player == CHANCE).any()))

    def dealt(self, strategy: Strategy) -> Strategy:
        """The strategy: here hands are dealt by chance, and are no decision of it."""
        return strategy

    @cached_property
    def span(self) -> float:
        """Largest minus smallest utility: the unit of tolerances. If all utilities are equal, a tiny multiple of them;
        1 if a partial tree has no terminal yet."""
        utilities = self.histories.utility[self.histories.player == TERMINAL]
        if len(utilities) == 0:
            return 1.0
        return max(float(utilities.max() - utilities.min()), 1e-9 * float(np.abs(utilities).max()))


def compile_histories(name: str, rules: Game, histories: Histories) -> GameTree:
    """The arrays of a game, given its histories; an InputError if it has imperfect recall, or infosets whose histories
    differ in the number of actions."""
    children = _children(histories.parent)
    public = _public_states(histories)
    found = []  # of each player the first history, parent sequence and actions of infosets, and what ends at each terminal
    for player, info in enumerate(histories.info):
        infosets, last, culprit = _sequences(
            histories.parent, histories.action, histories.player, info, children, player
        )
        if culprit >= 0:
            state, text = history_text(rules, histories, culprit)
            raise InputError(
                f"{rules.name}: the infoset {quoted(rules.infoset(state, player))} of player {player} has imperfect recall "
                f"or differing actions, seen at the history '{text}'"
            )
        found.append((*infosets, last[histories.player == TERMINAL]))
    del children  # a large game's temporary columns are not kept beside its payoff
    blocks = [public[player][histories.info[player][found[player][0]]] for player in (0, 1)]
    branch = branches_of(histories, (blocks[0], blocks[1]), public, (found[0][2], found[1][2]))
    trees: list[Treeplex] = []
    columns: list[tuple[I32, I32, I32]] = []  # first history of each infoset, place, sequence before each terminal
    for player in (0, 1):
        (first, parent, actions, last), block = found.pop(0), blocks[player]
        maker, chosen = labels_of(rules, histories, player, first), None if branch is None else branch[block]
        tree, place = build(player, parent, actions, block, maker, chosen)
        trees.append(tree)
        columns.append((first, place, place[last]))
    ends = histories.player == TERMINAL
    weights = histories.utility[ends]
    sizes = np.abs(weights)
    most, least = sizes.max(initial=0.0), sizes.min(initial=np.inf, where=sizes > 0.0)
    if not (most < LARGEST_UTILITY and least > 1.0 / LARGEST_UTILITY):
        raise InputError(
            f"{name}: utilities must lie between {1 / LARGEST_UTILITY:g} and {LARGEST_UTILITY:g} in absolute value, or be 0"
        )
    span = float(np.ptp(weights)) if len(weights) else 0.0
    if 0.0 < span < _LEAST_SPAN:
        raise InputError(
            f"{name}: the utilities differ by {span:.3g} at most, which is taken for rounding: use a smaller unit, in which "
            f"they differ by {_LEAST_SPAN:g} or more"
        )
    if 0.0 < span < _LEAST_SHARE * most:
        raise InputError(
            f"{name}: the utilities lie between {weights.min():.12g} and {weights.max():.12g}, where rounding hides their "
            "differences: subtract their middle from all of them"
        )
    weights *= histories.reach[ends]
    del ends
    (first0, place0, last0), (first1, place1, last1) = columns
    shape, groups = (trees[0].size, trees[1].size), (trees[0].arrays.groups, trees[1].arrays.groups)
    payoff = Matrix.from_entries(last0, last1, weights, shape, groups)
    if branch is not None:
        payoff = replace(payoff, trees=(trees[0], trees[1]))
    return GameTree(name, rules, histories, (trees[0], trees[1]), payoff, public, (first0, first1), (place0, place1))


def _children(parent: I32) -> I32:
    """(H,) the number of children of each history."""
    return np.bincount(parent[1:], minlength=len(parent)).astype(np.int32)


def _sequences(
    parent: I32, action: AnyArray, player: AnyArray, info: I32, children: I32, who: int
) -> tuple[tuple[I32, I32, I32], I32, int]:
    """Number the raw sequences of one player.

    Returns: ((first history, parent sequence, actions) of each infoset in order of first visit), the last own raw
    sequence of each history, and a history that contradicts perfect recall (or -1).
    """
    infosets, last = np.full((5, int(info.max()) + 1), -1, np.int32), np.zeros(len(parent), np.int32)
    number, first, before, actions, raw_first = infosets
    count, culprit = _number(
        parent, action, player, info, children, who, number, first, before, actions, raw_first, last
    )
    return (first[:count].copy(), before[:count].copy(), actions[:count].copy()), last, culprit


@kernel
def _number(
    parent: Any, action: Any, player: Any, info: Any, children: Any, who: int, number: Any, first: Any, before: Any,
    actions: Any, raw_first: Any, last: Any,
) -> Any:  # fmt: skip
    """Fill what `_sequences` returns; returns the number of infosets, and the contradicting history (or -1)."""
    # last[h]: raw sequence before history h; raw_first[k]: first raw sequence of infoset k, 0 being the empty one.
    count, next_raw, culprit = 0, 1, -1
    for h in range(len(parent)):
        up = parent[h]
        if up >= 0:
            last[h] = last[up] if player[up] != who else raw_first[number[info[up]]] + action[h]
        if player[h] != who:
            continue
        k = number[info[h]]
        if k < 0:
            k = count
            number[info[h]] = k
            first[k], before[k], actions[k], raw_first[k] = h, last[h], children[h], next_raw
            count += 1
            next_raw += children[h]
        elif before[k] != last[h] or actions[k] != children[h]:
            culprit = h
            break
    return count, culprit


def _public_states(histories: Histories) -> tuple[I32, I32]:
    """Connected components of histories under both players' augmented infosets, numbered by first visit. Where a path
    leaves a component and returns (a player cannot tell how far the game has gone), all that it passes is one public
    state; otherwise the game below a public state would not be a subgame."""
    n0, n1 = (int(info.max()) + 1 for info in histories.info)
    component, root = np.full(n0 + n1, -1, np.int32), np.arange(n0 + n1, dtype=np.int32)
    _components(*histories.info, n0, root, component)
    inner = np.flatnonzero((histories.info[0] >= 0) & (histories.parent >= 0))
    first, second = (component[histories.info[0][h]] for h in (histories.parent[inner], inner))
    if (second < first).any():
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        count = int(component.max()) + 1
        steps = coo_matrix((np.ones(len(first)), (first, second)), shape=(count, count))
        strong = connected_components(steps, directed=True, connection="strong")[1]
        visited = np.unique(strong, return_index=True)[1]
        names = np.empty(len(visited), np.int32)
        names[strong[np.sort(visited)]] = np.arange(len(visited), dtype=np.int32)
        component = np.where(component >= 0, names[strong[component]], -1).astype(np.int32)
    return component[:n0], component[n0:]


@kernel
def _components(info0: Any, info1: Any, n0: int, root: Any, names: Any) -> None:
    """Fill `names`, which is all -1; root: (n0 + n1,) the numbers from 0 on."""
    # Union-find over augmented infosets, those of player 1 behind the n0 of player 0; a history joins its two.
    for h in range(len(info0)):
        a, b = info0[h], info1[h]
        if a < 0:
            continue
        b += n0
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a < b:
            root[b] = a
        elif b < a:
            root[a] = b
    count = 0
    for h in range(len(info0)):
        a = info0[h]
        if a < 0:
            continue
        while root[a] != a:
            a = root[a]
        if names[a] < 0:
            names[a] = count
            count += 1
        names[info0[h]] = names[info1[h] + n0] = names[a]


_LEAST_SPAN = 1e-9
"""Regrets below a thousandth of it count as none."""
_LEAST_SHARE = 1e-7
"""Of the largest utility, what utilities must differ by: linear programs are as exact as that."""


LARGE = 500_000
"""Sequences of both players from which on a game is decomposed: below, its arrays stay in the cache as they are."""
ABOUT = 1 << 16
"""Sequences of both players in a branch, at most, unless a single public state has more."""


def branches_of(
    histories: Histories, blocks: tuple[I32, I32], public: tuple[I32, I32], actions: tuple[I32, I32]
) -> I32 | None:
    """(public states,) the branch of each, from 1; 0 in the trunk. None where the game is small, or where a public
    state follows two others. Per player, `blocks` (infosets,) and `public` (augmented infosets,) have the public state
    of each, and `actions` (infosets,) their numbers."""
    if sum(int(of_player.sum()) for of_player in actions) < LARGE:
        return None
    count = int(public[0].max(initial=-1)) + 1
    before = np.full(count, -1, np.int32)
    if not _find_parents(histories.parent, histories.info[0], public[0], before):
        return None
    size = np.zeros(count)
    for states, of_player in zip(blocks, actions, strict=True):
        size += np.bincount(states, of_player, count)
    for state, up in zip(range(len(before) - 1, 0, -1), before[:0:-1].tolist(), strict=True):
        size[up] += size[state]
    return _cut(before, size, float(ABOUT))


@kernel
def _find_parents(parent: Any, info: Any, states: Any, before: Any) -> bool:
    """Fill `before`, the public state before each; returns whether there is only one, with a smaller number."""
    # Each step between two public states is from a smaller number, always the same, to a larger one.
    for h in range(1, len(parent)):
        if info[h] >= 0:
            own, up = states[info[h]], states[info[parent[h]]]
            if own != up:
                if up > own or (before[own] >= 0 and before[own] != up):
                    return False
                before[own] = up
    return True


def _cut(before: I32, size: F64, about: float) -> I32:
    """Public states with so few sequences, and with too many before them, begin a branch, several of them together."""
    branch, last, room = np.zeros(len(before), np.int32), 0, 0.0
    for state, up in enumerate(before.tolist()):
        if up >= 0 and branch[up] > 0:
            branch[state] = branch[up]
        elif size[state] <= about:
            if last == 0 or size[state] > room:
                last, room = last + 1, about
            branch[state] = last
            room -= size[state]
    return branch
