"""What every kind of attack is: numbered cases, each independent of all others, each with an outcome."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

LONG = 60.0
"""Processor seconds after which a case is taken to hang."""


@dataclass(frozen=True)
class Outcome:
    """How one case ended.

    Attributes:
        problems: one sentence each; none if all went well.
        line: how to run the case by hand.
        done: how many single attacks it was made of.
        spent: the process that ran it is not fit for another one (a thread may still be running in it).
        kind: what it came to, for the statistics: an exit code, `loaded`, `refused`.
    """

    problems: tuple[str, ...] = ()
    line: str = ""
    done: int = 1
    spent: bool = False
    kind: str = ""


class Part(Protocol):
    """A kind of attack."""

    about: str
    cases: int
    """How many in `make attack`."""
    cpu: float
    """Processor seconds that these took on one machine: the parts share a limit of time by them."""
    few: int
    """How many in `make test`."""

    def prepare(self, folder: Path) -> None:
        """Once, before the worker processes are forked: files that all cases use, and kernels loaded."""

    def enter(self, folder: Path) -> None:
        """In each worker process: a folder of its own, which is also the current one."""

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        """Run one case; all chance comes from `draw`."""


@dataclass
class Tally:
    """What came of a part. failures: (number of the case, outcome). shown: whether its row is printed."""

    name: str
    cases: int = 0
    ended: int = 0
    seconds: float = 0.0
    shown: bool = False
    failures: list[tuple[int, Outcome]] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)

    def add(self, number: int, outcome: Outcome, seconds: float) -> None:
        """Count a case."""
        self.cases += outcome.done
        self.ended += 1
        self.seconds += seconds
        self.kinds[outcome.kind] = self.kinds.get(outcome.kind, 0) + 1
        if outcome.problems:
            self.failures.append((number, outcome))


def draw_of(seed: int, name: str, number: int) -> random.Random:
    """The chance of a case: it depends on nothing but seed, part and number."""
    return random.Random(f"{seed} {name} {number}")
