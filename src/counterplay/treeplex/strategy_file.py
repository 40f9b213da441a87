"""Strategy files: JSON to read and exchange, and a compact binary form (a NumPy archive without pickle)."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.treeplex.strategy import Strategy, checked_row
from counterplay.treeplex.treeplex import Labels, Treeplex

BINARY = ".cps"
_FORMAT = 1


def save(strategy: Strategy, path: Path) -> None:
    """Write a strategy: binary if the name ends in `.cps`, else JSON. The file appears whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    write_whole(path, _binary(strategy) if path.suffix == BINARY else _json(strategy))


def load(tree: Treeplex, path: Path) -> Strategy:
    """Read a strategy for `tree`, checking every infoset.

    Raises:
        InputError: no such file, another format, or a strategy that does not fit the game, naming what is wrong.
    """
    try:
        return _read_binary(tree, path) if path.suffix == BINARY else _read_json(tree, path)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in facts.items()}


def _json(strategy: Strategy) -> bytes:
    document = {**_plain(strategy.facts), "seat": strategy.player, "strategy": strategy.table()}
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def _read_json(tree: Treeplex, path: Path) -> Strategy:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
    facts: dict[str, Any] = {}
    table = document
    if isinstance(document.get("strategy"), dict) and "strategy" not in tree.labels.index:
        facts = {key: value for key, value in document.items() if key != "strategy"}
        table = document["strategy"]
    _check_seat(tree, facts)
    for infoset, row in table.items():
        if not isinstance(row, dict):
            raise InputError(f"the infoset '{infoset}' must map actions to probabilities")
    return Strategy.from_table(tree, table, facts)


def _check_seat(tree: Treeplex, facts: Mapping[str, Any]) -> None:
    seat = facts.get("seat", tree.player)
    if seat != tree.player:
        raise InputError(f"this is a strategy of seat {seat}, and one of seat {tree.player} is needed")


def _digest(labels: Labels) -> str:
    """A fingerprint of all texts: a binary file fits only the game with exactly these infosets and actions."""
    text = "\0".join("\1".join((infoset, *names)) for infoset, names in zip(labels.infosets, labels.actions, strict=True))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _binary(strategy: Strategy) -> bytes:
    tree = strategy.tree
    rows = [strategy.behaviour[tree.sequences_of(lane)] for lane in tree.labels.lanes if lane >= 0]
    facts = {**_plain(strategy.facts), "seat": strategy.player, "format": _FORMAT, "labels": _digest(tree.labels)}
    header = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, header=header, probabilities=np.concatenate(rows) if rows else np.zeros(0))
    return file.getvalue()


def _read_binary(tree: Treeplex, path: Path) -> Strategy:
    try:
        with np.load(path, allow_pickle=False) as archive:
            facts, numbers = json.loads(archive["header"].tobytes()), archive["probabilities"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise InputError("this is not a binary strategy file") from None
    if facts.pop("format", None) != _FORMAT:
        raise InputError("this file was written in a format that this version does not read")
    _check_seat(tree, facts)
    if facts.pop("labels", None) != _digest(tree.labels):
        raise InputError(f"this is a strategy for another game ({facts.get('game', 'unnamed')})")
    if numbers.shape != (tree.sequences - 1,):
        raise InputError(f"it holds {numbers.size} probabilities where the game has {tree.sequences - 1}")
    behaviour, at = tree.uniform(), 0
    for infoset, names, lane in zip(tree.labels.infosets, tree.labels.actions, tree.labels.lanes, strict=True):
        if lane >= 0:
            row = dict(zip(names, numbers[at : at + len(names)].tolist(), strict=True))
            behaviour[tree.sequences_of(lane)] = checked_row(infoset, names, row)
            at += len(names)
    return Strategy(tree, behaviour, facts)
