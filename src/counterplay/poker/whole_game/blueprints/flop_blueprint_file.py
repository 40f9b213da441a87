"""Blueprints of Flop Hold'em as files: an archive of the game, the buckets and both strategies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, ArchiveKind, write
from counterplay.card_abstraction.card_abstraction import Buckets, CardAbstraction
from counterplay.endings import FLOP_BLUEPRINT
from counterplay.errors import FileError, InputError
from counterplay.files import check_writable
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
from counterplay.poker.whole_game.blueprints.blueprint_facts import check_rows, facts_of, read_blueprint
from counterplay.poker.whole_game.boards.flops import flops_of
from counterplay.poker.whole_game.game_facts import Facts, rules_in, short_text
from counterplay.poker.whole_game.holdem import HoldemGame, fhp
from counterplay.poker.whole_game.strategy import BucketedStrategy

_PARTS = frozenset(("group", "lane", "block", "sizes", "early0", "early1", "late0", "late1"))
KIND = ArchiveKind("a blueprint of Flop Hold'em", 2, _PARTS, old=frozenset(("about",)))
_OLD_FORMAT = 1
"""Of files without a checksum."""


def save(path: Path, game: HoldemGame, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets, whole or not at all; a lossless one of the full deck takes 0.8 GB.

    Raises:
        InputError: another ending than `.fhp`, or it cannot be written.
    """
    check_writable(path, FLOP_BLUEPRINT)
    play, buckets = blueprint.play, check_flop_buckets(path, blueprint.play.buckets)
    arrays: dict[str, Any] = {
        "group": buckets.preflop,
        "lane": buckets.lane,
        "block": buckets.block,
        "sizes": buckets.sizes,
    }
    for player in (0, 1):
        arrays[f"early{player}"] = play.preflop[player]
        arrays[f"late{player}"] = np.concatenate(play.tables[0][player], axis=1)
    write(path, KIND, facts_of(game, blueprint), arrays)


def check_flop_buckets(path: Path, buckets: CardAbstraction) -> Buckets:
    """The buckets, if a file of this kind can hold them.

    Raises:
        InputError: a game that goes on after the flop, or buckets that are no list.
    """
    if not isinstance(buckets, Buckets):
        raise FileError(
            f"cannot write {path}: a {FLOP_BLUEPRINT} file holds games that end on the flop, with lists of buckets; "
            "use .cpb"
        )
    return buckets


def load(path: Path, game: HoldemGame | None = None) -> tuple[HoldemGame, Blueprint]:
    """Read a blueprint, and its game.

    Args:
        path: the file.
        game: the one that is played, if it is known.

    Raises:
        InputError: the file is missing, damaged, something else, or of another game.
    """
    return read_blueprint(path, KIND, game, facts=_facts, asked=_asked, play=_play)


def _facts(archive: Archive) -> Facts:
    """The facts."""
    if archive.sealed:
        return archive.facts
    about = archive.old_facts("about")
    if not isinstance(about, dict) or about.get("format") != _OLD_FORMAT:
        raise FileError(f"{archive.path} was written in a format that this version does not read")
    return about


def _asked(facts: Facts) -> HoldemGame:
    """The game that a file names."""
    rules, sizes, deck = rules_in(facts)
    return fhp(rules, sizes, deck=deck, flops=flops_of(deck))


def _play(game: HoldemGame, archive: Archive, facts: Facts) -> BucketedStrategy:
    """The strategy of a file.

    Raises:
        InputError: its arrays do not fit the game.
    """
    flops, name = game.flops, short_text(facts, "name")
    sizes = archive.array("sizes", (None,), "iu").astype(np.int64)
    if not 0 < len(sizes) <= flops.flops or not ((sizes > 0) & (sizes <= flops.hand.size)).all():
        raise InputError("its buckets do not fit the game")
    block = archive.array("block", (flops.flops,), "iu").astype(np.int64)
    lane = archive.array("lane", flops.hand.shape, "u").astype(np.uint32)
    buckets = Buckets(archive.array("group", (flops.classes,), "u").astype(np.uint32), lane, block, sizes, name)
    if not ((block >= 0) & (block < len(sizes))).all() or not (lane.max(axis=1) < sizes[block]).all():
        raise InputError("its buckets do not fit the game")
    ends, early, late = np.cumsum(sizes)[:-1], [], []
    for player, side in enumerate(game.sides):
        before = archive.array(f"early{player}", (side.sizes[0], flops.classes)).astype(float)
        after = archive.array(f"late{player}", (side.sizes[1], int(sizes.sum())))
        check_rows(before, side.preflop)
        check_rows(after, side.flop)
        early.append(before)
        late.append([np.ascontiguousarray(block, game.dtype) for block in np.split(after, ends, axis=1)])
    return BucketedStrategy(buckets, (early[0], early[1]), ((late[0], late[1]),))
