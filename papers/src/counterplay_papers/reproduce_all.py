"""All reproductions one after the other, and what agrees in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from counterplay import InputError
from counterplay.measure.figures import plotter
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch
from counterplay_papers.experiment import Experiment, KindCount, Result, count_by_kind
from counterplay_papers.picture import draw
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import Say, run


@dataclass(frozen=True)
class Agreement:
    """The numbers of one reproduction beside their references.

    Attributes:
        name: of the reproduction.
        source: paper and table or figure.
        numbers: how many were computed.
        references: by kind of reference (`experiment.KINDS`) how many of them there are, and how many agree.
        differ: the numbers that do not agree.
        note: what the comparison rests on; empty if there is nothing to say.
        missing: why it was not computed; empty if it was.
    """

    name: str
    source: str
    numbers: int
    references: Mapping[str, KindCount]
    differ: Sequence[Result]
    note: str = ""
    missing: str = ""


def agreement(experiment: Experiment, results: Sequence[Result]) -> Agreement:
    """What agrees and what differs in a run."""
    differ = [result for result in results if result.agrees(experiment.digits) is False]
    counts = count_by_kind(results, experiment.digits)
    return Agreement(experiment.name, experiment.source, len(results), counts, differ, experiment.note)


def reproduce_all(
    folder: Path,
    quick: bool,
    *,
    executor: Executor | None = None,
    watch: Watch | None = None,
    say: Say | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[Agreement]:
    """Run every reproduction, as `reproduce` does; each is yielded when it is done, and Ctrl-C ends them with the one that
    it interrupts. One that lacks an input is yielded with the reason.

    Args:
        folder, quick, executor, watch, say: as of `run_experiment`; the folder gets pictures, too.
        names: of the reproductions, in order; by default all.

    Raises:
        InputError: matplotlib is not installed.
    """
    plotter()
    for name in REPRODUCTIONS if names is None else names:
        experiment = reproduction(name)
        try:
            found = run(experiment, folder, quick, executor=executor, watch=_naming(name, watch), say=say)
        except InputError as error:
            yield Agreement(name, experiment.source, 0, {}, [], missing=str(error))
            continue
        if found:
            draw(experiment, found, folder / f"{name}.png")
        yield agreement(experiment, found)
        if found.interrupted:
            return


def _naming(name: str, watch: Watch | None) -> Watch | None:
    """A watch that is told the reproduction, too."""
    if watch is None:
        return None
    told = watch
    return lambda piece: told(replace(piece, key=f"{name}: {piece.key}"))
