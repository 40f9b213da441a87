"""One spot on many flops: frequencies, EV, and what a leak is worth there, as work flop by flop.

The ranges, chips and bets stay, the flop changes. A flop counts as often as it comes, times the weight of the pairs of hands
that both players can hold on it. Results are a few kilobytes a flop, and stream into a record of work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.memory_limit import default_memory
from counterplay.poker.betting.state import Kind
from counterplay.poker.locking.exploit_leak import FREE, check_dials, chips, exploit_leak, needed_accuracy
from counterplay.poker.locking.leak_match import LeakLineError, check_leaks, nodes_of, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.public_tree.hand_treeplex import place_of
from counterplay.poker.public_tree.size_estimate import Leaky, SpotSize, size_of
from counterplay.poker.ranges.grid import SIDE, mean_rows, to_grid
from counterplay.poker.reports.flop_choice import FlopChoice
from counterplay.poker.spots.solution import Node, SolvedSpot
from counterplay.poker.spots.solve_spot import EXPLOITABILITY, METHOD, method_of, precision_of, solve_spot
from counterplay.poker.spots.spot import Spot
from counterplay.work.work import WorkRecipe


@dataclass(frozen=True)
class LeakQuestion:
    """What is asked of a leak on every flop; the dials are those of `exploit_leak`.

    Attributes:
        text: the leaks.
        p, max_exploitability, elsewhere: the dials.
    """

    text: str
    p: float | None = None
    max_exploitability: str | None = None
    elsewhere: str = FREE

    @cached_property
    def leaks(self) -> Leaks:
        """The leaks."""
        return Leaks.from_text(self.text)


@dataclass(frozen=True)
class FlopReport(WorkRecipe):
    """A spot on many flops; the keys of its pieces are flops.

    Attributes:
        spot: ranges, chips and bets; its board is only an example.
        choice: the flops, and how often each counts.
        nodes: betting paths on the flop whose frequencies are kept; "" is the root.
        leak: the leak whose gain is computed; None for none.
        exploitability: accuracy of the solves in per cent of the pot; None for 0.5, or what the leak needs.
        precision: as of `solve_spot`; None for its default.
        memory: bytes that one solve may take; None for half of the machine's.
    """

    spot: Spot
    choice: FlopChoice
    nodes: tuple[str, ...] = ("",)
    leak: LeakQuestion | None = None
    exploitability: float | None = None
    precision: str | None = None
    memory: float | None = None

    def check(self) -> None:
        """Reject, before anything is solved, what fits no flop."""
        if self.spot.street != "flop":
            raise InputError(f"a report is about flops, and the spot begins on the {self.spot.street}")
        if not self.keys():
            raise InputError("no flop of the report leaves both players a hand")
        example = self.on(self.keys()[0])
        for path in self.nodes:
            node, board = place_of(example.betting, example.deck.cards, example.board, path)
            if len(board) > len(example.board) or int(example.betting.kind[node]) > Kind.PLAYER1:
                raise InputError(f"a report shows decisions on the flop, and '{path}' is none")
        self._check_memory(example)
        if self.leak is None:
            return None
        check_dials(self.leak.p, self.leak.max_exploitability, self.leak.elsewhere)
        if self.leak.max_exploitability is not None:
            chips(self.leak.max_exploitability, self.spot.stakes)
        problem = None
        for key in self.keys():
            try:
                return check_leaks(self.leak.leaks, self.on(key))
            except LeakLineError as error:
                problem = error
        raise problem or InputError("the leaks fit no flop")

    def identity(self) -> dict[str, Any]:
        """All settings but the choice of flops, so that a larger report goes on from a smaller one."""
        asked = None if self.leak is None else {**vars(self.leak), "text": str(self.leak.leaks), "leaks": None}
        spot = {name: value for name, value in self.spot.table().items() if name != "board"}
        return {
            "what": "flop report", "spot": spot, "nodes": list(self.nodes), "leak": asked,
            "exploitability": self.accuracy, "precision": self.precision,
        }  # fmt: skip

    def keys(self) -> list[str]:
        """The flops on which both players can hold a hand."""
        return [flop for flop in self.choice.flops if self._pairs[flop] > 0.0]

    def weight(self, flop: str) -> float:
        """How often a flop counts: as often as the choice says, times the pairs of hands that can be dealt on it."""
        return self._often[flop] * self._pairs[flop]

    def on(self, flop: str) -> Spot:
        """The spot on a flop."""
        return replace(self.spot, board=self.spot.deck.held(flop))

    @property
    def accuracy(self) -> float:
        """Accuracy of the solves, in per cent of the pot."""
        if self.exploitability is not None:
            return self.exploitability
        if self.leak is None:
            return EXPLOITABILITY
        return needed_accuracy(self.spot, self.leak.max_exploitability)  # so that nothing is solved twice

    def worker_memory(self) -> float:
        """Of the first flop: others take as much, or less where suits are alike."""
        return self._size(self.on(self.keys()[0])).memory

    def compute(self, key: str) -> dict[str, Any]:
        """The numbers of a flop, as plain data."""
        spot = self.on(key)
        self._check_memory(spot)
        solved = solve_spot(spot, exploitability=self.accuracy, precision=self.precision, memory=self._memory)
        if solved.facts["interrupted"]:
            raise KeyboardInterrupt
        root = solved.node("")
        told = {
            "ev": list(root.means), "equity": list(root.shares), "exploitability": solved.facts["exploitability"],
            "iterations": solved.facts["iterations"], "seconds": solved.facts["seconds"],
            "nodes": {path: _node_facts(solved.node(path)) for path in self.nodes},
        }  # fmt: skip
        return told if self.leak is None else {**told, "leak": self._gain(solved)}

    @property
    def _memory(self) -> float:
        return default_memory() if self.memory is None else self.memory

    def _check_memory(self, spot: Spot) -> None:
        """Refuse a flop that does not fit."""
        self._size(spot).check(self._memory)

    def _size(self, spot: Spot) -> SpotSize:
        """The size of a flop, with the solves against the leak."""
        precision = precision_of(spot, method_of(METHOD), self.precision, self._memory)
        return size_of(spot.betting, spot.cards, alike=True, precision=precision, shown=True, leaky=self._leaky(spot))

    def _leaky(self, spot: Spot) -> Leaky | None:
        """The player with the leak."""
        if self.leak is None:
            return None
        leaks, bounded = self.leak.leaks, self.leak.max_exploitability is not None
        twice = bounded or self.leak.p is not None
        return Leaky(opponent_of(leaks, spot.betting), twice, bounded, nodes_of(leaks, spot.betting))

    def _gain(self, solved: SolvedSpot) -> dict[str, Any] | None:
        """What the leak is worth; None on a flop that leaves none of its hands."""
        assert self.leak is not None
        try:
            lock = lock_nodes(solved, self.leak.leaks)
        except LeakLineError:
            return None
        asked = self.leak
        found = exploit_leak(
            lock,
            p=asked.p,
            max_exploitability=asked.max_exploitability,
            elsewhere=asked.elsewhere,
            accuracy=self.accuracy,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        names = ("gain", "most", "equilibrium_gain", "exploitability", "seconds")
        shares = {path: _shares(found.answered.node(path)) for path in self.nodes}
        return {name: getattr(found, name) for name in names} | {"shares": shares}

    @cached_property
    def _often(self) -> Mapping[str, float]:
        return dict(zip(self.choice.flops, self.choice.weights, strict=True))

    @cached_property
    def _pairs(self) -> Mapping[str, float]:
        """By flop the weight of all pairs of hands."""
        return {flop: self._dealt(flop) for flop in self.choice.flops}

    def _dealt(self, flop: str) -> float:
        try:
            return float(self.on(flop).cards.pairs)
        except InputError:
            return 0.0


def _node_facts(node: Node) -> dict[str, Any]:
    """The frequencies of a node, and by class of the player to act weight, EV and frequencies, (169, 2 + actions)."""
    assert node.player is not None
    held = node.ranges[node.player]
    columns = np.column_stack([held, node.values[node.player], node.probabilities])
    by_class = to_grid(np.nan_to_num(columns), held).reshape(SIDE**2, -1)
    return {
        "player": node.player, "actions": list(node.actions), "shares": _shares(node),
        "ev": [mean if isfinite(mean) else None for mean in node.means],
        "classes": np.nan_to_num(by_class).astype(np.float32),
    }  # fmt: skip


def _shares(node: Node) -> list[float] | None:
    """The frequencies over the range of the player to act; None if the range never comes there."""
    assert node.player is not None
    held = node.ranges[node.player]
    return mean_rows(node.probabilities, held).tolist() if held.any() else None
