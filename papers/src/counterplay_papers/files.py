"""Files that cells find by their names and that take long to make: blueprints and networks.

Work that goes to other processes takes their paths along, so that a worker elsewhere has the same pieces and reads the same
files (see `counterplay.work.carried_files`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from counterplay import InputError
from counterplay.cache_folder import cache_folder, make_trusted

PACKAGE = Path(__file__).parent
DATA = PACKAGE / "data"
"""What the package holds, and so every worker."""
_come: dict[str, Path] = {}
"""By name without its ending, where files lie that have come with work. A whole name would itself be taken for a file that
is to travel."""


class NeededFile(Protocol):
    """A file with a name of its own."""

    @property
    def name(self) -> str: ...

    def find(self) -> Path | None:
        """Where it is; None if it is nowhere."""


def find_file(name: str, places: Sequence[Path]) -> Path | None:
    """A file that has come with work, or else lies in the first of some places; None if it is nowhere."""
    come = [path for stem, path in _come.items() if stem == Path(name).stem]
    return next((place for place in (*come, *places) if place.is_file()), None)


def files_to_carry(needed: Iterable[NeededFile]) -> dict[str, Path]:
    """By name without its ending, where those lie that are there and not in the package."""
    found = {Path(file.name).stem: file.find() for file in needed}
    return {stem: path.absolute() for stem, path in found.items() if path is not None and PACKAGE not in path.parents}


def take_carried(files: Mapping[str, Path]) -> None:
    """Find these files from now on, and none that have come with other work."""
    _come.clear()
    _come.update(files)


def _cached(part: str, name: str) -> list[Path]:
    """Where a file is in the user's cache, if there is one."""
    folder = cache_folder(part)
    return [] if folder is None else [folder / name]


@dataclass(frozen=True)
class RemadeFile:
    """A blueprint that one command makes again, up to rounding: the compiler chooses which products and sums are fused, so
    that other versions of it, or of the library, give another digest.

    Attributes:
        name: of the file.
        command: makes it.
        minutes: of one core, about.
    """

    name: str
    command: str
    minutes: int

    def find(self) -> Path | None:
        """In the package, in the working directory, or in the user's cache."""
        return find_file(self.name, [DATA / self.name, Path(self.name), *_cached("blueprints", self.name)])

    def path(self) -> Path:
        """Where it is.

        Raises:
            InputError: it is not there; the message says how to make it.
        """
        found = self.find()
        if found is None:
            raise InputError(f"cdbr-slumbot needs {self.name} in the working directory; in {self.minutes} minutes of one "
                             f"core it is made by: {self.command}")  # fmt: skip
        return found


GAME = "holdem:stack=200bb,bets=fcpa"
BUCKETS = "buckets=moments:5k/5k/1k"
"""The game of the bot and of its blueprints."""


def _remade(
    name: str, options: str, minutes: int, game: str = f"{GAME},{BUCKETS}", by: str = "counterplay blueprint"
) -> RemadeFile:
    return RemadeFile(name, f"{by} {game} {options} -o {name}", minutes)


BOT = _remade(
    "slumbot-class.cpb", "--iterations 200000000", 80, by="python -m counterplay_papers.external_sampling"
)  # fmt: skip
TOY_BOT = str(DATA / "toy-class.cpb")
"""A bot in the game of 20 cards and 10 big blinds: 20,000 iterations of external sampling in 30 buckets of each street."""
VALUES = _remade("quick-values.cpb", "--iterations 50000", 10)
"""The second blueprint, whose values stand behind look-aheads."""
HOUR = _remade("hour-default.cpb", "--minutes 60 --training hour-default.train", 60, GAME)


@dataclass(frozen=True)
class LearnedFile:
    """A network; that of the first seed is in the package, and others are learned when they are needed.

    Attributes:
        name: of its file.
        command: learns it.
        learn: the same, into a file.
    """

    name: str
    command: str
    learn: Callable[[Path], None]

    def find(self) -> Path | None:
        """In the working directory, in the package, or in the user's cache."""
        return find_file(self.name, [Path(self.name), DATA / self.name, *_cached("networks", self.name)])

    @property
    def available(self) -> bool:
        """Return whether it is there, or torch is, which learns it."""
        return self.find() is not None or find_spec("torch") is not None

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
            cached = _cached("networks", self.name)
            found = cached[0] if cached else Path(self.name)
            if cached:
                make_trusted(found.parent)
            self.learn(found)
        return str(found)
