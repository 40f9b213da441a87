"""Blueprints of Flop Hold'em as files: an archive of the game, the buckets and both strategies."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.errors import FileError, InputError, in_file
from counterplay.files import check_writable
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import Deck, Ints, cards_of, cards_text
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
from counterplay.poker.whole_game.card_abstraction import Buckets
from counterplay.poker.whole_game.flops import flops_of
from counterplay.poker.whole_game.holdem import HoldemGame, fhp
from counterplay.poker.whole_game.strategy import BucketedStrategy

ENDING = ".fhp"
_PARTS = frozenset(("group", "lane", "block", "sizes", "early0", "early1", "late0", "late1"))
KIND = ArchiveKind("a blueprint of Flop Hold'em", 2, _PARTS, old=frozenset(("about",)))
_OLD_FORMAT = 1
"""Of files without a checksum."""
_ROUNDING = 1e-4
_LONGEST = 10_000
"""Characters of a text."""


def save(path: Path, game: HoldemGame, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets, whole or not at all; a lossless one of the full deck takes 0.8 GB.

    Raises:
        InputError: another ending than `.fhp`, or it cannot be written.
    """
    check_writable(path, ENDING)
    play, buckets = blueprint.play, blueprint.play.buckets
    if not isinstance(buckets, Buckets):
        raise FileError(f"{path}: only games that end on the flop are kept in a {ENDING} file")
    about = {
        **_question(game), "name": buckets.name, "method": blueprint.method,
        "iterations": blueprint.iterations, "seed": blueprint.seed, "seconds": blueprint.seconds,
    }  # fmt: skip
    arrays: dict[str, Any] = {
        "group": buckets.preflop,
        "lane": buckets.lane,
        "block": buckets.block,
        "sizes": buckets.sizes,
    }
    for player in (0, 1):
        arrays[f"early{player}"] = play.preflop[player]
        arrays[f"late{player}"] = np.concatenate(play.tables[0][player], axis=1)
    write(path, KIND, about, arrays)


def load(path: Path, game: HoldemGame | None = None) -> tuple[HoldemGame, Blueprint]:
    """Read a blueprint, and its game.

    Args:
        game: the one that is played, if it is known.

    Raises:
        InputError: the file is missing, damaged, something else, or of another game.
    """
    with opened(path, KIND) as archive:
        try:
            about = _about(archive)
            if game is not None and any(about.get(key) != wanted for key, wanted in _question(game).items()):
                raise FileError(f"the blueprint in {path} is of another game")
            here = _asked(about) if game is None else game
            play = _play(here, archive, _text(about, "name"))
            facts = _text(about, "method"), int(about["iterations"]), int(about["seed"]), float(about["seconds"])
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no blueprint's ({type(error).__name__})") from None
    return here, Blueprint(play, *facts)


def _about(archive: Archive) -> dict[str, Any]:
    """The facts."""
    if archive.sealed:
        return archive.facts
    about = archive.old_facts("about")
    if not isinstance(about, dict) or about.get("format") != _OLD_FORMAT:
        raise FileError(f"{archive.path} was written in a format that this version does not read")
    return about


def _text(about: dict[str, Any], name: str) -> str:
    """A short text among the facts."""
    text = about[name]
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise TypeError(name)
    return text


def _question(game: HoldemGame) -> dict[str, Any]:
    """The game, as JSON has it."""
    rules = asdict(game.betting.rules)
    question = {"deck": cards_text(game.flops.deck.cards), "limits": rules, "bets": game.betting.sizes.text}
    return dict(json.loads(json.dumps(question)))


def _asked(about: dict[str, Any]) -> HoldemGame:
    """The game that a file names."""
    words: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in about["limits"].items()}
    deck = Deck(cards_of(_text(about, "deck")))
    return fhp(BettingRules(**words), _text(about, "bets"), deck=deck, flops=flops_of(deck))


def _play(game: HoldemGame, archive: Archive, name: str) -> BucketedStrategy:
    """The strategy of a file.

    Raises:
        InputError: its arrays do not fit the game.
    """
    flops = game.flops
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
        if not (_odds(before, side.preflop) and _odds(after, side.flop)):
            raise InputError("its probabilities do not sum to 1")
        early.append(before)
        late.append([np.ascontiguousarray(block, game.dtype) for block in np.split(after, ends, axis=1)])
    return BucketedStrategy(buckets, (early[0], early[1]), ((late[0], late[1]),))


def _odds(table: NDArray[Any], decisions: Ints) -> bool:
    """Whether the rows of every decision are probabilities."""
    sums = [table[first : first + count].sum(axis=0) for _, _, first, count in decisions]
    return bool((table >= 0.0).all()) and all(bool((np.abs(one - 1.0) < _ROUNDING).all()) for one in sums)
