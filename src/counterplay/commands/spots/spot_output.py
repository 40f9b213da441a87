"""Solved spots and answers to leaks as the command line prints them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.commands.printing.output import number, rounding, say, show_json
from counterplay.files import write_together, write_whole
from counterplay.poker.betting.stakes import Stakes

if TYPE_CHECKING:
    from counterplay.commands.options.spot_options import SolutionFlags, SpotNodeFlags
    from counterplay.poker.locking.exploit_leak import LeakAnswer, SideBySide
    from counterplay.poker.spots.node_report import Node
    from counterplay.poker.spots.solution import SolvedSpot

SOLUTION_LINES = ("method", "iterations", "gain", "exploitability", "rake", "seconds")
_PLAYERS = ("oop", "ip")
_WHOSE = {
    "equilibrium": "the equilibrium", "answer": "your answer", "model": "the model of the opponent",
    "leak": "as an opponent with the leak",
}  # fmt: skip


def gain_line(solved: SolvedSpot) -> dict[str, str]:
    """The line of the gain of an answer in a file, with the error of the value that it counts from."""
    gain, gap = (solved.facts.get(name) for name in ("gain", "value_gap"))
    if not isinstance(gain, float | int):
        return {}
    known = "from a value whose error this older file does not tell"
    if solved.spot.rake:
        known = "from the equilibrium found"
    elif isinstance(gap, float | int):
        known = f"from a value known to {number(gap, '.2g')} chips"
    return {"gain": f"{solved.spot.stakes.rate(gain)}, {known}"}


def facts_of(solved: SolvedSpot, nodes: Sequence[Node], found: LeakAnswer | None) -> dict[str, Any]:
    """A solution and some of its nodes as plain numbers and texts; for an answer to leaks also the changes."""
    told = {**solved.facts, "spot": solved.spot.table(), "nodes": [_facts(solved, one) for one in nodes]}
    return {**told, **_changes(found)} if found else told


def write_table(path: Path, solved: SolvedSpot, nodes: Sequence[Node]) -> None:
    """Write nodes hand by hand as CSV."""
    from counterplay.poker.spots.node_table import write_csv

    write_whole(path, write_csv(nodes, solved.spot.deck))


def show_answer(found: LeakAnswer, grid: bool) -> None:
    """The gain and risk of an answer to leaks, and the changes of the strategy."""
    from counterplay.poker.locking.report import report_leak

    say(["", *report_leak(found, grid=grid)])


def show_columns(found: SideBySide, look: SpotNodeFlags, result: SolutionFlags, more: Mapping[str, Any]) -> None:
    """Equilibrium, safe and full exploitation beside each other; the safe one is saved and written as a table.

    Args:
        found: the three answers.
        look: paths of nodes, by default of the two that change most, and the file of their table.
        result: whether to print JSON, the file for the middle answer, and the seed.
        more: further facts.
    """
    from counterplay.poker.locking.exploit_leak import report_side_by_side

    paths = look.node or found.most_changed(2)
    shown = found.answered(1)
    told = [found.frequencies(path) for path in paths]
    with write_together():
        if result.output:
            shown.save(result.output)
        if look.csv:
            write_table(look.csv, shown, [shown.node(path) for path in paths])
    if result.as_json:
        nodes = [{"path": one.path, "actions": list(one.actions), "shares": one.shares.tolist()} for one in told]
        show_json({**found.facts(), "nodes": nodes, "seed": result.seed, **more})
        return
    say(["", *report_side_by_side(found, paths)])


def is_interrupted(found: LeakAnswer) -> bool:
    """Whether Ctrl-C cut the answer short, or the solve that it answers."""
    return found.interrupted or bool(found.solved.facts.get("interrupted"))


def _changes(found: LeakAnswer) -> dict[str, Any]:
    """The changes of the strategy, as plain numbers and texts."""
    return {"changes": [one.facts() for one in found.changes()]}


def _facts(solved: SolvedSpot, node: Node) -> dict[str, Any]:
    """A node as plain numbers: of every hand in either range its weights, values, equities and probabilities."""
    from counterplay.poker.cards.deck import hand_text

    hands = {}
    for k, cards in enumerate(solved.spot.deck.hands.tolist()):
        if node.ranges[0][k] > 0.0 or node.ranges[1][k] > 0.0:
            hands[hand_text(cards)] = {
                "ranges": [one[k] for one in node.ranges],
                "values": [one[k] for one in node.values],
                "equities": [one[k] for one in node.equities],
                "probabilities": node.probabilities[k].tolist(),
                "action_values": node.action_values[k].tolist(),
            }
    return {
        "path": node.path, "player": node.player, "whose": None if node.player is None else solved.whose(node.player),
        "actions": list(node.actions), "pot": node.pot,
        "values": list(node.means), "equities": list(node.shares), "hands": hands,
    }  # fmt: skip


def _worth(value: float, node: Node, solved: SolvedSpot) -> str:
    """An EV: chips, what they are of the pot at the node, and in big blinds; at the root also net, as elsewhere."""
    shown = Stakes(node.pot, solved.spot.big_blind).amount(value)
    return shown if node.path else f"{shown} ({number(value - 0.5 * node.pot)} net of half of the pot)"


def show_node(solved: SolvedSpot, node: Node, values: bool = False, ranges: str | None = None) -> None:
    """Values and equities of both players, and the strategy of the one who acts.

    Args:
        solved: the solved spot.
        node: one of its nodes.
        values: show the EV of each action too.
        ranges: write the range of each action in this notation (see `program_notations`).
    """
    from counterplay.poker.cards.deck import cards_text
    from counterplay.poker.ranges.grid import show_strategy

    print(f"\n{node.path or 'root'}: board {cards_text(node.board)}, pot {node.pot:g}")
    if not all(isfinite(mean) for mean in node.means):
        print("no two hands of the ranges can reach this node")
        return
    for player, name in enumerate(_PLAYERS):
        acts = " to act" if node.player == player else ""
        value = 0.0 if abs(node.means[player]) <= rounding(node.pot) else node.means[player]
        print(f"{name:3}  EV {_worth(value, node, solved)}  equity {100.0 * node.shares[player]:.4g} %{acts}")
    if node.player is None:
        return
    print(f"{_PLAYERS[node.player]} plays {_WHOSE[solved.whose(node.player)]}\n")
    sys.stdout.flush()
    show_strategy(node.probabilities, node.actions, node.ranges[node.player], board=node.board, deck=solved.spot.deck)
    if values:
        _show_values(solved, node, node.player)
    if ranges is not None:
        _show_ranges(solved, node, node.player, ranges)


def _show_values(solved: SolvedSpot, node: Node, player: int) -> None:
    """A grid of the EV of each action, class by class."""
    from counterplay.poker.ranges.grid import number_lines

    for number_of, action in enumerate(node.actions):
        lines = number_lines(node.action_values[:, number_of], node.ranges[player], deck=solved.spot.deck)
        say(["", f"EV of {action}, in chips out of the pot of {node.pot:g}:", "", *lines])


def _show_ranges(solved: SolvedSpot, node: Node, player: int, notation: str) -> None:
    """The hands that take each action."""
    from counterplay.poker.spots.node_table import action_ranges

    for action, text in action_ranges(node, solved.spot.deck, notation).items():
        say(["", f"{_PLAYERS[player]}'s range for {action}:", text])
