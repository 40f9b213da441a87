"""What a player gains for actions at some nodes with some hands, in the places of the language of leaks:

    opponent ip
    on river facing a bet: call gains 0.5bb         # at all nodes of a kind
    at "x b100" with QQ+,AKs: call gains 2%, fold loses 1

A line is `PLACE [with HANDS]: ACTION gains | loses AMOUNT, ...`; places and actions are those of `leak_text`. A later line
replaces what an earlier one says of the same hands and actions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import CHIPS, Amount, Stakes, read_amount
from counterplay.poker.locking.leak_match import boards_of, check_leaks, hands_of, match_leak, opponent_of
from counterplay.poker.locking.leak_text import Leak, Leaks, Order, parts_of, read_from, read_lines
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.spot import Spot

_GAIN = re.compile(r"(?P<action>.+?)\s+(?P<way>gains|loses)\s+(?P<amount>.+)")


@dataclass(frozen=True)
class PlacedGains:
    """The lines of a text. places: player, nodes, hands and actions of the lines. amounts: for each line, those of its
    actions; a loss has a sign of -1."""

    places: Leaks
    amounts: tuple[tuple[tuple[float, Amount], ...], ...]

    @classmethod
    def from_text(cls, text: str) -> PlacedGains:
        opponent, lines = read_lines(text, _read_line)
        return cls(Leaks(opponent, tuple(line for line, _ in lines)), tuple(amounts for _, amounts in lines))

    @classmethod
    def from_file(cls, path: str | Path) -> PlacedGains:
        return read_from(path, cls.from_text)

    def player(self, spot: Spot) -> int:
        check_leaks(self.places, spot)
        return opponent_of(self.places, spot.betting)

    def of_sequences(self, tree: PublicTree, spot: Spot, stakes: Stakes) -> F64:
        """(size,) chips that the player gains for the last action of each sequence."""
        player = self.player(spot)
        runs, betting, gained = tree.runs[player], tree.betting, np.zeros(tree.runs[player].tree.size)
        for line, amounts in zip(self.places.lines, self.amounts, strict=True):
            chips = [sign * amount.chips(stakes, "an incentive") for sign, amount in amounts]
            hands = hands_of(line, spot, player)
            for where in match_leak(line, betting, player):
                layer = tree.boards.layers[layer_of(betting, where.node)]
                starts = np.array([int(runs.start[child]) for child in betting.children(where.node)])
                for board in boards_of(line, where, layer.boards, spot):
                    here = np.arange(layer.first[board], layer.first[board + 1])
                    chosen = here[hands[layer.hand[here]]]
                    for group, amount in zip(where.groups, chips, strict=True):
                        gained[starts[list(group)][:, None] + chosen] = amount
        return gained


def _read_line(line: str, number: int) -> tuple[Leak, tuple[tuple[float, Amount], ...]]:
    """Place, hands and actions of a line, as a leak that changes nothing; and the amounts."""
    place, hands, told = parts_of(line)
    orders, amounts = [], []
    for part in told.split(","):
        match = _GAIN.fullmatch(part.strip())
        if not match:
            raise InputError(f"'{part.strip()}' is no gain: write 'call gains 0.5bb' or 'fold loses 1'")
        orders.append(Order.from_text(f"{match['action']} x1"))
        amounts.append((1.0 if match["way"] == "gains" else -1.0, read_amount(match["amount"], CHIPS, "an incentive")))
    return Leak(place, tuple(orders), hands, number=number), tuple(amounts)
