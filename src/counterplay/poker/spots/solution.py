"""Solving a spot: from a spot to an (approximate) equilibrium with node reports and files."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterplay.about import version
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.public_tree.public_node import part_at
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.public_tree.solve import solve_tree
from counterplay.poker.ranges.html_grid import grid_html
from counterplay.poker.spots.node_report import Node, NodeValues, node_of
from counterplay.poker.spots.solution_record import SpotSolution
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_file import read, save
from counterplay.poker.spots.spot_plans import ArraySpotPlans
from counterplay.poker.spots.worth import worth_of
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser

Floats = NDArray[np.float64]
METHOD = "dcfr:1.5,0,4"
"""The fastest measured method to 0.3 % of the pot (benchmarks/river.py)."""
EXPLOITABILITY = 0.5
"""Per cent of the pot at which a solve stops by default."""
_FLOP = 3


@dataclass(frozen=True, eq=False, repr=False)
class SolvedSpot(SpotSolution):
    """An (approximate) equilibrium of a spot, or a response in it, with reports of its nodes."""

    def __repr__(self) -> str:
        facts = [str(self.facts.get("method", ""))]
        facts += [labelled(name, self.facts[name]) for name in ("value", "exploitability") if name in self.facts]
        return brief(self, cards_text(self.spot.board), labelled("pot", self.spot.pot), *facts)

    def _repr_html_(self) -> str:
        here, betting = NodeValues(self, self.find("")), self.tree.betting
        player = int(betting.kind[0])  # who acts first
        return grid_html(
            f"{cards_text(self.spot.board)}: {('oop', 'ip')[player]} acts", here.probabilities(), betting.actions(0),
            here.ranges[player], board=self.spot.board, deck=self.spot.deck,
        )  # fmt: skip

    @property
    def is_equilibrium(self) -> bool:
        """Whether it is an equilibrium, not an answer to leaks (which records the opponent) or to a model
        (the seat).
        """
        return not {"opponent", "seat"} & self.facts.keys()

    def whose(self, player: int) -> str:
        """The kind of a player's strategy: "equilibrium", or for an answer "answer", and "model" or "leak" for the
        other player.
        """
        facts = self.facts
        if "seat" in facts:
            return "answer" if facts["seat"] == player else "model"
        if "opponent" in facts:
            return "leak" if facts["opponent"] == ("oop", "ip")[player] else "answer"
        return "equilibrium"

    def node(self, path: str = "") -> Node:
        """The node at the end of a path such as "x b100 c Ah x": actions as `paths.node_at` reads them, and cards.

        Raises:
            InputError: an unknown or illegal step, an impossible card, or a wrong number of cards.
        """
        return node_of(self, self.find(path))

    def find(self, path: str) -> PublicNode:
        """The end of a path, as a part of the public tree; errors as in `node`."""
        return part_at(self.tree, path)

    def node_ranges(self, part: PublicNode) -> tuple[Floats, Floats]:
        """Two (n,), over the hands of the deck: weights of both players' hands at a node of the tree."""
        return NodeValues(self, part).ranges

    def save(self, path: str | Path) -> None:
        """Write it to a `.spot` file."""
        save(self, Path(path))


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; errors as in `spot_file.read`."""
    return SolvedSpot(*read(path))


def solve_spot(
    spot: Spot,
    *,
    method: Solver = METHOD,
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
        exploitability: stop at this exploitability (half of NashConv), in per cent of the pot.
        iterations, seconds: further limits.
        memory: limit in bytes; by default half of the machine's memory.
        single: iterate in float32, which takes half of the memory and is faster; by default on flops.
        progress: called now and then with iterations and exploitability in chips.

    Raises:
        InputError: the spot does not fit, the method is unknown, or a limit is negative.
    """
    stop = stop_of(spot, exploitability, iterations, seconds)
    chosen = method_of(method)
    single = in_single(spot) if single is None else single
    size = size_of(spot.betting, spot.cards, alike=True, single=single)
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
        **worth_of(tree, spot.stakes, spot.pot, solution),
    }
    return SolvedSpot(spot, tree, ArraySpotPlans.of_tree(tree, solution.plans), facts)


def method_of(name: Solver) -> Minimiser:
    """The regret minimiser of a name; a spot has no linear program here.

    Raises:
        InputError: unknown method.
    """
    if name == "lp":
        raise InputError("a spot is solved by cfr, cfr+, dcfr, pcfr+ or pdcfr+, not by lp")
    return minimiser(name)


def in_single(spot: Spot) -> bool:
    """Whether a spot is solved in float32 by default: on flops, which are large."""
    return len(spot.cards.board) == _FLOP


def stop_of(spot: Spot, exploitability: float, iterations: int | None = None, seconds: float | None = None) -> Stop:
    """The stopping rule, with exploitability in per cent of the pot."""
    most = 1 << 62 if iterations is None else iterations
    return Stop(0.01 * exploitability * spot.pot, most, inf if seconds is None else seconds)
