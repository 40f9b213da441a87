"""Learning as one recipe: samples at drawn questions, a fit, and rounds of samples that searches over the network ask for.

The pieces of a stage are independent; stages follow one another and share one record, so that learning continues where it
was interrupted.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F32
from counterplay.learning.torch_layers import Watch, check_torch
from counterplay.networks.network import Network
from counterplay.work.run_work import Executor, FunctionWork, complete_work
from counterplay.work.run_work import Watch as WorkWatch
from counterplay.work.work_record import WorkRecord

_FIRST = 0.25
"""Share of the epochs for a network over which searches still ask."""
Progress = Callable[[str, int, int], None]
"""Called with the name of the network, the steps done and their number."""
Samples = Any
"""A NamedTuple of arrays, one row a solved question."""
Fitted = tuple[Network, F32 | None]
"""A network, and the scale of its outputs where they have one."""


@dataclass(frozen=True)
class Piece:
    """A piece of work while its questions are solved. network: over which searches ask; None where questions are drawn.
    number: at the end of its key."""

    rng: np.random.Generator
    wanted: int
    network: Any
    number: int
    solved: list[Samples] = field(default_factory=list)


@dataclass(frozen=True)
class Recipe(ABC):
    """The training of networks of one kind: draw questions, let searches ask further ones, solve them, fit a network.

    Attributes:
        drawn_key, asked_key: of the pieces; n counts the pieces of all rounds, k those of one.
        keeps_rounds: whether a round adds to the samples of those before, or replaces them.
    """

    settings: Any
    piece: ClassVar[int]
    drawn_key: ClassVar[str] = "samples {n}"
    asked_key: ClassVar[str] = "asked {n}"
    keeps_rounds: ClassVar[bool] = True

    @property
    def drawn(self) -> int:
        """Samples at drawn questions."""
        return int(self.settings.samples)

    @property
    def rounds(self) -> int:
        """Rounds in which searches ask."""
        return int(self.settings.rounds)

    @property
    @abstractmethod
    def nothing(self) -> Samples:
        """No samples, of the right shapes."""

    @abstractmethod
    def draw(self, piece: Piece) -> Iterable[Any]:
        """Drawn questions."""

    @abstractmethod
    def ask(self, piece: Piece) -> Iterable[Any]:
        """Questions that searches over a network ask."""

    @abstractmethod
    def solve(self, question: Any) -> Samples | None:
        """The samples of a question."""

    @abstractmethod
    def fit(self, samples: Samples, epochs: int, begin: Network | None, watch: Watch | None) -> Fitted:
        """A network after passes over all samples; begin: one to continue from, of the same sizes."""

    @abstractmethod
    def learned(self, samples: Samples, fitted: Fitted) -> Any:
        """The network with what it is of and how it was learned."""


def random_of(seed: int, key: str) -> np.random.Generator:
    """The random numbers of a piece, which depend on its key and the seed alone."""
    digest = hashlib.sha256(f"{seed} {key}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def stage(recipe: Recipe, network: Any = None, number: int = 0) -> FunctionWork:
    """The work of the drawn samples, or of those that searches over a network ask for in a round, from 0."""
    wanted, key = (recipe.drawn, recipe.drawn_key) if network is None else (recipe.settings.asked, recipe.asked_key)
    count = -(-wanted // recipe.piece)
    keys = [key.format(n=number * count + k, round=number + 1, k=k) for k in range(1, count + 1)]
    solve = partial(solve_piece, recipe, network, min(recipe.piece, wanted))
    return FunctionWork(solve, keys, recipe.settings.identity)


def solve_piece(recipe: Recipe, network: Any, wanted: int, key: str) -> dict[str, Any]:
    """The samples of one piece, by the names of their arrays."""
    piece = Piece(random_of(recipe.settings.seed, key), wanted, network, int(key.split()[-1]))
    for question in recipe.draw(piece) if network is None else recipe.ask(piece):
        samples = recipe.solve(question)
        if samples is not None:
            piece.solved.append(samples)
    return dict(_join([recipe.nothing, *piece.solved])._asdict())


def _join(parts: Sequence[Samples]) -> Samples:
    return type(parts[0])(*map(np.concatenate, zip(*parts, strict=True)))


def learn(
    recipe: Recipe,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: WorkWatch | None = None,
    progress: Progress | None = None,
) -> Any:
    """Learn a network. record: results of earlier runs with the same settings, and the store of new ones. executor:
    computes the samples; training takes one thread of this process.

    Raises:
        InputError: torch is not installed, or the recipe refuses its settings.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    check_torch()
    record, rounds = record or WorkRecord(), recipe.rounds if recipe.settings.asked else 0

    def solved(work: FunctionWork, before: Samples) -> Samples:
        pieces = complete_work(work, record=record, executor=executor, watch=watch).values()
        return _join([before, *(type(before)(**piece) for piece in pieces)])

    drawn = samples = solved(stage(recipe), recipe.nothing)
    net = _fitted(recipe, record, samples, 1, rounds == 0, None, progress)
    for number in range(rounds):
        samples = solved(stage(recipe, net, number), samples if recipe.keeps_rounds else drawn)
        net = _fitted(recipe, record, samples, number + 2, number + 1 == rounds, net.network, progress)
    return net


def _fitted(
    recipe: Recipe, record: WorkRecord, samples: Samples, number: int, last: bool, begin: Network | None,
    progress: Progress | None,
) -> Any:  # fmt: skip
    """The network of a number, from the record if it is there; the last one gets all epochs."""
    name, settings = f"network {number}", recipe.settings
    if name not in record.results:
        epochs = settings.epochs if last else max(1, round(_FIRST * settings.epochs))
        watch = None if progress is None else partial(progress, name)
        network, scale = recipe.fit(samples, epochs, begin, watch)
        arrays = {"weights": network.weights, "biases": network.biases}
        record.keep(name, arrays if scale is None else {**arrays, "scale": scale})
    kept = record.results[name]
    return recipe.learned(samples, (Network(tuple(kept["weights"]), tuple(kept["biases"])), kept.get("scale")))
