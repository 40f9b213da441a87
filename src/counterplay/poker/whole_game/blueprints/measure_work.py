"""The measure of a blueprint as work: both best responses and the value, a few first boards at a time."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from counterplay.poker.whole_game.boards.board import even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import BlueprintMeasure, best_response_from, value_from

_TOGETHER = {1: 64, 2: 8, 3: 1}
"""Flops of a piece, by the number of streets after the first: a flop with all turns and rivers takes seconds."""
_VALUE, _BEST = "value", ("best response 0", "best response 1")


class MeasureWork:
    """The terms of each flop in the value of a blueprint and of both best responses to it.

    Args:
        game: the game.
        play: the blueprint's strategy.
        source: its file, from which other processes read both.
    """

    def __init__(self, game: HoldemGame, play: BucketedStrategy, source: Path | None = None) -> None:
        self.game, self.play, self._source = game, play, source
        self._begin = run_time()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._source is None:
            raise PicklingError("the blueprint is in no file")
        return _read, (self._source,)

    def identity(self) -> dict[str, Any]:
        digest = hashlib.sha256()
        for table in (*self.play.preflop, *(rows for street in self.play.tables for side in street for rows in side)):
            digest.update(np.ascontiguousarray(table).tobytes())
        return {"blueprint": digest.hexdigest()[:16], "flops": self._flops}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> F64:
        """(entries, classes) what the flops of a piece are worth where they are dealt, to player 0 by the blueprint or to a
        best responder."""
        part, flops = self._pieces[key]
        return self._walks[part].sum_over(flops)

    def finish(self, results: dict[str, F64]) -> BlueprintMeasure:
        """The measure. results: of all pieces by key, (entries, classes) each."""
        root = self.game.boards.root
        below = {
            part: even_out(root, np.sum([results[key] for key in self._pieces if self._pieces[key][0] == part], axis=0))
            for part in self._walks
        }
        best = [best_response_from(self.game, self.play, player, below[_BEST[player]]) for player in (0, 1)]
        found = value_from(self.game, self.play, self.play, below[_VALUE])
        return BlueprintMeasure(found, (best[0], best[1]), self.game.milli, run_time() - self._begin)

    @property
    def _flops(self) -> int:
        return len(self.game.boards.choices(self.game.boards.root)[1])

    @cached_property
    def _pieces(self) -> dict[str, tuple[str, range]]:
        """By key: a part of the measure, and the numbers of flops."""
        step = _TOGETHER.get(self.game.last, 1)
        runs = [range(first, min(first + step, self._flops)) for first in range(0, self._flops, step)]
        return {
            f"{part}, flops {run[0] + 1} to {run[-1] + 1}": (part, run) for part in (*_BEST, _VALUE) for run in runs
        }

    @cached_property
    def _walks(self) -> dict[str, BoardWalk]:
        walks = {part: BoardWalk(self.game, player, self.play) for player, part in enumerate(_BEST)}
        return {**walks, _VALUE: BoardWalk(self.game, 0, self.play, self.play)}


def _read(source: Path) -> MeasureWork:
    game, made = load(source)
    return MeasureWork(game, made.play, source)
