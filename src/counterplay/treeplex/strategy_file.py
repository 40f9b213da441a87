"""Strategy files: JSON to read and exchange, and a compact binary form (a NumPy archive without pickle).

JSON holds what is known of a strategy and `strategy: {infoset: {action: probability}}`, or `strategies: [.., ..]` for
both seats; a bare `{infoset: {action: probability}}` is read too. The binary form holds the same per seat.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.treeplex.strategy import Strategy, checked_row
from counterplay.treeplex.treeplex import Labels, Treeplex

BINARY = ".cps"
_FORMAT = 1
_BROKEN = (ValueError, KeyError, TypeError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What NumPy and the zip reader raise at a file that is no archive or a broken one."""


def save(strategies: Strategy | Sequence[Strategy], path: Path) -> None:
    """Write the strategy of one seat, or of both: binary if the name ends in `.cps`, else JSON; whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    seats = [strategies] if isinstance(strategies, Strategy) else list(strategies)
    write_whole(path, _binary(seats) if path.suffix == BINARY else _json(seats))


def load(tree: Treeplex, path: Path) -> Strategy:
    """Read the strategy of the player of `tree`, checking every infoset.

    Raises:
        InputError: no such file, another format, or a strategy that does not fit the game, naming what is wrong.
    """
    try:
        return _read_binary(tree, path) if path.suffix == BINARY else _read_json(tree, path)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def seats_in(path: Path) -> list[int]:
    """The seats of which a file holds strategies; both if it does not say."""
    try:
        if path.suffix == BINARY:
            with np.load(path, allow_pickle=False) as archive:
                found = [seat for seat in (0, 1) if f"header{seat}" in archive]
        else:
            document = json.loads(path.read_text(encoding="utf-8"))
            found = [document["seat"]] if isinstance(document, dict) and document.get("seat") in (0, 1) else []
    except (OSError, RecursionError, *_BROKEN):
        return [0, 1]  # loading it will say what is wrong
    return found or [0, 1]


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in facts.items()}


def _json(seats: Sequence[Strategy]) -> bytes:
    if len(seats) == 1:
        document = {**_plain(seats[0].facts), "seat": seats[0].player, "strategy": seats[0].table()}
    else:
        document = {**_plain(seats[0].facts), "strategies": [strategy.table() for strategy in seats]}
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def _read_json(tree: Treeplex, path: Path) -> Strategy:
    try:
        document = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
    table, facts = _table_and_facts(document, tree)
    for infoset, row in table.items():
        if not isinstance(row, dict):
            raise InputError(f"the infoset {quoted(infoset)} must map actions to probabilities")
    return Strategy.from_table(tree, table, facts)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON document; a name that stands in it twice is refused, not silently overwritten."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"'{next(name for name in names if names.count(name) > 1)}' stands there twice")
    return found


def _table_and_facts(document: dict[str, Any], tree: Treeplex) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table of the tree's player, in whichever of the three forms it stands."""
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


def _digest(labels: Labels) -> str:
    """A fingerprint of all texts: a binary file fits only the game with exactly these infosets and actions."""
    rows = ("\1".join((infoset, *names)) for infoset, names in zip(labels.infosets, labels.actions, strict=True))
    text = "\0".join(rows)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _binary(seats: Sequence[Strategy]) -> bytes:
    arrays: dict[str, Any] = {}
    for strategy in seats:
        tree, seat = strategy.tree, strategy.player
        rows = [strategy.behaviour[tree.sequences_of(lane)] for lane in tree.visit_order.tolist()]
        facts = {**_plain(strategy.facts), "seat": seat, "format": _FORMAT, "labels": _digest(tree.labels)}
        arrays[f"header{seat}"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        arrays[f"probabilities{seat}"] = np.concatenate(rows) if rows else np.zeros(0)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _read_binary(tree: Treeplex, path: Path) -> Strategy:
    try:
        with np.load(path, allow_pickle=False) as archive:
            if f"header{tree.player}" not in archive and f"header{1 - tree.player}" in archive:
                raise InputError(
                    f"this is a strategy of seat {1 - tree.player}, and one of seat {tree.player} is needed"
                )
            facts = json.loads(archive[f"header{tree.player}"].tobytes())
            numbers = archive[f"probabilities{tree.player}"]
    except InputError:
        raise
    except _BROKEN:
        raise InputError("this is not a binary strategy file") from None
    if not isinstance(facts, dict) or facts.pop("format", None) != _FORMAT:
        raise InputError("this file was written in a format that this version does not read")
    if facts.pop("labels", None) != _digest(tree.labels):
        raise InputError(f"this is a strategy for another game ({facts.get('game', 'unnamed')})")
    if numbers.shape != (tree.sequences - 1,):
        raise InputError(f"it holds {numbers.size} probabilities where the game has {tree.sequences - 1}")
    return Strategy(tree, _checked(tree, numbers), facts)


def _checked(tree: Treeplex, numbers: Any) -> Any:
    """The behaviour whose probabilities are `numbers`, in the order of the labels."""
    behaviour, at = tree.uniform(), 0
    for infoset, names, lane in zip(tree.labels.infosets, tree.labels.actions, tree.labels.lanes, strict=True):
        if lane >= 0:
            row = dict(zip(names, numbers[at : at + len(names)].tolist(), strict=True))
            behaviour[tree.sequences_of(lane)] = checked_row(infoset, names, row)
            at += len(names)
    return behaviour
