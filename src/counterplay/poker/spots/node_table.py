"""Nodes of a solved spot as a table: a row for each hand, for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable

from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import Deck, hand_text
from counterplay.poker.spots.node_report import Node
from counterplay.tables import csv_of

_ABOUT = ("node", "player", "hand", "weight", "EV", "equity")


def write_csv(nodes: Iterable[Node], deck: Deck) -> bytes:
    """CSV of nodes: of each hand in a player's range there weight, EV in chips and equity; of the hands of the player to act
    also the probability and the EV of each action.

    Nodes have different actions: a column that a node lacks is empty in its rows.
    """
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
    """A hand of a player. k: its place in the deck."""
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
