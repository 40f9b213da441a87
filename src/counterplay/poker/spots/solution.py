"""Solved spots: reports of nodes, and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.public_tree.public_terminals import PublicNode, part_at
from counterplay.poker.ranges.html_grid import grid_html
from counterplay.poker.spots.node_report import Node, NodeValues, node_of
from counterplay.poker.spots.spot_file import SpotSolution, read, save


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
