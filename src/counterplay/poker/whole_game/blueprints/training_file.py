"""A blueprint in training as a file: regrets, sums of the average and the number of iterations, to go on from.

It is several times as large as the blueprint, and may be deleted once that is good enough.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from counterplay.archive import ArchiveKind, opened, write
from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction, lanes_by_street
from counterplay.errors import FileError
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit, split_in
from counterplay.poker.whole_game.holdem import Facts, HoldemGame, question_of

_PARTS = {
    f"{what}{player}_{street}" for what in ("regrets", "sums", "opponent") for player in (0, 1) for street in range(4)
}
KIND = ArchiveKind("a blueprint in training", 1, frozenset(_PARTS | {"random"}))


class Training(Protocol):
    """A solve that can be put aside."""

    iterations: int
    seconds: float

    @property
    def game(self) -> HoldemGame: ...
    @property
    def buckets(self) -> CardAbstraction: ...
    @property
    def seed(self) -> int: ...
    def state(self) -> dict[str, AnyArray]:
        """Everything that iterations change, by name: the arrays themselves, of any shape."""


def save_training(path: Path, method: str, solver: Training) -> None:
    """Write a solve, whole or not at all."""
    facts = {**_identity(method, solver), "iterations": solver.iterations, "seconds": solver.seconds}
    write(path, KIND, facts, solver.state())


def load_training(path: Path, method: str, solver: Training) -> None:
    """Bring a solve of the same game, buckets and seed to where a file has it; an `InputError` for a file of another
    solve."""
    with opened(path, KIND) as archive:
        facts = archive.facts
        if any(facts.get(key) != value for key, value in _identity(method, solver).items()):
            raise FileError(f"{path} is of another game, other buckets, another method, seed or split of boards")
        iterations, seconds = facts.get("iterations"), facts.get("seconds")
        if not isinstance(iterations, int) or iterations < 0 or not isinstance(seconds, float):
            raise FileError(f"{path} is damaged: it does not say how far it is")
        state = solver.state()
        found = {name: archive.array(name, table.shape, table.dtype.kind) for name, table in state.items()}
    if not all(np.isfinite(table).all() for table in found.values()):
        raise FileError(f"{path} is damaged: it has numbers that are not finite")
    for name, table in state.items():
        table[...] = found[name]
    solver.iterations, solver.seconds = iterations, seconds


def _identity(method: str, solver: Training) -> Facts:
    split: BoardSplit | None = getattr(solver, "split", None)
    return {
        **question_of(solver.game), "dtype": str(solver.game.dtype), "buckets": solver.buckets.name,
        "lanes": lanes_by_street(solver.buckets, solver.game.last), "method": method, "seed": solver.seed,
        "split": None if split is None else split.facts(),
    }  # fmt: skip


def split_of(path: Path) -> BoardSplit | None:
    """Split of the boards of the solve in a file; None if they are not split."""
    with opened(path, KIND) as archive:
        return split_in(archive.facts.get("split"))
