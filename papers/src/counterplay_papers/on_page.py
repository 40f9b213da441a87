"""Tables and figures on Counterplay's page: packaged numbers or those of a run here, and a quick run as a job.

The entry point `reproductions` of the group `counterplay.page`, as `counterplay.page.requests.reproductions` states it.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from counterplay import InputError
from counterplay.display import shell_word
from counterplay.page.tasks import Report, Task
from counterplay.work.run_work import WorkProgress
from counterplay_papers.experiment import KINDS, Result, count_by_kind
from counterplay_papers.packaged_results import packaged_results
from counterplay_papers.picture import draw
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import run, stored_results

_DRAWING = Lock()
"""matplotlib draws one picture at a time."""


def _reproduce(report: Report, name: str, folder: Path) -> dict[str, Any]:
    """A quick run of a reproduction; what was computed before is not computed again, and Stop keeps what is done."""
    experiment = reproduction(name)

    def watch(now: WorkProgress) -> None:
        report({"pieces": now.pieces, "done": now.done, "piece": now.key})

    results, note = run(experiment, folder, quick=True, watch=watch), ""
    try:
        draw(experiment, results, folder / f"{name}.png")
    except InputError as error:  # without matplotlib there is no picture
        note = str(error)
    return {"numbers": len(results), "note": note}


def quick_run(name: str, folder: Path) -> Task:
    """The quick part of a reproduction, as a task of the page.

    Raises:
        InputError: there is none of that name.
    """
    reproduction(name)
    return Task(_reproduce, (name, folder))


def list_reproductions(folder: Path) -> list[dict[str, Any]]:
    """All reproductions, and whether numbers of each were computed here."""
    return [{"name": name, "stored": (folder / f"{name}.csv").is_file()} for name in REPRODUCTIONS]


def reproduction_view(name: str, folder: Path) -> dict[str, Any]:
    """A reproduction: title, source, command, and our numbers beside references: those computed here, else those that come
    with the package.

    Raises:
        InputError: there is no such reproduction, or its table is damaged.
    """
    experiment = reproduction(name)
    found, packaged = stored_results(experiment, folder), packaged_results(experiment)
    results = found if found is not None else packaged.results if packaged else ()
    return {
        "name": name, "title": experiment.title, "source": experiment.source, "digits": experiment.digits,
        "note": experiment.note,
        "command": f"counterplay reproduce {name} --quick -o {shell_word(str(folder))}", "stored": found is not None,
        "packaged": None if packaged is None else {"version": packaged.version, "is_current": packaged.is_current},
        "picture": bool(results) and find_spec("matplotlib") is not None,
        "kinds": [
            {"kind": kind, "words": KINDS[kind], "agree": count.agree, "of": count.of}
            for kind, count in count_by_kind(results, experiment.digits).items()
        ],
        "results": [
            {
                "row": one.row, "column": one.column, "ours": one.ours, "reference": one.reference, "kind": one.kind,
                "agrees": one.agrees(experiment.digits), "verdict": one.verdict(experiment.digits),
            }
            for one in results
        ],
    }  # fmt: skip


def picture_of(name: str, folder: Path) -> bytes:
    """The picture of a reproduction, as PNG: that of the run here, else drawn from the numbers of the package.

    Raises:
        InputError: there is no such reproduction, there are no numbers of it, or matplotlib is not installed.
    """
    experiment = reproduction(name)
    path = folder / f"{name}.png"
    if path.is_file():
        return path.read_bytes()
    found, packaged = stored_results(experiment, folder), packaged_results(experiment)
    results = tuple(found if found is not None else packaged.results if packaged else ())
    if not results:
        raise InputError(f"there is no picture of {name} yet")
    with _DRAWING:
        return _drawn(name, results)


@lru_cache(maxsize=len(REPRODUCTIONS))
def _drawn(name: str, results: tuple[Result, ...]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.png"
        draw(reproduction(name), results, path)
        return path.read_bytes()
