"""Reading strategy files: JSON to read, edit and exchange, and a compact binary form (an archive).

JSON holds the facts of a strategy and `strategy: {infoset: {action: probability}}`, or `strategies: [.., ..]` for both
seats; a bare `{infoset: {action: probability}}` is read too. The binary form holds the same per seat.

The game that a file names must match where this can be checked (see `games.identity`); to use a strategy in a variant
of its game, delete the line `"game"` from the JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, opened
from counterplay.arrays import F64
from counterplay.endings import STRATEGY
from counterplay.errors import FileError, InputError, in_file, quoted
from counterplay.games.identity import is_other_game
from counterplay.json_text import read_json_file
from counterplay.treeplex.strategy import COUNTS, HEADERS, KIND, NUMBERS, Strategy, checked_row, digest
from counterplay.treeplex.treeplex import Treeplex

_OLD_FORMAT = 1
"""Magic number of files without a checksum, where each seat has its own header."""


def load(tree: Treeplex, path: Path, game: str = "") -> Strategy:
    """Read the strategy of the player of `tree`, checking every infoset: arrays where the path ends in `.cps`, else
    JSON.

    Raises:
        InputError: missing file, another format, or a strategy that does not fit the tree or names another game than
            `game`.
    """
    if path.suffix == STRATEGY:
        return _read_binary(tree, path, game)
    try:
        document = read_json_file(path)
        if not isinstance(document, dict):
            raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
        table, facts = _table_and_facts(document, tree)
        _check_game(facts, game)
        for infoset, row in table.items():
            if not isinstance(row, dict):
                raise InputError(f"the infoset {quoted(infoset)} must map actions to probabilities")
        counts = facts.pop("counts", None)
        return replace(Strategy.from_table(tree, table, facts), counts=_counts_of_table(tree, counts))
    except InputError as error:
        raise FileError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def seats_in(path: Path) -> list[int]:
    """The seats whose strategies a file holds; both if it does not say."""
    try:
        if path.suffix == STRATEGY:
            with opened(path, KIND) as archive:
                seats = [seat for seat in (0, 1) if NUMBERS[seat] in archive]
        else:
            document = read_json_file(path)
            seats = [document["seat"]] if isinstance(document, dict) and document.get("seat") in (0, 1) else []
    except (OSError, InputError):
        return [0, 1]  # loading it will say what is wrong
    return seats or [0, 1]


def game_named(path: Path) -> str:
    """The game that a file of strategies names; empty if none. An InputError if it is no such file."""
    if path.suffix == STRATEGY:
        with opened(path, KIND) as archive:
            return str(next((facts for seat in seats_in(path) if (facts := _facts(archive, seat).get("game"))), ""))
    document = read_json_file(path)
    if not isinstance(document, dict):
        raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
    named = document.get("game", "")
    return named if isinstance(named, str) else ""


def _check_game(facts: dict[str, Any], game: str) -> None:
    """Reject a file that names another game than `game`, if `game` is given."""
    named = facts.get("game", "")
    if not isinstance(named, str):
        raise InputError("the game must be named by a text")
    if named and game and is_other_game(named, game):
        raise InputError(f"this is a strategy for {' '.join(named.split())[:80]}, and one for {game} is needed")


def _table_and_facts(document: dict[str, Any], tree: Treeplex) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table of the tree's player, from any of the three forms."""
    if isinstance(pair := document.get("strategies"), list) and "strategies" not in tree.labels.index:
        if len(pair) != 2 or not all(isinstance(table, dict) for table in pair):
            raise InputError("'strategies' must hold two tables, of seat 0 and of seat 1")
        facts = {key: value for key, value in document.items() if key != "strategies"}
        return pair[tree.player], {**facts, "seat": tree.player}
    if isinstance(table := document.get("strategy"), dict) and "strategy" not in tree.labels.index:
        facts = {key: value for key, value in document.items() if key != "strategy"}
        if facts.get("seat", tree.player) != tree.player:
            raise InputError(f"this is a strategy of seat {facts['seat']}, and one of seat {tree.player} is needed")
        return table, facts
    return document, {}


def _read_binary(tree: Treeplex, path: Path, game: str) -> Strategy:
    seat, count = tree.player, tree.sequences - 1
    with opened(path, KIND) as archive:
        if NUMBERS[seat] not in archive and NUMBERS[1 - seat] in archive:
            raise FileError(f"{path}: this is a strategy of seat {1 - seat}, and one of seat {seat} is needed")
        facts = _facts(archive, seat)
        shape = archive.shape(NUMBERS[seat])
        try:
            _check_game(facts, game)
            if facts.pop("labels", None) != digest(tree.labels):
                raise InputError(f"this is a strategy for another game ({str(facts.get('game', 'unnamed'))[:80]})")
            if shape != (count,):
                raise InputError(f"it holds probabilities {list(shape)} where the game has {count}")
            counts = None
            if COUNTS[seat] in archive:
                counts = np.zeros(tree.lanes)
                counts[tree.visit_order] = archive.array(COUNTS[seat], (tree.infosets,))
            numbers = archive.array(NUMBERS[seat], (count,))
            behaviour, at = tree.uniform(), 0
            for infoset, names, lane in zip(tree.labels.infosets, tree.labels.actions, tree.labels.lanes, strict=True):
                if lane >= 0:
                    row = dict(zip(names, numbers[at : at + len(names)].tolist(), strict=True))
                    behaviour[tree.sequences_of(lane)] = checked_row(infoset, names, row)
                    at += len(names)
            return Strategy(tree, behaviour, facts, counts)
        except InputError as error:
            raise in_file(path, error) from None


def _facts(archive: Archive, seat: int) -> dict[str, Any]:
    if archive.sealed:
        seats = archive.facts.get("seats")
        facts = seats.get(str(seat)) if isinstance(seats, dict) else None
    else:
        facts = archive.old_facts(HEADERS[seat])
        facts = facts if isinstance(facts, dict) and facts.pop("format", None) == _OLD_FORMAT else None
    if not isinstance(facts, dict):
        raise FileError(f"{archive.path} was written in a format that this version does not read")
    return facts


def _counts_of_table(tree: Treeplex, table: Any) -> F64 | None:
    if isinstance(table, list) and len(table) == 2:
        table = table[tree.player]
    if table is None:
        return None
    counts, labels = np.zeros(tree.lanes), tree.labels
    if not isinstance(table, dict):
        raise InputError("'counts' must map infosets to numbers")
    for text, count in table.items():
        lane = labels.lanes[labels.index[text]] if text in labels.index else -1
        if lane < 0 or not isinstance(count, int | float):
            raise InputError(
                f"the counts have {quoted(text)}, which is no number of an infoset of player {tree.player}"
            )
        counts[lane] = count
    return counts
