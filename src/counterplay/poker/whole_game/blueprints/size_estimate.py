"""The size of a blueprint of a whole game, before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.whole_game.blueprints.board_split import CFR_BR, why_whole
from counterplay.poker.whole_game.boards.board import MOST_KEPT
from counterplay.poker.whole_game.decisions import GameSize, game_size
from counterplay.poker.whole_game.holdem import HoldemGame

_GIB = 2**30
_HOLES = 1.4
"""Numbers of a table of public sampling for one that is used, about (see `line_bundles`)."""
_PLACE = 120
"""Bytes at the peak for each hand on each of the different last boards: ranks, lanes, steps of showdowns, features of
buckets."""


@dataclass(frozen=True)
class BlueprintSize:
    """Betting nodes and decisions, different flops, infosets of both players with buckets, and bytes at the peak."""

    betting: GameSize
    flops: int
    infosets: int
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.betting}, {self.flops:,} different flops; {self.infosets:,} infosets; {self.memory / _GIB:.3g} GiB"
        )

    def check(self, limit: float | None = None) -> None:
        """Refuse, with the estimate, what takes more bytes than the limit; by default half of the machine's memory."""
        check_memory(f"the blueprint has {self}", self.memory, limit, "ask for fewer buckets")


def size_of(game: HoldemGame, buckets: tuple[int, ...] | None, method: str) -> BlueprintSize:
    """The size of a blueprint; without buckets and with several streets after the flop, about. buckets: of each street
    after the first; None for the game itself."""
    boards, sides, flops = game.boards, game.sides, len(game.boards.choices(game.boards.root)[0])
    lanes = list(map(float, buckets or ()))
    if buckets is None and game.last == 1:
        lanes = [float(sum(flop.lanes for flop in game.flops))]
    elif buckets is None:
        lanes = [boards.most_hands(street) for street in range(1, game.last + 1)]
    kept: float = 2 * (game.dtype.itemsize if buckets is None else 8) + game.dtype.itemsize
    if not why_whole(game, method):
        kept = 3.0 * _HOLES * game.dtype.itemsize
    infosets = sum(len(side.preflop) * boards.classes for side in sides)
    hands = boards.most_hands(game.last) if game.last > 1 else float(flops * game.places(1))
    memory = _PLACE * min(hands, MOST_KEPT)
    for street, count in enumerate(lanes, 1):
        infosets += int(count) * sum(len(side.decisions[street]) for side in sides)
        own_opponent = 4 / 3 if method == CFR_BR and street < game.last else 1.0
        memory += kept * own_opponent * count * sum(side.sizes[street] for side in sides)
    return BlueprintSize(game_size(game.betting), flops, infosets, memory)
