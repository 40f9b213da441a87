"""Views of spots, ranges, nodes and answers to leaks as plain data: what the page draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import counterplay as cp
from counterplay.arrays import F64
from counterplay.display import shell_word
from counterplay.errors import InputError
from counterplay.measure.frontier import LeakCorner, MixedCorners, mix_corners
from counterplay.memory_limit import default_memory
from counterplay.option import options_of
from counterplay.page.shelf import Shelf, describe
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import card_text, cards_text, hand_text
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.public_tree.hand_treeplex import PublicNode, path_to
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.ranges.grid import SIDE, cell_name, cells, colours, letters_of, mean_rows, shares_of, to_grid
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.solution import NodeValues, node_of
from counterplay.poker.spots.solve_spot import METHOD, method_of, precision_of
from counterplay.poker.spots.spot_fields import SpotFields

CLASSES = SIDE * SIDE
_DIGITS = 7
_START, _ITERATIONS, _SPEED = 0.05, 85, 3e8
"""Of a solve to 0.5 % of the pot: seconds before it, iterations, and sequences that one core does a second. A flop of
130 million sequences took 84 iterations and 35.8 CPU s (`benchmarks/run.py flops`)."""
_CHANGES = 12
_SEEN = 1e-3
"""Changes of a smaller share of all deals are left out."""


def plain(numbers: ArrayLike) -> Any:
    """Numbers as lists, with 7 significant digits; NaN as None."""
    array = np.asarray(numbers, np.float64)
    if array.ndim:
        return [plain(one) for one in array]
    number = float(array)
    return float(f"{number:.{_DIGITS}g}") if np.isfinite(number) else None


def size_view(spot: cp.Spot) -> dict[str, Any]:
    """The size of a spot: nodes, infosets, sequences, bytes at the peak of its solve, whether these fit, and roughly the
    seconds on one core to 0.5 % of the pot."""
    size = size_of(spot.betting, spot.cards, alike=True, precision=precision_of(spot, method_of(METHOD)), shown=True)
    limit = default_memory()
    return {
        **describe(spot), "nodes": size.nodes, "infosets": size.infosets, "sequences": size.sequences,
        "memory": size.memory, "limit": limit, "fits": size.memory <= limit,
        "seconds": _START + _ITERATIONS * size.sequences / _SPEED,
    }  # fmt: skip


def range_view(text: str | None, weights: Sequence[float] | None) -> dict[str, Any]:
    """A range, given by a text or else by 169 weights, as a grid and as the texts of other programs. combos: sum of the
    weights."""
    weights = weights or []
    if text is None and len(weights) != CLASSES:
        raise InputError(f"a grid has {CLASSES} weights, not {len(weights)}")
    grid = np.array(weights, np.float64)
    held = Range.parse(text) if text is not None else Range.from_grid(grid.reshape(SIDE, SIDE))
    return {
        "weights": plain(to_grid(held.weights, deck=held.deck).ravel()), "combos": float(held.weights.sum()),
        "texts": {notation: held.text(notation) for notation in ("plain", "gto+", "percent")},
    }  # fmt: skip


def classes_view() -> list[str]:
    return [cell_name(cell) for cell in range(CLASSES)]


def node_view(solved: cp.SolvedSpot, path: str) -> dict[str, Any]:
    """A node: the way there, its actions, the cards that may be dealt, and grids of strategy, EV, equity and range."""
    part = solved.find(path)
    node = node_of(solved, part)
    player, deck = node.player, solved.spot.deck
    is_deal = int(solved.tree.betting.kind[part.node]) == int(Kind.DEAL)
    seen: dict[str, Any] = {
        "path": node.path, "board": cards_text(node.board), "pot": node.pot, "player": player,
        "whose": None if player is None else solved.whose(player),
        "ev": plain(node.means), "equity": plain(node.shares), "strip": strip_view(solved, part),
        "deals": [card_text(card) for card in deck.cards if card not in node.board] if is_deal else [], "actions": [],
        "players": [],
    }  # fmt: skip
    for seat, name in enumerate(PLAYERS):
        weights = node.ranges[seat]
        share = shares_of(weights, board=node.board, deck=deck)
        ev, equity = (to_grid(each[seat], weights, deck=deck) for each in (node.values, node.equities))
        grids = {"share": plain(share.ravel()), "ev": plain(ev.ravel()), "equity": plain(equity.ravel())}
        seen["players"].append({"name": name, **grids, "combos": plain(weights.sum())})
    if player is not None:
        weights = node.ranges[player]
        seen["actions"] = actions_view(solved, part, mean_rows(node.probabilities, weights))
        seen["strategy"] = plain(to_grid(node.probabilities, weights, deck=deck).reshape(CLASSES, -1))
        seen["action_ev"] = plain(to_grid(node.action_values, weights, deck=deck).reshape(CLASSES, -1))
    return seen


def combos_view(solved: cp.SolvedSpot, path: str, cell: int, seat: int) -> list[dict[str, Any]]:
    """The hands of a class of the grid in a player's range at a node."""
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


def actions_view(solved: cp.SolvedSpot, part: PublicNode, shares: F64) -> list[dict[str, Any]]:
    """The actions of a node: colour, letter, share of the range and the path behind each. shares: (actions,)."""
    betting, here = solved.tree.betting, path_to(solved.tree.betting, solved.tree.boards, part)
    names = betting.actions(part.node)
    rows = zip(names, colours(names), letters_of(names), shares, betting.children(part.node), strict=True)
    return [
        {
            "name": name, "colour": colour, "letter": letter, "share": plain(share),
            "path": f"{here}, {name}" if here else name, "ends": int(betting.kind[child]) > int(Kind.DEAL),
        }
        for name, colour, letter, share, child in rows
    ]  # fmt: skip


def strip_view(solved: cp.SolvedSpot, part: PublicNode) -> list[dict[str, Any]]:
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


def command_of(spot: cp.Spot) -> str:
    """The shell command that solves a spot."""
    words, flags = ["counterplay spot"], {name: one.flag(name) for name, _, one, _ in options_of(SpotFields)}
    for name, value in spot.table().items():
        text = ",".join(f"{one:g}" for one in value) if isinstance(value, list) else value
        word = shell_word(f"{text:g}" if isinstance(text, float) else str(text))
        words.append(f"{flags.get(name, f'--{name}')} {word}")
    return " ".join(words)


def answer_node_view(shelf: Shelf, name: str, path: str) -> dict[str, Any]:
    """A node of an answer: what the equilibrium plays, and every corner.

    The play of a class of hands is given as masses: weight of the class there times the frequency of each action. The
    masses of a mixture of corners are the mixture of their masses, so that a reader can mix them.
    """
    facts = shelf.answer(name)
    solved = shelf.corner(name, None)
    part = solved.find(path)
    values = NodeValues(solved, part)
    player = values.player
    seen: dict[str, Any] = {"player": player, "opponent": facts["opponent"], "strip": strip_view(solved, part)}
    if player is None:
        return seen
    numbers = range(len(facts["corners"])) if player != facts["opponent"] else [0]
    corners = [shelf.corner(name, number) for number in numbers]
    plays = [_play(solved, values), *(_play(corner, NodeValues(corner, part)) for corner in corners)]
    masses = np.array(plays[0]["masses"], np.float64)
    total = masses.sum()
    shares = masses.sum(axis=0) / total if total > 0.0 else np.full(masses.shape[1], np.nan)
    return {**seen, "actions": actions_view(solved, part, shares), "equilibrium": plays[0], "corners": plays[1:]}


def _play(solved: cp.SolvedSpot, values: NodeValues) -> dict[str, Any]:
    """The masses and shares of the classes of the player to act."""
    assert values.player is not None
    deck, weights = solved.spot.deck, values.ranges[values.player]
    rows = np.where(weights[:, None] > 0.0, values.probabilities(), 0.0) * weights[:, None]
    masses = np.stack([np.bincount(cells(deck), column, CLASSES) for column in rows.T], axis=1)
    return {"masses": plain(masses), "share": plain(shares_of(weights, board=values.board, deck=deck).ravel())}


def changes_view(shelf: Shelf, name: str, most: float) -> list[dict[str, Any]]:
    """Where the answer with an exploitability of at most `most` chips differs from the equilibrium; most chips first."""
    solved, answered, _ = mixed_answer(shelf, name, most)
    player = 1 - int(shelf.answer(name)["opponent"])
    changes = [one for one in diff_strategies(solved, answered, player) if one.size >= _SEEN][:_CHANGES]
    return [
        {
            "path": one.path, "actions": list(one.actions), "size": plain(one.size), "chips": plain(one.chips),
            "before": plain(one.before), "after": plain(one.after),
            "hands": [
                [row.name, one.actions[row.action], plain(row.before), plain(row.after), plain(row.chips)]
                for row in one.hands()[:_CHANGES]
            ],
        }
        for one in changes
    ]  # fmt: skip


def mixed_answer(shelf: Shelf, name: str, most: float) -> tuple[cp.SolvedSpot, cp.SolvedSpot, MixedCorners]:
    """The equilibrium, the answer with an exploitability of at most `most` chips, and how it is mixed."""
    facts = shelf.answer(name)
    solved, us = shelf.corner(name, None), 1 - int(facts["opponent"])
    no_plans: Any = None
    corners = [LeakCorner(one["p"], one["gain"], one["exploitability"], no_plans) for one in facts["corners"]]
    mixed = mix_corners(corners, most)
    answer = shelf.corner(name, mixed.lower)
    if mixed.weight > 0.0:
        higher = shelf.corner(name, mixed.lower + 1)
        kept = {
            "opponent": PLAYERS[1 - us], "version": answer.facts["version"], "gain": mixed.gain,
            "value_gap": facts.get("value_gap"), "exploitability": mixed.exploitability,
            "exploitability_percent": 100.0 * mixed.exploitability / solved.spot.pot,
        }  # fmt: skip
        answer = replace(answer, plans=answer.plans.mixed(us, higher.plans, mixed.weight), facts=kept)
    return solved, answer, mixed
