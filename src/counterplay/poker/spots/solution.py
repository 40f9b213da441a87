"""Solved spots: reports of nodes, files, and values of both players, net and as EV (see `poker.betting.stakes`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.poker.betting.stakes import SOLUTION, Stakes
from counterplay.poker.cards.deck import cards_text, compatible_weight
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode, part_at
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.ranges.grid import grid_html
from counterplay.poker.spots.node_report import Node, NodeValues, node_of
from counterplay.poker.spots.spot_file import SpotSolution, read, save
from counterplay.solvers.cfr import Solution


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
        """Whether it is an equilibrium, not an answer to leaks (fact `opponent`) or to a model (fact `seat`)."""
        return not {"opponent", "seat"} & self.facts.keys()

    def whose(self, player: int) -> str:
        """The kind of a player's strategy: "equilibrium", or for an answer "answer", and "model" or "leak" of the other
        player."""
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
        return part_at(self.tree.betting, self.tree.boards, path)

    def node_ranges(self, part: PublicNode) -> tuple[F64, F64]:
        """Two (n,), over the hands of the deck: weights of both players' hands at a node of the tree."""
        return NodeValues(self, part).ranges

    def save(self, path: str | Path) -> None:
        """Write it to a `.spot` file."""
        save(self, Path(path))


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; errors as in `spot_file.read`."""
    return SolvedSpot(*read(path))


def value_of(tree: PublicTree, player: int, solution: Solution) -> float:
    """What a player wins by the strategies of a solution, in net chips."""
    return float(solution.plans[player] @ tree.leaves.product(player, solution.plans[1 - player]))


def worth_facts(
    values: tuple[float, float], exploitability: float, stakes: Stakes, pot: float, *, raked: bool
) -> dict[str, Any]:
    """As facts, from what both players win in net chips: what oop wins, the EV of both, as at the root, both and
    exploitability in other units, and the effect of a rake."""
    told: dict[str, Any] = {"value": values[0], "ev": [0.5 * pot + value for value in values]}
    told |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    told |= stakes.facts({"value": values[0], "exploitability": exploitability})
    if raked:
        told |= {"rake": -sum(values), "note": SOLUTION}
    return told


def reach_at(solved: SolvedSpot, player: int, node: int) -> F64:
    """(places,) a player's reach of a node, all boards one after the other."""
    reach: F64 = np.maximum(solved.plans.reach(player)[solved.tree.sequences_to(player, node)], 0.0)
    return reach


def met_at(solved: SolvedSpot, player: int, node: int, *, always: bool = False) -> F64:
    """(places,) the reach of the other player's hands that can be dealt beside each hand of the player, times chance:
    times the own reach it is the probability per deal. always: as if the other player always came there."""
    tree = solved.tree
    layer = tree.boards.layers[layer_of(tree.betting, node)]
    dealt = tree.boards.cards.weights[1 - player]
    against, mass = dealt[layer.hand] if always else reach_at(solved, 1 - player, node), np.zeros(layer.places)
    for begin, end in zip(layer.first, layer.first[1:], strict=False):
        mass[begin:end] = compatible_weight(tree.boards.cards.hands[layer.hand[begin:end]], against[begin:end])
    mass *= tree.leaves.unit * layer.chance
    return mass


def odds_of(solved: SolvedSpot, node: int) -> float:
    """The probability per deal of reaching a decision."""
    player = int(solved.tree.betting.kind[node])
    return float(reach_at(solved, player, node) @ met_at(solved, player, node))
