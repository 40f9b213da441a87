"""Writing strategies: JSON to read, edit and exchange, or a compact archive; `strategy_file` reads both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.archive import ArchiveKind, plain, write
from counterplay.files import write_whole
from counterplay.treeplex.treeplex import Labels, Treeplex

BINARY = ".cps"
HEADERS, NUMBERS = ("header0", "header1"), ("probabilities0", "probabilities1")
KIND = ArchiveKind("a binary strategy file", 2, frozenset(NUMBERS), packed=True, old=frozenset(HEADERS))


class Writable(Protocol):
    """A strategy as its writer sees it."""

    @property
    def tree(self) -> Treeplex: ...
    @property
    def behaviour(self) -> NDArray[np.float64]: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...
    @property
    def player(self) -> int: ...
    def table(self) -> dict[str, dict[str, float]]: ...


def save(strategies: Writable | Sequence[Writable], path: Path) -> None:
    """Write the strategy of one seat, or of both: binary if the name ends in `.cps`, else JSON; whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    seats = list(strategies) if isinstance(strategies, Sequence) else [strategies]
    if path.suffix != BINARY:
        write_whole(path, _json(seats))
        return
    told = {str(one.player): {**one.facts, "seat": one.player, "labels": digest(one.tree.labels)} for one in seats}
    write(path, KIND, {"seats": told}, {NUMBERS[one.player]: _numbers(one) for one in seats})


def _json(seats: Sequence[Writable]) -> bytes:
    if len(seats) == 1:
        document = {**plain(seats[0].facts), "seat": seats[0].player, "strategy": seats[0].table()}
    else:
        document = {**plain(seats[0].facts), "strategies": [strategy.table() for strategy in seats]}
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


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
