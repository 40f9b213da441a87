"""Pictures of experiments: nothing empty, nothing clipped, nothing over something else. The numbers are made up."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from counterplay.about import version
from counterplay_papers.experiment import Cell, Result, Summary
from counterplay_papers.picture import figure
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import run

KINDS = (
    "abd-table2", "abd-table3", "adaptation", "cdbr-vs-lbr", "cdrnr-steps", "gadget-counterexamples", "ggse-exploitability",
    "ggse-tests", "ses-leduc",
)  # fmt: skip
"""A picture of each kind of panel, and one of standing and one of lying bars."""

_EDGE = 1.0
"""Pixels by which a text may stand out of the picture."""


def made_up(name: str, folder: Path, quick: bool) -> list[Result]:
    """The results of a reproduction whose record holds drawn numbers, so that nothing is computed."""
    experiment, draws = reproduction(name), random.Random(name)
    cells = [
        Cell(x.row, x.column, x.reference, True, float, x.reason) if isinstance(x, Summary) else x
        for x in experiment.cells
    ]
    experiment = replace(experiment, cells=cells, long_pieces=None)
    numbers = {f"{x.row} | {x.column}": draws.uniform(0.1, 0.9) for x in experiment.cells if isinstance(x, Cell)}
    record = folder / f"{experiment.record or name}.json"
    record.write_text(json.dumps({"version": version(), "numbers": numbers}))
    return run(experiment, folder, quick, watch=lambda *_: pytest.fail("something was computed"))


@pytest.fixture
def pyplot() -> Iterator[Any]:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def box(text: Any) -> Any:
    """Where a text stands, in pixels."""
    return text.get_window_extent(text.figure.canvas.get_renderer())


def ticks(axis: Any) -> list[Any]:
    """The labels of the ticks that are seen."""
    low, high = sorted(axis.get_view_interval())
    both = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label for at, label in both if low <= at <= high and label.get_text()]


def faults(made: Any) -> list[str]:
    """What is wrong with a picture."""
    made.canvas.draw()
    inside, panels, found = made.bbox.padded(_EDGE), made.axes, []
    legends = [*made.legends, *(axes.get_legend() for axes in panels if axes.get_legend())]
    for axes in panels:
        if not (any(len(line.get_xdata()) for line in axes.lines) or axes.patches or axes.images):
            found.append("a panel is empty")
        lying = axes.yaxis_inverted() and bool(axes.patches)
        if not axes.images and not (axes.get_xlabel() if lying else axes.get_ylabel()):
            found.append("an axis has no measure")
        along = [[box(label) for label in ticks(axis)] for axis in (axes.xaxis, axes.yaxis)]
        if any(one.overlaps(other) for boxes in along for one, other in combinations(boxes, 2)):
            found.append("ticks overprint each other")
    panels_words = [word for axes in panels for word in (axes.title, axes.xaxis.label, axes.yaxis.label)]
    labels = [label for axes in panels for axis in (axes.xaxis, axes.yaxis) for label in ticks(axis)]
    words = [word for word in (made._suptitle, *panels_words, *labels) if word and word.get_text()]
    if not all(inside.contains(*corner) for thing in (*words, *legends) for corner in (box(thing).min, box(thing).max)):
        found.append("something is clipped")
    if any(box(legend).overlaps(axes.bbox) for legend in legends for axes in panels):
        found.append("a legend hides something")
    titles = [word for word in (made._suptitle, *(axes.title for axes in panels)) if word and word.get_text()]
    if any(box(one).overlaps(box(other)) for one, other in combinations(titles, 2)):
        found.append("titles run into each other")
    return found


@pytest.mark.parametrize(
    "name", [name if name in KINDS else pytest.param(name, marks=pytest.mark.slow) for name in REPRODUCTIONS]
)
def test_a_quick_picture_has_nothing_empty_clipped_or_hidden(name: str, tmp_path: Path, pyplot: Any) -> None:
    assert faults(figure(reproduction(name), made_up(name, tmp_path, quick=True), pyplot)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_a_whole_picture_has_nothing_empty_clipped_or_hidden(name: str, tmp_path: Path, pyplot: Any) -> None:
    assert faults(figure(reproduction(name), made_up(name, tmp_path, quick=False), pyplot)) == []


@pytest.mark.parametrize("name", ["rps", "ggse-tests"])
def test_of_a_run_that_ended_at_once_there_are_bars(name: str, tmp_path: Path, pyplot: Any) -> None:
    """One number is no curve, and an empty panel says less than a bar."""
    (one, *_) = made_up(name, tmp_path, quick=True)
    made = figure(reproduction(name), [one], pyplot)
    assert len(made.axes[0].patches) == 1


def test_faults_are_seen(pyplot: Any) -> None:
    """What the checks above would say of the pictures that they are for."""
    made, (left, right) = pyplot.subplots(1, 2)
    left.bar([0, 1], [1, 1], label="ours")
    left.legend(loc="lower center")
    left.set_title("a title that is far too long for the panel that it stands over" * 2)
    left.set_xticks([0, 0.1], ["overprinted", "overprinted"])
    assert set(faults(made)) == {
        "a panel is empty", "an axis has no measure", "ticks overprint each other", "something is clipped",
        "a legend hides something",
    }  # fmt: skip
    assert not right.lines


def test_lines_that_coincide_are_all_seen(tmp_path: Path, pyplot: Any) -> None:
    """A game has the same curve with max-margin and with the full gadget: colours, dashes and sizes of markers differ."""
    made = figure(
        reproduction("gadget-counterexamples"), made_up("gadget-counterexamples", tmp_path, quick=True), pyplot
    )
    curves = made.axes[0].lines
    assert len({(line.get_color(), line.get_linestyle(), line.get_markersize()) for line in curves}) == len(curves) == 3
    assert all(line.get_markerfacecolor() == "none" for line in curves)
    assert made._suptitle.get_text().count("ours") == 0
    assert all(axes.get_xlabel() for axes in made.axes)
