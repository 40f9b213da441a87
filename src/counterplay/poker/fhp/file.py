"""Blueprints of Flop Hold'em as files: a NumPy archive without pickle of the game, the buckets and both strategies."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.files import check_writable, write_whole
from counterplay.poker.cards import Deck, Ints, cards_of, cards_text
from counterplay.poker.fhp.blueprint import Blueprint
from counterplay.poker.fhp.flops import flops_of
from counterplay.poker.fhp.game import Game, fhp
from counterplay.poker.fhp.play import Bucketed, Buckets
from counterplay.poker.limits import Rules

ENDING = ".fhp"
_FORMAT = 1
_ROUNDING = 1e-4
_BROKEN = (ValueError, KeyError, TypeError, IndexError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)


def save(path: Path, game: Game, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets, whole or not at all; a lossless one of the full deck takes 0.8 GB.

    Raises:
        InputError: another ending than `.fhp`, or it cannot be written.
    """
    check_writable(path, ENDING)
    play, buckets = blueprint.play, blueprint.play.buckets
    about = {
        "format": _FORMAT, **_question(game), "name": buckets.name, "method": blueprint.method,
        "iterations": blueprint.iterations, "seed": blueprint.seed, "seconds": blueprint.seconds,
    }  # fmt: skip
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    arrays |= {"group": buckets.preflop, "lane": buckets.lane, "block": buckets.block, "sizes": buckets.sizes}
    for player in (0, 1):
        arrays[f"early{player}"] = play.preflop[player]
        arrays[f"late{player}"] = np.concatenate(play.tables[player], axis=1)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    write_whole(path, stream.getvalue())


def load(path: Path, game: Game | None = None) -> tuple[Game, Blueprint]:
    """Read a blueprint, and its game.

    Args:
        game: the one that is played, if it is known.

    Raises:
        InputError: the file is missing, damaged, something else, or of another game.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(archive["about"].tobytes())
            parts = {name: archive[name] for name in archive.files}
        if about["format"] != _FORMAT:
            raise InputError(f"{path} was written in a format that this version does not read")
        if game is not None and any(about[key] != wanted for key, wanted in _question(game).items()):
            raise InputError(f"the blueprint in {path} is of another game")
        here = _asked(about) if game is None else game
        play = _play(here, parts, str(about["name"]))
        facts = str(about["method"]), int(about["iterations"]), int(about["seed"]), float(about["seconds"])
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except _BROKEN:
        raise InputError(f"{path} is no blueprint of Flop Hold'em, or it is damaged") from None
    return here, Blueprint(play, *facts)


def _question(game: Game) -> dict[str, Any]:
    """The game, as JSON has it."""
    rules = asdict(game.betting.rules)
    question = {"deck": cards_text(game.flops.deck.cards), "limits": rules, "bets": game.betting.sizes.text}
    return dict(json.loads(json.dumps(question)))


def _asked(about: dict[str, Any]) -> Game:
    """The game that a file names."""
    words: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in about["limits"].items()}
    deck = Deck(cards_of(about["deck"]))
    return fhp(Rules(**words), about["bets"], deck=deck, flops=flops_of(deck))


def _play(game: Game, parts: dict[str, NDArray[Any]], name: str) -> Bucketed:
    """The strategy of a file.

    Raises:
        ValueError: its arrays do not fit the game.
    """
    flops, sizes = game.flops, parts["sizes"].astype(np.int64)
    buckets = Buckets(parts["group"].astype(np.uint32), parts["lane"].astype(np.uint32), parts["block"].astype(np.int64),
                      sizes, name)  # fmt: skip
    fits = buckets.preflop.shape == (flops.classes,) and buckets.lane.shape == flops.hand.shape
    fits &= buckets.block.shape == (flops.flops,) and len(sizes) > 0 and bool((sizes > 0).all())
    if not fits or not ((buckets.block >= 0) & (buckets.block < len(sizes))).all():
        raise ValueError("buckets")
    if not (buckets.lane.max(axis=1) < sizes[buckets.block]).all():
        raise ValueError("lanes")
    ends, early, late = np.cumsum(sizes)[:-1], [], []
    for player, side in enumerate(game.sides):
        before, after = parts[f"early{player}"].astype(float), parts[f"late{player}"]
        shapes = (side.sizes[0], flops.classes), (side.sizes[1], int(sizes.sum()))
        if (before.shape, after.shape) != shapes or not (_odds(before, side.preflop) and _odds(after, side.flop)):
            raise ValueError("probabilities")
        early.append(before)
        late.append([np.ascontiguousarray(block, game.dtype) for block in np.split(after, ends, axis=1)])
    return Bucketed(buckets, (early[0], early[1]), (late[0], late[1]))


def _odds(table: NDArray[Any], decisions: Ints) -> bool:
    """Whether the rows of every decision are probabilities."""
    sums = [table[first : first + count].sum(axis=0) for _, _, first, count in decisions]
    return bool((table >= 0.0).all()) and all(bool((np.abs(one - 1.0) < _ROUNDING).all()) for one in sums)
