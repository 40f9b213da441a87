"""Sizes of a spot and of responses in it, from betting and ranges alone, known before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterplay.gametree.build.size_estimate import check_memory
from counterplay.jit.threads import threads
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Cards, count_isomorphic, count_places, isomorphic_suits
from counterplay.poker.public_tree.hand_treeplex import layer_of, layers_of, shape_of
from counterplay.treeplex.treeplex import LANES

BASE, PLACE = 100_000, 80
SOLVED = (54, 24)
"""Bytes at the peak of a solve that are really used. A hand on a board: its cards, its rank, its steps of a showdown, its
places on earlier boards. Then, in float64, those of a sequence: four arrays that stay (regrets, plan, average, CFVs), and
for a look at exploitability two averages and one player's CFVs; and those of a lane: its parent, its freedom, its scale, its
place in the order."""
DOUBLE, SINGLE, HALF, READ = "double", "single", "half", "read"
"""How a spot is solved: in float64, or with regrets and averages in float32 or in 16 bits; or read from a file."""
STORED = {SINGLE: (8, 0), HALF: (4, 8)}
"""Bytes of a sequence, padding included, and of a decision on a board, of the compact engine (`poker.compact`)."""
_COMPACT = STORED | {DOUBLE: (16, 0)}
"""The same where plans in float64 stand in a store."""
COMPACT_PLACE = 100
"""Bytes of a hand on a board, of the compact engine."""
WORKING = 12
"""Bytes of a number in the working sets of its threads: float32 in iterations, float64 in looks at exploitability."""
LARGE = 1 << 22
"""Sequences of both players above which strategies of a file are stored averages of the compact engine."""
ANSWERS = 2
"""Answers that are kept at once beside the newest, when an exploitability is limited: averages of the responder."""
LOCKING, WINDOW = 900, 8 << 23
"""Bytes while boards are entered one by one: of a hand on a board, the numbers of one betting node on all boards; CFVs kept
at a time."""
CHANGED, TRUSTED = 250, 32
"""Bytes while lines are applied: of a hand on a board, what is read and changed at a time; of a hand that is locked at a
decision, its infoset and the trust in it, of one node and of all. Measured on turns (`tests/poker/test_public_trees.py`)."""
SUMMED = 12
"""Bytes of a hand on the first board, for each next card after each betting sequence before it: its sums of CFVs."""
_DEAL = int(Kind.DEAL)
_WAITING = _DEAL, int(Kind.SHOWDOWN)
"""Nodes after which cards come, if they are on a street before the last."""
KEPT, WRITTEN = (8, 20), (8, 16)
"""Of a sequence and of a lane, when plans are written out on the tree of all boards: those of the smaller tree, which is
still there, and those of the larger one."""
SHOWN = (24, 12)
"""When a node of the solution is asked for, in float64 on the tree of all boards: plans, both behaviours, and one player's
CFVs twice."""
ASKED, LEAKY, DOUBLED = (16, 0), (20, 14), (86, 58)
"""The same, on top of a solve in float64, when an opponent's leaks are answered. Of both players: the solution that the
leaks are measured against, and its behaviour. Of the opponent: the behaviour with leaks, what is locked and how much, the
spot restricted to it. Of one who is met with and without leaks at once: all of a solve a second time, the mixture of the
copies, and what binds both."""
_GIB = 2**30


@dataclass(frozen=True)
class SpotSize:
    """The size of a spot.

    Attributes:
        betting: nodes of the betting tree, without cards.
        nodes: betting nodes times their possible boards.
        infosets: decisions of both players, by hand.
        sequences: their actions.
        memory: bytes at the peak of a solve.
    """

    betting: int
    nodes: int
    infosets: int
    sequences: int
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.betting:,} betting nodes, {self.nodes:,} with the cards to come; {self.infosets:,} infosets, "
            f"{self.sequences:,} sequences; {self.memory / _GIB:.3g} GiB"
        )

    def check(self, limit: float | None = None) -> None:
        """Reject a spot that needs more bytes than `limit`, by default half of the machine's memory; the error has the
        estimate."""
        advice = "ask for fewer bet sizes, a cap on raises or narrower ranges"
        check_memory(f"the spot has {self}", self.memory, limit, advice)


class Leaky(NamedTuple):
    """A player with leaks who is answered.

    Attributes:
        twice: they are met with and without leaks at once: p is between 0 and 1, or exploitability is limited.
        bounded: exploitability is limited.
        nodes: the betting nodes at which hands are locked; None for all of theirs.
    """

    player: int
    twice: bool = False
    bounded: bool = False
    nodes: tuple[int, ...] | None = None


@lru_cache(maxsize=2)  # asked by a command that shows it, then by the solve
def size_of(
    betting: BettingTree,
    cards: Cards,
    *,
    alike: bool = False,
    precision: str = DOUBLE,
    leaky: Leaky | None = None,
    shown: bool = False,
) -> SpotSize:
    """The size of a public tree, and the memory of a solve in a precision: DOUBLE, SINGLE, HALF, or READ.

    With `alike` isomorphic suits are dealt once, and the plans written out on all boards at the end, as by
    `solve_tree`. The leaks of `leaky` are answered afterwards, on all boards (see `exploit_leak.exploit_leak`).
    `shown`: nodes of the solution are reported."""
    here, all_boards = laid_trees(betting, cards, alike=alike)
    memory = float(here.bytes(SOLVED))
    if precision in STORED:
        memory = here.compact(precision)
        memory = max(memory, 0.5 * memory + PLACE * all_boards.places)  # the answer: averages, and all boards
        memory += here.working()
        if leaky is not None:
            # All boards are dealt. There are the averages of the solution, on the boards that are dealt once and on all;
            # locks, of the strategy with leaks and of what it may play; regrets and averages of the solve, and if it meets
            # the opponent twice, theirs a second time, beside the averages of the worst opponent with the leaks; and the
            # averages of answers.
            own, both = all_boards.compact(precision, leaky.player), all_boards.numbers(precision)
            needed = both + (1.5 * own + all_boards.working() if leaky.twice else 0.0)
            for tree in {here, all_boards}:
                numbers = tree.numbers(precision)
                needed += 0.5 * numbers + tree.compact(precision) - numbers + tree.working()
            needed += 0.5 * ANSWERS * (both - own) if leaky.bounded else 0.0
            locked = sum(lanes for _, _, lanes in all_boards.decisions(leaky.player, leaky.nodes))
            needed += 2.0 * all_boards.locks(leaky.player, leaky.nodes) + TRUSTED * locked + CHANGED * all_boards.places
            memory = max(memory, needed)
    elif precision == READ:
        memory = all_boards.bytes(SHOWN)
        if all_boards.sequences > LARGE:
            memory = 0.5 * all_boards.compact(SINGLE) + 4 * all_boards.sequences
    elif here is not all_boards:
        memory = max(memory, here.bytes(KEPT) + all_boards.bytes(WRITTEN))
    if precision not in STORED:
        if shown:
            memory = max(memory, all_boards.bytes(SHOWN))
        if leaky is not None:
            more = all_boards.more(LEAKY, leaky.player) + (all_boards.more(DOUBLED, leaky.player) if leaky.twice else 0)
            memory = max(memory, all_boards.bytes(SOLVED, ASKED) + more)
    played = [shape.groups[1:] for shape in here.shapes]  # without the deal
    return SpotSize(
        betting.nodes,
        here.nodes,
        sum(int(groups[:, 4].sum()) for groups in played),
        sum(int((groups[:, 2] * groups[:, 4]).sum()) for groups in played),
        BASE + memory,
    )


_Layers = list[tuple[int, int, int]]
"""Boards, places and lanes of each layer."""


@lru_cache(maxsize=2)  # the sizes of one spot by several precisions and players
def laid_trees(betting: BettingTree, cards: Cards, *, alike: bool) -> tuple[LaidTree, LaidTree]:
    """The tree where isomorphic suits are dealt once, if asked, and that of all boards; one twice if they are equal."""
    deals, group = betting.rules.last - betting.rules.first, isomorphic_suits(cards) if alike else ()
    held = [cards.weights[player] > 0.0 for player in (0, 1)]
    ranges = [cards, *(replace(cards, hands=cards.hands[own], weights=cards.weights[:, own]) for own in held)]
    layers = [[(boards, count, count) for boards, count in count_places(side, deals)] for side in ranges]
    all_boards = LaidTree(betting, *layers)
    if not deals or len(group) < 2:
        return all_boards, all_boards
    return LaidTree(betting, *(count_isomorphic(side, deals, group) for side in ranges)), all_boards


class LaidTree:
    """The layout of a public tree. layers: those of both ranges together; first, second: of each player's own hands."""

    def __init__(self, betting: BettingTree, layers: _Layers, first: _Layers, second: _Layers) -> None:
        self._betting, self._layers, self._own = betting, layers, (first, second)
        self.places = sum(count for _, count, _ in layers)
        self.shapes = [shape_of(betting, player, [lanes for *_, lanes in layers]) for player in (0, 1)]

    def bytes(self, *each: tuple[int, int]) -> int:
        """So many bytes of each sequence and of each lane, and the hands."""
        return PLACE * self.places + sum(self.more(one, player) for one in each for player in (0, 1))

    def more(self, each: tuple[int, int], player: int) -> int:
        """So many bytes of each sequence and of each lane of a player."""
        shape = self.shapes[player]
        return each[0] * shape.size + each[1] * int(shape.groups[:, 1].sum())

    @property
    def nodes(self) -> int:
        last = len(self._layers) - 1
        layers, counts = np.unique(np.minimum(layers_of(self._betting), last), return_counts=True)
        return sum(self._layers[layer][0] * n for layer, n in zip(layers.tolist(), counts.tolist(), strict=True))

    @property
    def sequences(self) -> int:
        return sum(int((shape.groups[:, 2] * shape.groups[:, 4]).sum()) for shape in self.shapes)

    def working(self) -> float:
        """Bytes of the working sets of a solve on the compact engine: one of the first street, and for each thread one of
        each street after it."""
        # Rows by layer: three for each action of a player (reaches of both, CFVs) in the part of the betting between two
        # deals that has most; on the last of several layers, in all that follows such a part.
        betting, layers = self._betting, len(self._layers)
        part, rows = [0] * betting.nodes, dict[tuple[int, int, int], int]()  # part: its first node, by node
        kinds, where_dealt = betting.kind.tolist(), layers_of(betting).tolist()
        for node, kind in enumerate(kinds):
            after = betting.children(node)
            for child in after:
                part[child] = child if kind == _DEAL and where_dealt[child] + 1 < layers else part[node]
            if kind < _DEAL and len(after) > 1:
                where = where_dealt[node], part[node], kind
                rows[where] = rows.get(where, 1) + len(after)
        streets = []
        for layer in range(layers):
            width = max(-(-own[layer][2] // own[layer][0]) for own in self._own) + LANES
            streets.append(3 * max((n for (k, *_), n in rows.items() if k == layer), default=1) * width)
        return WORKING * (streets[0] + threads() * sum(streets[1:]))

    def numbers(self, precision: str) -> float:
        """Bytes of both players' numbers on the compact engine."""
        return self.compact(precision, 0) + self.compact(precision, 1)

    def locks(self, player: int, nodes: tuple[int, ...] | None = None) -> float:
        """Bytes of locks there in float32: of a decision, a row of what is left free, and one by action."""
        return sum(
            4.0 * (1 + actions) * (lanes + 0.5 * (LANES - 1) * boards)
            for actions, boards, lanes in self.decisions(player, nodes)
        )

    def decisions(self, player: int, nodes: tuple[int, ...] | None) -> list[tuple[int, int, int]]:
        """Actions, boards and hands of each of some decisions of a player, None for all."""
        betting, found = self._betting, list[tuple[int, int, int]]()
        for node in range(betting.nodes) if nodes is None else nodes:
            actions = int(betting.first[node + 1] - betting.first[node])
            if betting.kind[node] == player and actions > 1:
                boards, _, lanes = self._own[player][layer_of(betting, node)]
                found.append((actions, boards, lanes))
        return found

    def compact(self, precision: str, player: int | None = None) -> float:
        """Bytes of a solve on the compact engine, or those of a player's numbers alone."""
        betting, first = self._betting, max(own[0][2] for own in self._own)
        each, block = _COMPACT[precision]
        memory = 0.0 if player is not None else float(COMPACT_PLACE * self.places)
        # Nodes of one kind, layer and number of actions cost the same, and so do those before the first deal.
        waits = betting.street == betting.rules.first
        rows = (betting.kind, layers_of(betting), waits, np.diff(betting.first))
        shape = tuple(int(row.max()) + 1 for row in rows)
        codes, counts = np.unique(np.ravel_multi_index(rows, shape), return_counts=True)
        for code, n in zip(codes, counts.tolist(), strict=True):
            kind, layer, first_street, actions = (int(one) for one in np.unravel_index(code, shape))
            if player is not None and kind != player:
                continue
            if kind < _DEAL and actions > 1:
                boards, _, lanes = self._own[kind][layer]
                memory += n * (each * actions * (lanes + 0.5 * (LANES - 1) * boards) + block * boards)
            elif kind in _WAITING and first_street and len(self._layers) > 1:
                memory += n * SUMMED * self._layers[1][0] * first
        return memory


_DTYPES = 2
"""Work spaces of sweeps: of the iterations, and of measurements in float64."""


class Needs(NamedTuple):
    """What a method holds at once, beside the equilibrium and the model.

    Attributes:
        answers: averages of the responder.
        ways: ways of the opponent that are iterated, with the responder; 0 if one sweep finds the response.
        locked: whether decisions of the opponent are bound one by one.
        profiles: pairs of averages of both players, of look-aheads.
        gadgets: whether boards are entered one by one, by CFVs.
        portfolio: further averages of both players, to continue with.
        nested: whether the game beyond a limit is solved.
        arrays: bytes of the street that a look-ahead with a value function sees.
    """

    answers: int = 1
    ways: int = 0
    locked: bool = False
    profiles: int = 0
    gadgets: bool = False
    portfolio: tuple[int, int] = (0, 0)
    nested: bool = False
    arrays: float = 0.0

    @property
    def all_boards(self) -> bool:
        """Return whether boards that are alike are told apart."""
        return self.locked or self.profiles > 0


def response_memory(
    betting: BettingTree, cards: Cards, precision: str, opponent: int, needs: Needs, *, alike: bool
) -> float:
    """Bytes at the peak of a response to a model of `opponent`, the solve of the equilibrium before it included.
    `alike`: the model stands where isomorphic suits are dealt once."""
    here, every = laid_trees(betting, cards, alike=True)
    known = _Parts(here, precision, opponent)
    parts = known if alike and not needs.all_boards else _Parts(every, precision, opponent)
    memory = known.rest + 0.5 * (known.own + known.other) + 0.5 * parts.other
    if parts.tree is not known.tree:  # the equilibrium again, on all boards
        memory += parts.rest + 0.5 * (parts.own + parts.other)
    memory += needs.answers * 0.5 * parts.own + needs.profiles * 0.5 * (parts.own + parts.other)
    memory += 0.5 * (needs.portfolio[1 - opponent] * parts.own + needs.portfolio[opponent] * parts.other)
    ways = max(needs.ways, int(needs.nested))  # what lies beyond a limit is solved before, or with the opponent free
    if ways:
        memory += parts.own + ways * parts.other + _DTYPES * parts.rest
    if needs.locked:  # each answer keeps the locks under which it was found
        memory += (1 + needs.answers) * every.locks(opponent)
    if needs.gadgets:
        # CFVs in float64 take as many bytes as both numbers in float32.
        window = min(WINDOW, every.compact(SINGLE, opponent))
        memory += window + LOCKING * every.places + every.locks(1 - opponent)
    return BASE + needs.arrays + max(memory, known.rest + known.own + known.other)


class _Parts:
    """The numbers of the responder and of the opponent, and what the layout takes besides."""

    def __init__(self, tree: LaidTree, precision: str, opponent: int) -> None:
        self.tree, self.own, self.other = tree, tree.compact(precision, 1 - opponent), tree.compact(precision, opponent)
        self.rest = tree.compact(precision) - self.own - self.other
