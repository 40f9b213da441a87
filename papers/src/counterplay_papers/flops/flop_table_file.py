"""Tables of values by flops as files (`.cpv`): an archive of plain numbers, checked as a whole when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay import InputError
from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import AnyArray
from counterplay.endings import FLOP_TABLE
from counterplay.errors import FileError, in_file
from counterplay.files import check_writable
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw
from counterplay.poker.whole_game.walks.response_on_flops import FlopValues
from counterplay_papers.flops.flop_study import SEATS
from counterplay_papers.flops.flop_table import FlopTable, check_table
from counterplay_papers.flops.pooled_draws import SampleValues

_SAMPLES = 64
_BY_SEAT = ("upper", "lower", "plan", "below")
_ARRAYS = {f"folded{seat}" for seat in SEATS}
_ARRAYS |= {f"{name}{k}" for k in range(_SAMPLES) for name in ("numbers", "times")}
_ARRAYS |= {f"{name}{k}_{seat}" for k in range(_SAMPLES) for name in _BY_SEAT for seat in SEATS}
KIND = ArchiveKind("values by flops", 2, frozenset(_ARRAYS), packed=True, older=frozenset({1}))
_MOST = 2**20
"""Flops of a table at most."""


def write_flop_table(path: Path, table: FlopTable) -> None:
    """Write a table, whole or not at all.

    Raises:
        InputError: another ending than `.cpv`, too many samples, or it cannot be written.
    """
    check_writable(path, FLOP_TABLE)
    if len(table.samples) > _SAMPLES:
        raise InputError(f"{path}: a table has at most {_SAMPLES} samples, and this one {len(table.samples)}")
    arrays: dict[str, AnyArray] = {f"folded{seat}": table.folded[seat] for seat in SEATS}
    samples = []
    for k, sample in enumerate(table.samples):
        samples.append({"methods": list(sample.values), "whole": sample.draw.whole, "seed": sample.draw.seed})
        samples[-1] |= {"flops": len(sample.draw.numbers), "skipped": sample.draw.skipped}
        arrays[f"numbers{k}"] = np.array(sample.draw.numbers, np.uint32)
        arrays[f"times{k}"] = np.array(sample.draw.times, np.uint32)
        for seat in SEATS:
            for name in _BY_SEAT:
                each = [getattr(pair[seat], name) for pair in sample.values.values()]
                arrays[f"{name}{k}_{seat}"] = np.stack(each).astype(np.uint8 if name == "plan" else np.float64)
    write(path, KIND, {"study": table.study, "version": table.version, "samples": samples}, arrays)


def read_flop_table(path: Path) -> FlopTable:
    """Read a table and check it (see `check_table`).

    Raises:
        InputError: the file is missing, damaged or something else, or its numbers do not fit each other.
    """
    with opened(path, KIND) as archive:
        try:
            facts = archive.facts
            game = read_holdem(str(facts["study"]["game"])).game
            shapes = [(side.sizes[0], game.boards.classes) for side in game.sides]
            one, two = (archive.array(f"folded{seat}", shapes[seat]) for seat in SEATS)
            samples = [_sample(archive, game, k, said) for k, said in enumerate(facts["samples"])]
            table = FlopTable(facts["study"], str(facts["version"]), (one, two), samples)
            check_table(table, game)
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no table's ({type(error).__name__})") from None
    return table


def _sample(archive: Archive, game: HoldemGame, k: int, said: Any) -> SampleValues:
    names, flops = [str(name) for name in said["methods"]], int(said["flops"])
    if not 0 < flops <= _MOST or not names:
        raise InputError("it has no flops")
    numbers, times = (archive.array(f"{part}{k}", (flops,), "u").tolist() for part in ("numbers", "times"))
    seed = None if said["seed"] is None else int(said["seed"])
    draw = FlopDraw(tuple(numbers), tuple(times), int(said["whole"]), seed, int(said.get("skipped", 0)))
    pairs: dict[str, list[FlopValues]] = {name: [] for name in names}
    for seat in SEATS:
        side, classes = game.sides[seat], game.boards.classes
        shapes = ((flops,), (flops,), (side.sizes[0], classes), (len(game.entries), classes))
        upper, lower, plan, below = (
            archive.array(f"{part}{k}_{seat}", (len(names), *shape), "u" if part == "plan" else "f").astype(np.float64)
            for part, shape in zip(_BY_SEAT, shapes, strict=True)
        )
        for at, name in enumerate(names):
            pairs[name].append(FlopValues(draw, upper[at], lower[at], plan[at], below[at]))
    return SampleValues(draw, {name: (pair[0], pair[1]) for name, pair in pairs.items()})
