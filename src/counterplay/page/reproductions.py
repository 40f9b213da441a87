"""Tables and figures of papers on the page: those that were computed before, and a quick run as a job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from counterplay.catalogue import REPRODUCTIONS
from counterplay.errors import InputError
from counterplay.experiments.picture import draw
from counterplay.experiments.registry import reproduction
from counterplay.experiments.runner import run
from counterplay.experiments.stored_results import stored_results
from counterplay.page.tasks import Report
from counterplay.work.run_work import WorkProgress


@dataclass(frozen=True)
class Reproduce:
    """A quick run of a reproduction; what was computed before is not computed again, and Stop keeps what is done.

    Attributes:
        name: of the reproduction.
        folder: gets its table, record and picture.
    """

    name: str
    folder: Path

    def run(self, report: Report) -> dict[str, Any]:
        experiment = reproduction(self.name)

        def watch(now: WorkProgress) -> None:
            report({"pieces": now.pieces, "done": now.done, "piece": now.key})

        results = run(experiment, self.folder, quick=True, watch=watch)
        note = ""
        try:
            draw(experiment, results, self.folder / f"{self.name}.png")
        except InputError as error:  # without matplotlib there is no picture
            note = str(error)
        return {"numbers": len(results), "note": note}


def list_reproductions(folder: Path) -> list[dict[str, Any]]:
    """All reproductions, and whether numbers of each are there."""
    return [{"name": name, "stored": (folder / f"{name}.csv").is_file()} for name in REPRODUCTIONS]


def reproduction_view(name: str, folder: Path) -> dict[str, Any]:
    """A reproduction: title, source, command, and the numbers so far, ours beside the paper's.

    Raises:
        InputError: there is no such reproduction, or its table is damaged.
    """
    experiment = reproduction(name)
    found = stored_results(name, folder)
    return {
        "name": name, "title": experiment.title, "source": experiment.source, "digits": experiment.digits,
        "command": f"counterplay reproduce {name} --quick -o {quote(str(folder))}", "stored": found is not None,
        "picture": found is not None and picture_of(name, folder).is_file(),
        "results": [
            {
                "row": one.row, "column": one.column, "ours": one.ours, "paper": one.paper,
                "agrees": one.agrees(experiment.digits), "verdict": one.verdict(experiment.digits),
            }
            for one in found or ()
        ],
    }  # fmt: skip


def picture_of(name: str, folder: Path) -> Path:
    """The file of a picture, which need not exist.

    Raises:
        InputError: there is no such reproduction.
    """
    if name not in REPRODUCTIONS:
        raise InputError("there is no such reproduction")
    return folder / f"{name}.png"
