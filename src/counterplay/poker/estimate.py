"""How large a spot is, from its betting and its ranges alone: nothing large is allocated before that is known."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.errors import InputError
from counterplay.poker.alike import count_alike, suits_alike
from counterplay.poker.betting_tree import BettingTree
from counterplay.poker.boards import Cards, count_places
from counterplay.poker.runs import layer_of, shape_of
from counterplay.subgames.estimate import default_memory

BASE, SEQUENCE, LANE, PLACE = 100_000, 54, 24, 80
SEQUENCE_SINGLE, LANE_SINGLE = 28, 20
"""Bytes at the peak of a solve that are really used, in float64 and in float32. A sequence: four arrays that stay (regrets,
plan, average, CFVs), and for a look at exploitability two averages and one player's CFVs. A lane: its
parent, its freedom, its scale, its place in the order. A hand on a board: its cards, its rank, its steps of a showdown, its
places on earlier boards."""
_GIB = 2**30


@dataclass(frozen=True)
class Size:
    """What a spot takes.

    Attributes:
        betting: nodes of the betting tree, without cards.
        nodes: the same on every board that may come.
        infosets: decisions of both players, a hand each.
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
        """Refuse what does not fit.

        Args:
            limit: bytes; by default half of the machine's memory.

        Raises:
            InputError: with the estimate.
        """
        most = default_memory() if limit is None else limit
        if self.memory > most:
            raise InputError(
                f"the spot would take {self.memory / _GIB:.3g} GiB ({self}), and {most / _GIB:.3g} GiB is the limit; ask "
                "for fewer bet sizes, a cap on raises or narrower ranges"
            )


def size_of(betting: BettingTree, cards: Cards, *, alike: bool = False, single: bool = False) -> Size:
    """The size of a public tree.

    Args:
        betting: what is bet.
        cards: what is dealt.
        alike: suits that are alike are dealt once (see `public_tree`).
        single: it is solved in float32.
    """
    deals, group = betting.rules.last - betting.rules.first, suits_alike(cards) if alike else ()
    if deals and len(group) > 1:
        layers = count_alike(cards, deals, group)
    else:
        layers = [(boards, count, count) for boards, count in count_places(cards, deals)]
    shapes = [shape_of(betting, player, [lanes for *_, lanes in layers]) for player in (0, 1)]
    lanes = sum(int(shape.groups[:, 1].sum()) for shape in shapes)
    sequence, lane = (SEQUENCE_SINGLE, LANE_SINGLE) if single else (SEQUENCE, LANE)
    size, places = sum(shape.size for shape in shapes), sum(count for _, count, _ in layers)
    memory = BASE + sequence * size + lane * lanes + PLACE * places
    played = [shape.groups[1:] for shape in shapes]  # without the deal
    return Size(
        betting.nodes,
        sum(layers[min(layer_of(betting, node), len(layers) - 1)][0] for node in range(betting.nodes)),
        sum(int(groups[:, 4].sum()) for groups in played),
        sum(int((groups[:, 2] * groups[:, 4]).sum()) for groups in played),
        memory,
    )
