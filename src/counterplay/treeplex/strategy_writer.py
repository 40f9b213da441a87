"""Writing strategies: JSON to read, edit and exchange, or a compact archive; `strategy_file` reads both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from counterplay.archive import ArchiveKind, plain, write
from counterplay.arrays import F64
from counterplay.endings import STRATEGY
from counterplay.files import write_whole
from counterplay.treeplex.treeplex import Labels, Treeplex

HEADERS, NUMBERS = ("header0", "header1"), ("probabilities0", "probabilities1")
COUNTS = "counts0", "counts1"
"""Observations of each infoset, of strategies that were made from data."""
KIND = ArchiveKind("a binary strategy file", 2, frozenset((*NUMBERS, *COUNTS)), packed=True, old=frozenset(HEADERS))


class Writable(Protocol):
    """A strategy as its writer sees it."""

    @property
    def tree(self) -> Treeplex: ...
    @property
    def behaviour(self) -> F64: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...
    @property
    def counts(self) -> F64 | None: ...
    @property
    def player(self) -> int: ...
    def table(self) -> dict[str, dict[str, float]]: ...


def save(strategies: Writable | Sequence[Writable], path: Path) -> None:
    """Write the strategy of one seat, or of both: binary if the name ends in `.cps`, else JSON; whole or not at all."""
    seats = list(strategies) if isinstance(strategies, Sequence) else [strategies]
    if path.suffix != STRATEGY:
        write_whole(path, _json(seats))
        return
    told = {str(one.player): {**one.facts, "seat": one.player, "labels": digest(one.tree.labels)} for one in seats}
    arrays = {NUMBERS[one.player]: _numbers(one) for one in seats}
    arrays |= {COUNTS[one.player]: one.counts[one.tree.visit_order] for one in seats if one.counts is not None}
    write(path, KIND, {"seats": told}, arrays)


def _json(seats: Sequence[Writable]) -> bytes:
    counts = [_counts(one) for one in seats]
    if len(seats) == 1:
        document = {**plain(seats[0].facts), "seat": seats[0].player, "strategy": seats[0].table()}
        document |= {} if counts[0] is None else {"counts": counts[0]}
    else:
        document = {**plain(seats[0].facts), "strategies": [strategy.table() for strategy in seats]}
        document |= {"counts": counts} if any(counts) else {}
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def _counts(strategy: Writable) -> dict[str, float] | None:
    """The observations of each infoset with any, by its text."""
    if strategy.counts is None:
        return None
    labels = strategy.tree.labels
    found = {
        text: float(strategy.counts[lane])
        for text, lane in zip(labels.infosets, labels.lanes, strict=True)
        if lane >= 0
    }
    return {text: count for text, count in found.items() if count}


def digest(labels: Labels) -> str:
    """A fingerprint of all texts: a binary file fits only the game with exactly these infosets and actions."""
    rows = ("\1".join((infoset, *names)) for infoset, names in zip(labels.infosets, labels.actions, strict=True))
    text = "\0".join(rows)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _numbers(strategy: Writable) -> Any:
    """(sequences,) the probabilities in the order of the visit, without padding."""
    tree = strategy.tree
    rows = [strategy.behaviour[tree.sequences_of(lane)] for lane in tree.visit_order.tolist()]
    return np.concatenate(rows) if rows else np.zeros(0)
