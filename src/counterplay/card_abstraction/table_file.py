"""Street tables on disk: cached under a digest of all that they depend on; a damaged file is made again."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.cache_folder import ask_for, cache_folder, note_used, prune
from counterplay.card_abstraction.nested_centres import NestedCentres
from counterplay.card_abstraction.showdown_features import GROUPS
from counterplay.card_abstraction.street_tables import LastStreet, StreetTables
from counterplay.errors import InputError
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import DEALT, GameBoards
from counterplay.poker.whole_game.boards.card_sets import card_sets
from counterplay.trusted_folder import make_trusted

VERSION = 2
"""Version of the lanes that a seed gives; raised when they change."""
_SHORT = 24
"""Cards of a deck whose tables take a few seconds, and are not announced."""
_READ: WeakValueDictionary[Path, StreetTables] = WeakValueDictionary()
"""Tables that strategies in this process use: those of one abstraction share them, and what they find on a board."""
_PARTS = frozenset(("table1", "table2", "rivals", "cells", "clusters", "starts"))
KIND = ArchiveKind("a file of card abstraction tables", 1, _PARTS)


def digest_of(boards: GameBoards, name: str) -> str:
    """The digest under which tables are cached: of deck, last street, abstraction and version."""
    question = [VERSION, cards_text(boards.deck.cards), boards.last, name]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


def find_tables(boards: GameBoards, name: str, make: Callable[[], StreetTables]) -> StreetTables:
    """Tables from the cache, or made and cached, if there is a folder for that."""
    folder = cache_folder("tables")
    if folder is None:
        return make()
    path = folder / f"{digest_of(boards, name)}.npz"
    with suppress(InputError):
        found = _READ.get(path) or load_tables(path, boards, name)
        note_used(path)
        _READ[path] = found
        return found
    ask_for(path)
    if len(boards.deck.cards) > _SHORT:
        print(f"making tables of {name}, once: a minute or two (kept in {folder})", file=sys.stderr, flush=True)
    made = _READ[path] = make()
    with suppress(OSError, InputError):
        make_trusted(folder)
        save_tables(path, boards, made)
        note_used(path)
        prune(folder)
    return made


def save_tables(path: Path, boards: GameBoards, tables: StreetTables) -> None:
    """Write tables."""
    last, centres = tables.last, tables.last.centres
    facts = {"key": digest_of(boards, tables.name), "columns": last.columns, "scale": last.scale}
    arrays: dict[str, Any] = {f"table{street}": table for street, table in enumerate(tables.tables, 1)}
    arrays |= {"rivals": last.rivals, "cells": centres.cells, "clusters": centres.clusters, "starts": centres.starts}
    write(path, KIND, {**facts, "absolute": centres.absolute}, arrays)


def load_tables(path: Path, boards: GameBoards, name: str) -> StreetTables:
    """Read tables; an `InputError` if the file is damaged, or has other ones."""
    with opened(path, KIND) as archive:
        facts = archive.facts
        if facts.get("key") != digest_of(boards, name):
            raise InputError(f"the tables in {path} are others")
        tables = []
        for street in range(1, boards.last):
            sets = card_sets(boards.deck, DEALT[street])
            left = len(boards.deck.cards) - sets.size
            tables.append(archive.mapped(f"table{street}", (len(sets), left * (left - 1) // 2), "u"))
        rivals = archive.array("rivals", (len(boards.deck.hands),), "i")
        try:
            last = LastStreet(rivals, int(facts["columns"]), int(facts["scale"]), _centres(archive))
        except (KeyError, TypeError, ValueError):
            raise InputError(f"the facts in {path} are no tables'") from None
    columns = GROUPS + 1 - last.columns
    if last.centres.clusters.shape[1] != columns or not 0 <= rivals.min() <= rivals.max() < GROUPS:
        raise InputError(f"the arrays in {path} do not fit each other")
    return StreetTables(boards.deck, boards.root.lane, tuple(tables), last, name)


def _centres(archive: Archive) -> NestedCentres:
    """The centres in a file; a `ValueError` for arrays that do not fit each other."""
    cells, clusters = archive.array("cells", (None, None)), archive.array("clusters", (None, None))
    starts = archive.array("starts", (len(cells) + 1,), "i").astype(np.int64)
    if cells.shape[1] != clusters.shape[1] or starts[0] or starts[-1] != len(clusters) or (np.diff(starts) < 1).any():
        raise ValueError("starts")
    return NestedCentres(cells, clusters, starts, bool(archive.facts["absolute"]))
