"""Views of answers to leaks: the curve of gain against risk, and the answer's play at a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.measure.leak_frontier import LeakCorner, MixedCorners, mix_corners
from counterplay.page.shelf import Shelf
from counterplay.page.views import CLASSES, actions_view, plain, strip_view
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.ranges.grid import cells, shares_of
from counterplay.poker.spots.node_report import NodeValues
from counterplay.poker.spots.solution import SolvedSpot

_CHANGES = 12
_SEEN = 1e-3
"""Changes of a smaller share of all deals are left out."""


def answer_view(shelf: Shelf, name: str) -> dict[str, Any]:
    """An answer: the opponent, the corners, the spot's stakes, and its file."""
    spot, facts = shelf.corner(name, None).spot, shelf.answer(name)
    return {**facts, "name": name, "pot": spot.pot, "big_blind": spot.big_blind, "file": str(shelf.path(facts["spot"]))}


def answer_node_view(shelf: Shelf, name: str, path: str) -> dict[str, Any]:
    """A node of an answer: what the equilibrium plays, and every corner.

    The play of a class of hands is given as masses: weight of the class there times the frequency of each action. The
    masses of a mixture of corners are the mixture of their masses, so that a reader can mix them.

    Raises:
        InputError: there is no such node.
    """
    facts = shelf.answer(name)
    solved = shelf.corner(name, None)
    part = solved.find(path)
    values = NodeValues(solved, part)
    player = values.player
    seen: dict[str, Any] = {"player": player, "opponent": facts["opponent"], "strip": strip_view(solved, part)}
    if player is None:
        return seen
    corners = range(len(facts["corners"])) if player != facts["opponent"] else [0]
    plays = [_play(solved, values), *(_play(one, NodeValues(one, part)) for one in _corners(shelf, name, corners))]
    masses = np.array(plays[0]["masses"], np.float64)
    total = masses.sum()
    shares = masses.sum(axis=0) / total if total > 0.0 else np.full(masses.shape[1], np.nan)
    return {**seen, "actions": actions_view(solved, part, shares), "equilibrium": plays[0], "corners": plays[1:]}


def changes_view(shelf: Shelf, name: str, most: float) -> list[dict[str, Any]]:
    """Where the answer with an exploitability of at most `most` chips differs from the equilibrium; most chips first."""
    solved, answered, _ = mixed_answer(shelf, name, most)
    player = 1 - int(shelf.answer(name)["opponent"])
    found = [one for one in diff_strategies(solved, answered, player) if one.size >= _SEEN][:_CHANGES]
    return [
        {
            "path": one.path, "actions": list(one.actions), "size": plain(one.size), "chips": plain(one.chips),
            "before": plain(one.before), "after": plain(one.after),
            "hands": [
                [row.name, one.actions[row.action], plain(row.before), plain(row.after), plain(row.chips)]
                for row in one.hands()[:_CHANGES]
            ],
        }
        for one in found
    ]  # fmt: skip


def mixed_answer(shelf: Shelf, name: str, most: float) -> tuple[SolvedSpot, SolvedSpot, MixedCorners]:
    """The equilibrium, the answer with an exploitability of at most `most` chips, and how it is mixed."""
    facts = shelf.answer(name)
    solved, us = shelf.corner(name, None), 1 - int(facts["opponent"])
    mixed = mix_corners(_points(facts["corners"]), most)
    answer = shelf.corner(name, mixed.lower)
    if mixed.weight > 0.0:
        higher = shelf.corner(name, mixed.lower + 1)
        told = {"gain": mixed.gain, "value_gap": facts.get("value_gap"), "exploitability": mixed.exploitability}
        told["exploitability_percent"] = 100.0 * mixed.exploitability / solved.spot.pot
        kept = {"opponent": PLAYERS[1 - us], "version": answer.facts["version"], **told}
        answer = replace(answer, plans=answer.plans.mixed(us, higher.plans, mixed.weight), facts=kept)
    return solved, answer, mixed


def _points(corners: Sequence[Mapping[str, float]]) -> list[LeakCorner]:
    """The numbers of corners, without plans."""
    none: Any = None
    return [LeakCorner(one["p"], one["gain"], one["exploitability"], none) for one in corners]


def _corners(shelf: Shelf, name: str, numbers: Sequence[int] | range) -> list[SolvedSpot]:
    return [shelf.corner(name, number) for number in numbers]


def _play(solved: SolvedSpot, values: NodeValues) -> dict[str, Any]:
    """The masses and shares of the classes of the player to act (see `answer_node_view`)."""
    assert values.player is not None
    deck, weights = solved.spot.deck, values.ranges[values.player]
    rows = np.where(weights[:, None] > 0.0, values.probabilities(), 0.0) * weights[:, None]
    masses = np.stack([np.bincount(cells(deck), column, CLASSES) for column in rows.T], axis=1)
    return {"masses": plain(masses), "share": plain(shares_of(weights, board=values.board, deck=deck).ravel())}
