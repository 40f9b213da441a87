"""Networks that an experiment needs: in the working directory, in the package, or in the cache; else torch learns them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from statistics import stdev
from typing import Any

from counterplay import InputError
from counterplay.cache_folder import cache_folder
from counterplay.learning.learn_by_play import learn_response, measure_response
from counterplay.learning.learn_value import ValueSettings, learn_value, measure_network
from counterplay.learning.policy_gradient import RESPONSE
from counterplay.networks.policy_network import save_policy_network
from counterplay.networks.value_network import save_value_network
from counterplay.trusted_folder import make_trusted
from counterplay_papers.cells.model_cells import game
from counterplay_papers.needed_files import find_file

PACKAGED = Path(__file__).parent.parent / "data"
"""The networks of the first seed are in the package."""
SEEDS = range(5)


@dataclass(frozen=True)
class LearnedFile:
    """A network.

    Attributes:
        name: of its file.
        command: learns it.
        learn: the same, into a file.
    """

    name: str
    command: str
    learn: Callable[[Path], None]

    def find(self) -> Path | None:
        """Where it is."""
        return find_file(self.name, [Path(self.name), PACKAGED / self.name, *([self._cached] if self._cached else [])])

    @property
    def available(self) -> bool:
        """Whether it is there, or torch is, which learns it."""
        return self.find() is not None or find_spec("torch") is not None

    @property
    def _cached(self) -> Path | None:
        folder = cache_folder("networks")
        return folder / self.name if folder else None

    def path(self) -> str:
        """Where it is; learned now if it is nowhere.

        Raises:
            InputError: torch is not installed; the message says how to learn it.
        """
        found = self.find()
        if found is None:
            if not self.available:
                raise InputError(
                    f"{self.name} is not there, and torch, which learns it, is not installed: {self.command}"
                )
            found = self._cached or Path(self.name)
            if self._cached is not None:
                make_trusted(found.parent)
            self.learn(found)
        return str(found)


def value_file(name: str, settings: ValueSettings) -> LearnedFile:
    """A network of values, with weights of 16 bits. name: of its file."""
    asked = settings
    searches = f"{'--responses ' if asked.responses else ''}{f'--rounds {asked.rounds} ' if asked.rounds != 1 else ''}"
    command = (
        f"counterplay learn value {asked.game} --depth {asked.depth} --samples {asked.samples} --asked {asked.asked} "
        f"{searches}--value {asked.solver} --width {asked.width} --epochs {asked.epochs} --half --seed {asked.seed} "
        f"-o {name}"
    )

    def learn(path: Path) -> None:
        found = learn_value(asked)
        save_value_network(path, measure_network(replace(found, network=found.network.halved), game(asked.game)))

    return LearnedFile(name, command, learn)


def response_file(name: str, spec: str, *, rounds: int, width: int, seed: int) -> LearnedFile:
    """A learned response to uniform play in seat 0. name: of its file."""
    command = (
        f"counterplay learn response {spec} --to uniform --rounds {rounds} --width {width} --seed {seed} -o {name}"
    )

    def learn(path: Path) -> None:
        rules: Any = game(spec).rules
        settings = replace(RESPONSE, rounds=rounds, width=width, seed=seed)
        save_policy_network(path, measure_response(game(spec), learn_response(rules, 0, "uniform", settings)))

    return LearnedFile(name, command, learn)


_QUANTILE = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
"""97.5 % quantiles of Student's t by degrees of freedom."""


def interval_margin(numbers: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean over two to five seeds, by Student's t."""
    return _QUANTILE[len(numbers) - 1] * stdev(numbers) / sqrt(len(numbers))
