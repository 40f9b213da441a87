"""Solving a spot, and asking the solution: strategy, range, expected value and equity of every hand at every node."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.poker.betting import Kind
from counterplay.poker.boards import Ints, met
from counterplay.poker.cards import card_text, parse_card
from counterplay.poker.estimate import size_of
from counterplay.poker.leaves import Part, Showdowns
from counterplay.poker.problem import PublicTree
from counterplay.poker.ranges import Range
from counterplay.poker.ranks import hand_equities
from counterplay.poker.runs import made
from counterplay.poker.solving import solve_tree
from counterplay.poker.spot import RULES, Spot
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.sweeps import behaviour_of, values

if TYPE_CHECKING:
    from counterplay.poker.ranged import Ranged

Floats = NDArray[np.float64]
METHOD = "dcfr:1.5,0,4"
"""The fastest to 0.3 % of the pot of those measured (benchmarks/river.py)."""
EXPLOITABILITY = 0.5
"""Per cent of the pot at which a solve stops by default."""
_FLOP = 3
_CARD = re.compile(r"[2-9tjqka][cdhs]", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Node:
    """What a solution says of a node. Arrays run over the hands of the deck; NaN where a hand has no such number.

    Attributes:
        path: how it is reached, in full.
        board: the cards shown there.
        player: who acts, 0 (oop) or 1 (ip); None where nobody does.
        actions: what the player may do.
        probabilities: (n, actions) how often each hand does it.
        ranges: two (n,): with what weight each player has each hand there.
        values: two (n,): chips that each hand takes out of the pot from there on, less what it still puts in. Both
            players' means add up to the pot, but for the rake.
        equities: two (n,): share of the pot if nobody bet any more.
        means: of the values, over all pairs of hands.
        shares: of the equities, likewise.
        pot: chips in the middle.
    """

    path: str
    board: tuple[int, ...]
    player: int | None
    actions: tuple[str, ...]
    probabilities: Floats
    ranges: tuple[Floats, Floats]
    values: tuple[Floats, Floats]
    equities: tuple[Floats, Floats]
    means: tuple[float, float]
    shares: tuple[float, float]
    pot: float


@dataclass(frozen=True, eq=False)
class SolvedSpot:
    """An (approximate) equilibrium of a spot.

    Attributes:
        spot: the question.
        tree: its public tree.
        plans: of oop and ip.
        facts: method, iterations, seconds, exploitability in chips and in per cent of the pot, ...
    """

    spot: Spot
    tree: PublicTree
    plans: tuple[Floats, Floats]
    facts: dict[str, Any]

    @property
    def is_equilibrium(self) -> bool:
        """Whether it is meant as one, and not as an answer to leaks (which notes the opponent) or to a model (the seat)."""
        return not {"opponent", "seat"} & self.facts.keys()

    @cached_property
    def behaviours(self) -> tuple[Floats, Floats]:
        """Two (size,): what both do, also where their plans do not come."""
        first, second = (behaviour_of(runs.tree, plan) for runs, plan in zip(self.tree.runs, self.plans, strict=True))
        return first, second

    def as_game(self) -> Ranged:
        """As the methods take it; errors as in `ranged`."""
        from counterplay.poker.ranged import ranged

        return ranged(self)

    def node(self, path: str = "") -> Node:
        """The node at the end of a path such as "x b100 c Ah x": actions as `BettingTree.find` reads them, and cards.

        Raises:
            InputError: a step that is none, a card that cannot come, too many cards or too few.
        """
        part = self.find(path)
        betting, boards = self.tree.betting, self.tree.boards
        board = boards.layers[part.layer].boards[part.board]
        reaches = self._reach(part, 0), self._reach(part, 1)
        found = [self._values(part, player, reaches[1 - player]) for player in (0, 1)]
        mass = [self._met(part, reaches[1 - i]) * reaches[i] for i in (0, 1)]
        ranges = self.node_ranges(part)
        shares = [self._equities(board, ranges[1 - i]) for i in (0, 1)]
        acts = betting.kind[part.node] <= Kind.PLAYER1
        player = int(betting.kind[part.node]) if acts else None
        weights = [self._spread(part, one, 0.0) for one in mass]
        return Node(
            self._text(part), board, player, betting.actions(part.node) if acts else (), self._probabilities(part),
            ranges, (self._spread(part, found[0]), self._spread(part, found[1])), (shares[0], shares[1]),
            (_mean(found[0], mass[0]), _mean(found[1], mass[1])),
            (_mean(shares[0], weights[0]), _mean(shares[1], weights[1])), float(betting.pot[part.node]),
        )  # fmt: skip

    def find(self, path: str) -> Part:
        """Where a path leads, as a part of the public tree; errors as in `node`."""
        betting, layers = self.tree.betting, self.tree.boards.layers
        actions, cards = split(path)
        node = betting.find(actions)
        dealt = int(betting.street[node]) - betting.rules.first
        if betting.kind[node] == Kind.DEAL and len(cards) == dealt + 1:
            node, dealt = betting.children(node)[0], dealt + 1
        if len(cards) != dealt:
            raise InputError(f"the path '{path}' needs {dealt} dealt cards, and names {len(cards)}")
        board = (*self.spot.board, *(parse_card(card) for card in cards))
        if board not in layers[dealt].boards:
            raise InputError(f"the path '{path}' deals a card that is not left in the deck")
        return Part(node, dealt, layers[dealt].boards.index(board))

    def node_ranges(self, part: Part) -> tuple[Floats, Floats]:
        """Two (n,), over the hands of the deck: with what weight each player comes to a part of the tree."""
        first, second = (self._spread(part, self._reach(part, player), 0.0) for player in (0, 1))
        return first, second

    def save(self, path: str | Path) -> None:
        """Write it to a `.spot` file."""
        from counterplay.poker.spot_file import save

        save(self, Path(path))

    def _text(self, part: Part) -> str:
        board = self.tree.boards.layers[part.layer].boards[part.board][len(self.spot.board) :]
        return ", ".join(text for text in (self.tree.betting.path(part.node), *map(card_text, board)) if text)

    def _hands(self, part: Part) -> slice:
        first = self.tree.boards.layers[part.layer].first
        return slice(int(first[part.board]), int(first[part.board + 1]))

    def _cards(self, part: Part) -> Ints:
        """The hands of the board, by number among the hands dealt."""
        return self.tree.boards.layers[part.layer].hand[self._hands(part)]

    def _places(self, part: Part, player: int) -> Ints:
        """Where a player's hands stand in the plan on coming to a node."""
        runs = self.tree.runs[player]
        up = self.tree.boards.above(part.layer, made(self.tree.betting, runs, part.node))
        return int(runs.start[runs.before[part.node]]) + up[self._hands(part)]

    def _reach(self, part: Part, player: int) -> Floats:
        reach: Floats = np.maximum(self.plans[player][self._places(part, player)], 0.0)
        return reach

    def _met(self, part: Part, reach: Floats) -> Floats:
        return met(self.tree.boards.cards.hands[self._cards(part)], reach)

    def _values(self, part: Part, player: int, against: Floats) -> Floats:
        """Chips of each hand of the board from the node on."""
        tree, betting = self.tree, self.tree.betting
        payoff = Showdowns(betting, tree.tables, tree.runs, tree.leaves.unit, part)
        cfv = payoff.product(player, self.plans[1 - player])
        below = values(tree.runs[player].tree, self.behaviours[player], cfv)[self._places(part, player)]
        unit = payoff.unit * tree.boards.layers[part.layer].chance
        mass = self._met(part, against)
        own = float(betting.committed[part.node, player]) + 0.5 * self.spot.pot
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(mass > 1e-12 * mass.max(initial=0.0), below / (unit * mass) + own, np.nan)

    def _spread(self, part: Part, numbers: Floats, fill: float = np.nan) -> Floats:
        """Numbers of the hands of the board, over the hands of the deck."""
        out = np.full((len(self.spot.deck.hands), *numbers.shape[1:]), fill)
        out[self.spot.numbers[self._cards(part)]] = numbers
        return out

    def _probabilities(self, part: Part) -> Floats:
        betting = self.tree.betting
        after = betting.children(part.node) if betting.kind[part.node] <= Kind.PLAYER1 else []
        here = self._hands(part)
        if len(after) == 1:
            return self._spread(part, np.ones((here.stop - here.start, 1)))
        if not after:
            return self._spread(part, np.zeros((here.stop - here.start, 0)))
        player = int(betting.kind[part.node])
        starts = [int(self.tree.runs[player].start[child]) for child in after]
        columns = [self.behaviours[player][start + here.start : start + here.stop] for start in starts]
        return self._spread(part, np.stack(columns, axis=1))

    def _equities(self, board: tuple[int, ...], against: Floats) -> Floats:
        if not against.any():
            return np.full(len(against), np.nan)
        return hand_equities(Range(np.minimum(against, 1.0), self.spot.deck), board, rules=RULES[self.spot.rules])


def split(path: str) -> tuple[str, list[str]]:
    """The actions of a path, and its cards."""
    words = path.replace(",", " ").split()
    return " ".join(word for word in words if not _CARD.fullmatch(word)), [w for w in words if _CARD.fullmatch(w)]


def _mean(numbers: Floats, mass: Floats) -> float:
    held = (mass > 0.0) & np.isfinite(numbers)
    return float(numbers[held] @ mass[held] / mass[held].sum()) if held.any() else np.nan


def solve_spot(
    spot: Spot,
    *,
    method: str = METHOD,
    exploitability: float = EXPLOITABILITY,
    iterations: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    single: bool | None = None,
    progress: Progress | None = None,
) -> SolvedSpot:
    """Solve a spot.

    Args:
        spot: the question.
        method: a regret minimiser, as in `solvers.minimiser`.
        exploitability: stop at this mean of what both could still win, in per cent of the pot.
        iterations, seconds: stop there at the latest.
        memory: bytes beyond which nothing is allocated; by default half of the machine's memory.
        single: iterate in float32, which takes half of the memory and is faster; by default on flops.
        progress: called now and then with iterations and exploitability in chips.

    Raises:
        InputError: it does not fit, there is no such method, or a limit is negative.
    """
    stop = stop_of(spot, exploitability, iterations, seconds)
    chosen = minimiser(method)
    single = in_single(spot) if single is None else single
    size = size_of(spot.betting, spot.cards, single=single)
    size.check(memory)
    tree, solution = solve_tree(spot.betting, spot.cards, chosen, stop, progress, single=single)
    facts = {
        "method": solution.method,
        "iterations": solution.iterations,
        "exploitability": solution.exploitability,
        "exploitability_percent": 100.0 * solution.exploitability / spot.pot,
        "seconds": solution.seconds,
        "interrupted": solution.interrupted,
        "precision": "float32" if single else "float64",
        "nodes": size.nodes,
        "memory": size.memory,
        "version": version(),
    }
    return SolvedSpot(spot, tree, solution.plans, facts)


def in_single(spot: Spot) -> bool:
    """Whether a spot is solved in float32 unless somebody says otherwise: on flops, whose size is their trouble."""
    return len(spot.cards.board) == _FLOP


def stop_of(spot: Spot, exploitability: float, iterations: int | None = None, seconds: float | None = None) -> Stop:
    """When to stop, with exploitability in per cent of the pot."""
    most = 1 << 62 if iterations is None else iterations
    return Stop(0.01 * exploitability * spot.pot, most, inf if seconds is None else seconds)
