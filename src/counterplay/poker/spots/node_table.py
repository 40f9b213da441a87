"""Nodes of a solved spot as a table: a row for each hand, for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import Deck, hand_text
from counterplay.poker.ranges.program_notations import write_range
from counterplay.poker.spots.node_report import Node
from counterplay.tables import csv_of

_SHARES = 4
"""Decimals of a weight in a range that is written for other programs."""
_ABOUT = ("node", "player", "hand", "weight", "EV", "equity")


def action_ranges(node: Node, deck: Deck, notation: str) -> dict[str, str]:
    """For each action of a node the range of hands that take it, in a notation of `program_notations.NOTATIONS`,
    weighted by reach and probability to a hundredth of a per cent; no actions where no player acts."""
    if node.player is None:
        return {}
    weights = node.ranges[node.player]
    taken = np.nan_to_num(weights[:, None] * node.probabilities).round(_SHARES)
    return {action: write_range(column, deck, notation) for action, column in zip(node.actions, taken.T, strict=True)}


def write_ranges(node: Node, deck: Deck, notation: str) -> bytes:
    """The same as a text: a line that names the node, the player and the action, then the range; errors as of
    `action_ranges`."""
    who = "" if node.player is None else PLAYERS[node.player]
    found = action_ranges(node, deck, notation).items()
    return "\n\n".join(f"{node.path or 'root'}: {who}'s range for {action}\n{text}" for action, text in found).encode()


def write_csv(nodes: Iterable[Node], deck: Deck) -> bytes:
    """CSV of nodes: of each hand in a player's range there weight, EV in chips and equity; of the hands of the player
    to act also the probability and the EV of each action. A column of an action that a node lacks is empty."""
    listed = list(nodes)
    names = dict.fromkeys(f"{what} {action}" for what in ("p", "EV") for one in listed for action in one.actions)
    head = [*_ABOUT, *names]
    rows = (
        _row(node, player, k, deck)
        for node in listed
        for player in (0, 1)
        for k in (node.ranges[player] > 0.0).nonzero()[0].tolist()
    )
    return csv_of(head, ([row.get(name, "") for name in head] for row in rows))


def _row(node: Node, player: int, k: int, deck: Deck) -> dict[str, str | float]:
    """The row of the k-th hand of the deck."""
    row: dict[str, str | float] = {
        "node": node.path or "root",
        "player": PLAYERS[player],
        "hand": hand_text(deck.hands[k]),
        "weight": float(node.ranges[player][k]),
        "EV": float(node.values[player][k]),
        "equity": float(node.equities[player][k]),
    }
    if player == node.player:
        for number, action in enumerate(node.actions):
            row[f"p {action}"] = float(node.probabilities[k, number])
            row[f"EV {action}"] = float(node.action_values[k, number])
    return row
