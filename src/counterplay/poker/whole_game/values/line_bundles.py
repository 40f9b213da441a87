"""Lines of betting side by side, so that one vector holds a number of each.

A *line* is one way in which the betting before a street may end, an entry of the street. As many lines as a vector has
elements make a *bundle*. It has the decisions and actions that any of its lines has; a line without an action has
probability 0 there. Lines are put together in the order of how much may still happen, so that there are few such holes. In a
bundle a player's sequences are numbered as positions, from 0; -1 is the entry.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.betting.state import Kind
from counterplay.poker.showdown.terminals import width_of
from counterplay.poker.whole_game.holdem import HoldemGame, showdown_stakes

ENTRY, NOTHING = -1, -2
"""Positions: of the entry, and of none."""
_SHOWN, _DEALT = "shown", "dealt"
_LISTED = "own", "other", "earned", "dealt"


class MoverStreet(NamedTuple):
    """A street as the kernels take it, for the player who moves (`own`) against the other.

    Attributes:
        bundles: (bundles, 12) of each the number of own and of the other's positions, how many positions the bundles before
            it have, own and the other's, and begin and end of its rows of `own`, `other`, `earned` and `dealt`.
        own, other: (decisions, 3) position before it, first position and number of actions.
        earned: (payoffs, 3) position of the other; own position that a showdown and that a fold after it pays.
        amounts: (payoffs, 6, width) of each line, as `Terminals.amounts`.
        even, other_even: (positions, width) the probability of an action where all that a line has are equal; 0 for none.
        dealt: (deals, 4) own position and the other's where the next street is dealt; begin and end of its rows of `links`.
        links: (lines, 2) element of the deal's vector, and number of the line on the next street (see `LineBundles.slots`).
    """

    bundles: AnyArray
    own: AnyArray
    other: AnyArray
    earned: AnyArray
    amounts: AnyArray
    even: AnyArray
    other_even: AnyArray
    dealt: AnyArray
    links: AnyArray


@dataclass
class _Bundle:
    """Lines; by player their decisions, and of each position every line's sequence, -1 for none, and even probability;
    and the leaves: how the street ends, positions, and every line's node."""

    entries: list[int]
    decisions: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))
    sequences: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))
    even: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))
    leaves: list[tuple[str, tuple[int, int], list[int]]] = field(default_factory=list)


class LineBundles:
    """The bundles of a street after the first, before those of the next one, if there is one."""

    def __init__(self, game: HoldemGame, street: int, after: LineBundles | None) -> None:
        self._game, self._street, self._after, self.width = game, street, after, width_of(game.dtype)
        first = [{int(row[0]): int(row[2]) for row in side.decisions[street]} for side in game.sides]
        # Those with most nodes to come first, so that lines alike stand together.
        sizes = [self._size(self._begin(entry)) for entry in range(len(game.roots[street]))]
        order = np.argsort(-np.array(sizes), kind="stable").tolist()
        self.bundles = [self._bundle(order[k : k + self.width], first) for k in range(0, len(order), self.width)]

    @property
    def size(self) -> int:
        """Numbers of a row of lines: width for each bundle."""
        return len(self.bundles) * self.width

    @cached_property
    def slots(self) -> AnyArray:
        """(entries,) where each line stands in a row."""
        slots = np.empty(len(self._game.roots[self._street]), np.int64)
        for b, bundle in enumerate(self.bundles):
            slots[bundle.entries] = b * self.width + np.arange(len(bundle.entries))
        return slots

    def positions(self, player: int) -> int:
        """A player's positions in all bundles."""
        return sum(len(bundle.sequences[player]) for bundle in self.bundles)

    def parts(self, count: int) -> list[AnyArray]:
        """(bundles,) numbers of the bundles of each part, of at most `count` parts that take about equally long."""
        costs = [8 + len(bundle.leaves) + sum(map(len, bundle.sequences)) for bundle in self.bundles]
        parts: list[list[int]] = [[] for _ in range(min(count, len(costs)))]
        loads = [0] * len(parts)
        for bundle in sorted(range(len(costs)), key=lambda b: -costs[b]):
            least = loads.index(min(loads))
            parts[least].append(bundle)
            loads[least] += costs[bundle]
        return [np.array(sorted(part), np.int64) for part in parts]

    def places(self, player: int, lanes: int) -> dict[int, slice]:
        """Of each of a player's sequences after the entries, where its numbers of all lanes stand in a flat table."""
        found, begin = {}, 0
        for bundle in self.bundles:
            step = len(bundle.sequences[player]) * self.width
            for position, row in enumerate(bundle.sequences[player]):
                for k, sequence in enumerate(row):
                    if sequence >= 0:
                        first = begin + position * self.width + k
                        found[sequence] = slice(first, begin + step * lanes, step)
            begin += step * lanes
        return found

    def lines_of_lanes(self, player: int, lanes: int, some: AnyArray, line: int) -> AnyArray:
        """(lines,) int32, ascending: the lines of `line` numbers in which `some` lanes, ascending, stand in a player's
        flat table of so many lanes."""
        found, begin, aligned = [np.empty(0, np.int64)], 0, self.width % line == 0
        for bundle in self.bundles:
            step = len(bundle.sequences[player]) * self.width
            if step:
                first, last = (begin + some * step) // line, (begin + (some + 1) * step - 1) // line
                most = step // line + (0 if aligned else 2)
                found.append(np.minimum(first[:, None] + np.arange(most), last[:, None]).reshape(-1))
            begin += step * lanes
        lines = np.concatenate(found)
        return (lines if aligned else np.unique(lines)).astype(np.int32)

    def sequences_at(self, player: int) -> AnyArray:
        """(positions, width) a player's sequence at each number of a row of positions; -1 where the line has none."""
        found = np.full((self.positions(player), self.width), -1, np.int64)
        rows = (row for bundle in self.bundles for row in bundle.sequences[player])
        for position, row in enumerate(rows):
            found[position, : len(row)] = row
        return found

    def seen_by(self, player: int) -> MoverStreet:
        facts: list[list[int]] = []
        rows: dict[str, list[Any]] = defaultdict(list)
        before, other = [0, 0], 1 - player
        for bundle in self.bundles:
            counts = [len(bundle.sequences[p]) for p in (player, other)]
            begin = [len(rows[name]) for name in _LISTED]
            rows["own"] += bundle.decisions[player]
            rows["other"] += bundle.decisions[other]
            rows["even"] += bundle.even[player]
            rows["other_even"] += bundle.even[other]
            self._add_leaves(bundle, player, rows)
            ends = [len(rows[name]) for name in _LISTED]
            facts.append([*counts, *before, *(x for pair in zip(begin, ends, strict=True) for x in pair)])
            before = [before[0] + counts[0], before[1] + counts[1]]

        def numbers(name: str, columns: int) -> AnyArray:
            return np.array(rows[name], np.int64).reshape(-1, columns)

        def vectors(name: str) -> AnyArray:
            return np.array(rows[name], self._game.dtype).reshape(-1, self.width)

        return MoverStreet(
            np.array(facts, np.int64), numbers("own", 3), numbers("other", 3), numbers("earned", 3),
            vectors("amounts").reshape(-1, 6, self.width), vectors("even"), vectors("other_even"), numbers("dealt", 4),
            numbers("links", 2),
        )  # fmt: skip

    def _begin(self, entry: int) -> int:
        betting, root = self._game.betting, int(self._game.roots[self._street][entry])
        return betting.children(root)[0] if betting.kind[root] == Kind.DEAL else root

    def _size(self, node: int) -> int:
        betting = self._game.betting
        if betting.kind[node] > Kind.PLAYER1:
            return 1
        return 1 + sum(self._size(child) for child in betting.children(node))

    def _bundle(self, entries: list[int], first: list[dict[int, int]]) -> _Bundle:
        betting, found = self._game.betting, _Bundle(entries)
        endings = {kind: _SHOWN if self._after is None else _DEALT for kind in Kind if kind > Kind.PLAYER1}
        endings |= {fold: fold.name for fold in (Kind.FOLD0, Kind.FOLD1)}

        def walk(nodes: list[int], at: tuple[int, int]) -> None:
            ends = [endings.get(Kind(int(betting.kind[n])), "") if n >= 0 else "" for n in nodes]
            for ending in sorted({*ends} - {""}):
                here = [node if end == ending else -1 for node, end in zip(nodes, ends, strict=True)]
                found.leaves.append((ending, at, here))
            for player in (0, 1):
                here = [node if node >= 0 and betting.kind[node] == player else -1 for node in nodes]
                if any(node >= 0 for node in here):
                    act(player, here, at)

        def act(player: int, nodes: list[int], at: tuple[int, int]) -> None:
            children = [self._actions(node) for node in nodes]
            keys, begin = sorted({key for some in children for key in some}), len(found.sequences[player])
            found.decisions[player].append((at[player], begin, len(keys)))
            for key in keys:
                places = [some.get(key, (0, -1)) for some in children]
                found.sequences[player].append(
                    [first[player][n] + k if c >= 0 else -1 for n, (k, c) in zip(nodes, places, strict=True)]
                )
                chances = [1.0 / len(some) if c >= 0 else 0.0 for some, (_, c) in zip(children, places, strict=True)]
                found.even[player].append(chances + [0.0] * (self.width - len(nodes)))
            for k, key in enumerate(keys):
                below = (begin + k, at[1]) if player == 0 else (at[0], begin + k)
                walk([some.get(key, (0, -1))[1] for some in children], below)

        walk([self._begin(entry) for entry in entries], (ENTRY, ENTRY))
        return found

    def _actions(self, node: int) -> dict[tuple[int, int], tuple[int, int]]:
        """The number of each action, and the node after it, by its kind and by how many smaller bets there are."""
        if node < 0:
            return {}
        betting, seen = self._game.betting, defaultdict[int, int](int)
        found = {}
        for k, child in enumerate(betting.children(node)):
            move = int(betting.move[child])
            found[move, seen[move]] = k, child
            seen[move] += 1
        return found

    def _add_leaves(self, bundle: _Bundle, player: int, rows: dict[str, list[Any]]) -> None:
        shown, folded = defaultdict[int, list[Any]](list), defaultdict[int, list[Any]](list)
        for ending, at, nodes in bundle.leaves:
            own, other = at[player], at[1 - player]
            if ending == _DEALT:
                begin = len(rows["links"])
                rows["links"] += [(k, self._after_slots[node]) for k, node in enumerate(nodes) if node >= 0]
                rows["dealt"].append((own, other, begin, len(rows["links"])))
            else:
                betting, none = self._game.betting, (0.0, 0.0, 0.0)
                # a win, a loss and a tie of each line
                stakes = [showdown_stakes(betting, (0, 0), n, player)[2:] if n >= 0 else none for n in nodes]
                (shown if ending == _SHOWN else folded)[other].append((own, stakes))
        # By position of the other: the k-th showdown and the k-th fold share one row.
        for other in sorted({*shown, *folded}):
            for k in range(max(len(shown[other]), len(folded[other]))):
                show = shown[other][k] if k < len(shown[other]) else (NOTHING, None)
                fold = folded[other][k] if k < len(folded[other]) else (NOTHING, None)
                rows["earned"].append((other, show[0], fold[0]))
                rows["amounts"].append(self._amounts(show[1], fold[1]))

    @cached_property
    def _after_slots(self) -> dict[int, int]:
        assert self._after is not None
        roots = self._game.roots[self._street + 1]
        return {int(node): int(slot) for node, slot in zip(roots, self._after.slots, strict=True)}

    def _amounts(self, show: Any, fold: Any) -> AnyArray:
        found = np.zeros((6, self.width))
        for column in range(len(show or fold)):
            ratio = 0.0
            if show is not None:
                win, loss, tie = show[column]
                gap = tie - loss
                ratio = (win - tie) / gap if gap else 1.0
                found[:4, column] = ratio, gap, loss / (1.0 + ratio), tie
            if fold is not None:
                amount = fold[column][0]
                found[4:, column] = amount / (1.0 + ratio), amount
        return found
