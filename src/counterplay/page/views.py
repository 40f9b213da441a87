"""Views of spots, ranges and nodes as plain data: what the page draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64
from counterplay.display import shell_word
from counterplay.errors import InputError
from counterplay.memory_limit import default_memory
from counterplay.page.shelf import describe
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import card_text, cards_text, hand_text
from counterplay.poker.public_tree.public_terminals import PublicNode, path_to
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.ranges.grid import SIDE, cell_name, cells, colours, letters_of, mean_rows, shares_of, to_grid
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.node_report import Node, NodeValues, node_of
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solve_spot import METHOD, method_of, precision_of
from counterplay.poker.spots.spot import Spot

CLASSES = SIDE * SIDE
_DIGITS = 7
_START, _ITERATIONS, _SPEED = 0.05, 85, 3e8
"""Of a solve to 0.5 % of the pot: seconds before it, iterations, and sequences that one core does a second. A flop of
130 million sequences took 84 iterations and 35.8 CPU s (`benchmarks/run.py flops`)."""


def plain(numbers: ArrayLike) -> Any:
    """Numbers as lists, with 7 significant digits; NaN as None."""
    array = np.asarray(numbers, np.float64)
    if array.ndim:
        return [plain(one) for one in array]
    number = float(array)
    return float(f"{number:.{_DIGITS}g}") if np.isfinite(number) else None


def size_view(spot: Spot) -> dict[str, Any]:
    """How large a spot is: nodes, infosets, sequences, bytes at the peak of its solve, whether these fit, and roughly the
    seconds on one core to 0.5 % of the pot."""
    precision = precision_of(spot, method_of(METHOD))
    size = size_of(spot.betting, spot.cards, alike=True, precision=precision, shown=True)
    limit = default_memory()
    return {
        **describe(spot), "nodes": size.nodes, "infosets": size.infosets, "sequences": size.sequences,
        "memory": size.memory, "limit": limit, "fits": size.memory <= limit,
        "seconds": _START + _ITERATIONS * size.sequences / _SPEED,
    }  # fmt: skip


def range_view(given: Range) -> dict[str, Any]:
    """A range as a grid of weights and as the texts of other programs. combos: sum of the weights."""
    grid = to_grid(given.weights, deck=given.deck)
    return {
        "weights": plain(grid.ravel()), "combos": float(given.weights.sum()),
        "texts": {notation: given.text(notation) for notation in ("plain", "gto+", "percent")},
    }  # fmt: skip


def range_answer(text: str | None, weights: Sequence[float] | None) -> dict[str, Any]:
    """The view of a range that is given by a text, or else by 169 weights; errors as of either reader."""
    return range_view(Range.parse(text) if text is not None else range_of_grid(weights or []))


def range_of_grid(weights: Sequence[float]) -> Range:
    """The range of 169 weights.

    Raises:
        InputError: not so many, or none above 0.
    """
    if len(weights) != CLASSES:
        raise InputError(f"a grid has {CLASSES} weights, not {len(weights)}")
    return Range.from_grid(np.array(weights, np.float64).reshape(SIDE, SIDE))


def classes_view() -> list[str]:
    """The names of the 169 classes, row by row."""
    return [cell_name(cell) for cell in range(CLASSES)]


def node_view(solved: SolvedSpot, path: str) -> dict[str, Any]:
    """A node: the way there, its actions, and grids of strategy, EV, equity and range.

    Raises:
        InputError: there is no such node.
    """
    part = solved.find(path)
    node = node_of(solved, part)
    player = node.player
    seen: dict[str, Any] = {
        "path": node.path, "board": cards_text(node.board), "pot": node.pot, "player": player,
        "whose": None if player is None else solved.whose(player),
        "ev": plain(node.means), "equity": plain(node.shares), "strip": strip_view(solved, part),
        "deals": _cards_to_come(solved, part), "actions": [],
        "players": [_range_grids(solved, node, seat) for seat in (0, 1)],
    }  # fmt: skip
    if player is not None:
        weights, deck = node.ranges[player], solved.spot.deck
        seen["actions"] = actions_view(solved, part, mean_rows(node.probabilities, weights))
        seen["strategy"] = plain(to_grid(node.probabilities, weights, deck=deck).reshape(CLASSES, -1))
        seen["action_ev"] = plain(to_grid(node.action_values, weights, deck=deck).reshape(CLASSES, -1))
    return seen


def combos_view(solved: SolvedSpot, path: str, cell: int, seat: int) -> list[dict[str, Any]]:
    """The hands of a class of the grid in a player's range at a node.

    Raises:
        InputError: there is no such node.
    """
    node = node_of(solved, solved.find(path))
    deck = solved.spot.deck
    here = np.flatnonzero((cells(deck) == cell) & (node.ranges[seat] > 0.0))
    acts = seat == node.player
    return [
        {
            "hand": hand_text(deck.hands[k]), "weight": plain(node.ranges[seat][k]), "ev": plain(node.values[seat][k]),
            "equity": plain(node.equities[seat][k]),
            "strategy": plain(node.probabilities[k]) if acts else [],
            "action_ev": plain(node.action_values[k]) if acts else [],
        }
        for k in here.tolist()
    ]  # fmt: skip


def card_view(solved: SolvedSpot, path: str) -> dict[str, Any]:
    """EV and equity of both players at a node, as of a card to come."""
    node = node_of(solved, solved.find(path))
    return {"path": node.path, "ev": plain(node.means), "equity": plain(node.shares)}


def actions_view(solved: SolvedSpot, part: PublicNode, shares: F64) -> list[dict[str, Any]]:
    """The actions of a node: colour, letter, share of the range and the path behind each. shares: (actions,)."""
    betting, here = solved.tree.betting, path_to(solved.tree.betting, solved.tree.boards, part)
    names = betting.actions(part.node)
    letters = letters_of(names)
    return [
        {
            "name": name, "colour": colour, "letter": letter, "share": plain(share),
            "path": f"{here}, {name}" if here else name, "ends": int(betting.kind[child]) > int(Kind.DEAL),
        }
        for name, colour, letter, share, child in zip(
            names, colours(names), letters, shares, betting.children(part.node), strict=True
        )
    ]  # fmt: skip


def strip_view(solved: SolvedSpot, part: PublicNode) -> list[dict[str, Any]]:
    """The decisions and deals on the way to a node, from the root on: who acts, the actions, and the one taken."""
    betting, boards = solved.tree.betting, solved.tree.boards
    board = boards.layers[part.layer].boards[part.board]
    strip: list[dict[str, Any]] = []
    node, after = int(betting.parent[part.node]), part.node
    while node >= 0:
        layer = int(betting.street[node]) - betting.rules.first
        shown = board[: len(boards.cards.board) + layer]
        here = PublicNode(node, layer, boards.layers[layer].boards.index(shown))
        kind = int(betting.kind[node])
        step: dict[str, Any] = {"path": path_to(betting, boards, here), "player": None, "taken": betting.label(after)}
        if kind <= Kind.PLAYER1:
            values = NodeValues(solved, here)
            shares = mean_rows(values.probabilities(), values.ranges[kind])
            step |= {"player": kind, "actions": actions_view(solved, here, shares)}
        else:
            step["taken"] = card_text(board[len(shown)])
        strip.append(step)
        node, after = int(betting.parent[node]), node
    return strip[::-1]


def spot_view(solved: SolvedSpot) -> dict[str, Any]:
    """A solved spot: its fields, what is known of the solution, and the command that solves it."""
    kept = (
        "method",
        "iterations",
        "seconds",
        "exploitability",
        "exploitability_percent",
        "interrupted",
        "ev",
        "version",
    )
    facts = {name: solved.facts[name] for name in kept if name in solved.facts}
    return {**describe(solved.spot), "spot": solved.spot.table(), "facts": facts, "command": command_of(solved.spot)}


def command_of(spot: Spot) -> str:
    """The shell command that solves a spot."""
    words = []
    for name, value in spot.table().items():
        option = {"rake_cap": "rake-cap", "big_blind": "bb"}.get(name, name)
        text = ",".join(f"{one:g}" for one in value) if isinstance(value, list) else value
        words.append(f"--{option} {shell_word(f'{text:g}' if isinstance(text, float) else str(text))}")
    return "counterplay spot " + " ".join(words)


def _cards_to_come(solved: SolvedSpot, part: PublicNode) -> list[str]:
    """The cards that may be dealt at a node; none where a player acts, or the hand has ended."""
    if int(solved.tree.betting.kind[part.node]) != int(Kind.DEAL):
        return []
    board = solved.tree.boards.layers[part.layer].boards[part.board]
    return [card_text(card) for card in solved.spot.deck.cards if card not in board]


def _range_grids(solved: SolvedSpot, node: Node, seat: int) -> dict[str, Any]:
    """Of a player at a node, class by class: the share of the class that is there, EV and equity."""
    weights, deck = node.ranges[seat], solved.spot.deck
    return {
        "name": PLAYERS[seat], "share": plain(shares_of(weights, board=node.board, deck=deck).ravel()),
        "ev": plain(to_grid(node.values[seat], weights, deck=deck).ravel()),
        "equity": plain(to_grid(node.equities[seat], weights, deck=deck).ravel()), "combos": plain(weights.sum()),
    }  # fmt: skip
