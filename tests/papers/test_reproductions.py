"""Reproductions: the printed digits, going on after an interruption, and records that are damaged or of another version.

The figures are computed here for few opponents and few p.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

import counterplay as cp
from counterplay import InputError, cli
from counterplay.about import version
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.networks.policy_network import load_policy_network
from counterplay.networks.value_network import load_value_network
from counterplay.poker.whole_game.blueprints import blueprint as usual_blueprint
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.responses.matchup import Matchup
from counterplay.responses.method import Outcome
from counterplay.treeplex.sweeps import behaviour_of
from counterplay.work.processes import Processes
from counterplay.work.run_work import WorkProgress, WorkRecipe
from counterplay.work.work_record import WorkRecord
from counterplay_papers import files
from counterplay_papers.command import show_results
from counterplay_papers.experiment import (
    AIM,
    FIGURE,
    PRINTED,
    Cell,
    Derived,
    Experiment,
    LongPieces,
    Reference,
    Result,
    Summary,
    average,
    count_by_kind,
    follows,
    part_of,
    printed,
)
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.reproductions import milec_2024_curves, milec_2024_shares, slumbot
from counterplay_papers.reproductions.kubicek_2026_matches import game_of_key
from counterplay_papers.responses import CFR, CFR_PLUS, RANDOM, measure_response
from counterplay_papers.runner import reproduce, run, stored_results

FIGURES = [name for name in REPRODUCTIONS if name != "cdbr-table1"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures with few opponents and few p, of which `--quick` takes still fewer."""
    cfr, plus, random = (
        replace(family, numbers=numbers, quick=numbers[:1])
        for family, numbers in ((CFR, (5, 34)), (CFR_PLUS, (21, 34)), (RANDOM, (1, 2)))
    )
    monkeypatch.setattr(milec_2024_curves, "VS_LBR_FAMILIES", (cfr, plus, random))
    monkeypatch.setattr(milec_2024_curves, "LEDUC_FAMILIES", (cfr, random))
    monkeypatch.setattr(milec_2024_curves, "LEDUC_TRUST", (0.3, 0.5))
    monkeypatch.setattr(milec_2024_curves, "STEPS_OPPONENTS", ("cfr:5", "random:1"))
    monkeypatch.setattr(milec_2024_curves, "STEPS_TRUST", (0.3, 0.5))
    monkeypatch.setattr(
        milec_2024_curves, "STEPS_GAMES", {"leduc": "leduc", "liar's dice": "liars_dice:1,4,wild=false"}
    )
    monkeypatch.setattr(milec_2024_curves, "RPS_TRUST", (0.0, 0.25, 0.5, 1.0))


def numbers_of(results: list[Result]) -> dict[tuple[str, str], float]:
    return {(result.row, result.column): result.ours for result in results}


def _counting(calls: list[str], stop_at: str = "") -> Experiment:
    """Three cells that note when they are computed; one may be interrupted."""

    def cell(name: str, number: float) -> Cell:
        def compute() -> float:
            if name == stop_at:
                raise KeyboardInterrupt
            calls.append(name)
            return number

        return Cell(name, "column", printed(number), name == "c", compute)

    return Experiment("toy", "a title", "nowhere", 1, [cell("a", 1.0), cell("b", 2.0), cell("c", 3.0)])


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    calls: list[str] = []
    assert [r.row for r in run(_counting(calls, stop_at="b"), tmp_path, quick=False)] == ["a"]
    assert [r.row for r in run(_counting(calls), tmp_path, quick=False)] == ["a", "b", "c"]
    assert calls == ["a", "b", "c"]
    assert (tmp_path / "toy.csv").read_text().splitlines()[1:] == [f"toy,{n},column,{x},{x},printed,0.0," for n, x in
                                                                 (("a", 1.0), ("b", 2.0), ("c", 3.0))]  # fmt: skip


def test_quick_leaves_out_the_slow(tmp_path: Path) -> None:
    assert [r.row for r in run(_counting([]), tmp_path, quick=True)] == ["a", "b"]


def test_chosen_rows_are_computed_alone_and_kept_with_the_others(tmp_path: Path) -> None:
    calls: list[str] = []
    whole = _counting(calls)
    whole = replace(
        whole, cells=[*whole.cells, average("mean", "column", ("a", "b", "c")), Summary("of", "it", None, len)]
    )
    alone = run(part_of(whole, ["c", "mean"]), tmp_path, quick=False)
    assert [(r.row, r.ours) for r in alone] == [("c", 3.0), ("mean", 3.0)]
    assert [r.ours for r in run(part_of(whole, ["a", "b", "c", "mean"]), tmp_path, quick=False)] == [1.0, 2.0, 3.0, 2.0]
    assert calls == ["c", "a", "b"]
    with pytest.raises(InputError, match="no row with 'x' in its name; it has 'a', 'b', 'c'"):
        part_of(whole, ["a", "x"])


class _Pieces(WorkRecipe):
    """A piece of each of two games."""

    def identity(self) -> dict[str, str]:
        return {"toy": "pieces"}

    def keys(self) -> list[str]:
        return ["g | 1", "h | 1"]

    def compute(self, key: str) -> str:
        return key


def test_chosen_rows_compute_the_pieces_of_their_games_alone(tmp_path: Path) -> None:
    cells = [Summary(row, "pieces", None, lambda found: float(len(found))) for row in ("g, first", "h, first")]
    toy = replace(_counting([]), cells=cells, long_pieces=LongPieces(_Pieces, lambda *_: None, game_of_key))
    assert [r.ours for r in run(part_of(toy, ["h"]), tmp_path, quick=False)] == [1.0]
    assert [r.ours for r in run(toy, tmp_path, quick=False)] == [2.0, 2.0]


def test_the_cost_of_the_pieces_that_are_left_is_said_before_the_first(tmp_path: Path) -> None:
    said: list[str] = []

    class Pieces(_Pieces):
        def compute(self, key: str) -> str:
            assert said
            return key

    cells = [Summary("g", "pieces", None, lambda found: float(len(found)))]
    long = LongPieces(Pieces, lambda *_: None, game_of_key, lambda key: {"g": 3600.0, "h": 60.0}[game_of_key(key)])
    toy = replace(_counting([]), cells=cells, long_pieces=long)
    run(part_of(toy, ["g"]), tmp_path, quick=False, say=said.append)
    run(toy, tmp_path, quick=False, say=said.append)
    run(toy, tmp_path, quick=False, say=said.append)
    assert [line.split(";")[0] for line in said] == [
        "toy: 1 part of long work left, about 60 min of CPU", "toy: 1 part of long work left, about 60 s of CPU",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("ggse-matches", "40 parts of long work left, about 2 h 9 min"),
        ("ggse-nested", "280 parts of long work left, about 35 min"),
    ],
)
def test_the_command_says_the_cost_of_nested_solving(name: str, cost: str, tmp_path: Path) -> None:
    """And is ended there."""
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        raise KeyboardInterrupt

    experiment = reproduction(name)
    summaries = [cell for cell in experiment.cells if isinstance(cell, Summary)]
    with pytest.raises(KeyboardInterrupt):
        run(replace(experiment, cells=summaries), tmp_path, quick=False, say=say)
    assert said[0].startswith(f"{name}: {cost} of CPU; ")


def test_a_mean_so_far_is_of_the_rows_that_an_interrupted_run_has(tmp_path: Path) -> None:
    toy = _counting([], stop_at="b")

    def mean(found: Mapping[str, Sequence[float]]) -> float:
        return fmean(found["column"])

    made = [Derived(name, "column", "abc", ["column"], mean, so_far=name == "far") for name in ("far", "all")]
    partial = numbers_of(run(replace(toy, cells=[*toy.cells, *made]), tmp_path, quick=False))
    assert partial == {("a", "column"): 1.0, ("far", "column"): 1.0}
    whole = numbers_of(run(replace(toy, cells=[*toy.cells[::2], *made]), tmp_path, quick=False))
    assert (whole["far", "column"], whole["all", "column"]) == (2.0, 2.0)


@pytest.mark.parametrize("name", ["toy.json", "toy.work"])
@pytest.mark.parametrize("damage", ["", "[", "[]", '{"version": "0.0.0", "numbers": {"a | column": 9.0}}'])
def test_a_damaged_or_foreign_record_is_not_believed(tmp_path: Path, name: str, damage: str) -> None:
    (tmp_path / name).write_text(damage)
    calls: list[str] = []
    assert [r.ours for r in run(_counting(calls), tmp_path, quick=False)] == [1.0, 2.0, 3.0]
    assert calls == ["a", "b", "c"]
    assert set(WorkRecord(tmp_path / "toy.work", {"experiment": "toy"}).results) == {f"{n} | column" for n in "abc"}


def test_a_record_that_is_not_gone_on_with_is_kept_aside(tmp_path: Path) -> None:
    WorkRecord(tmp_path / "toy.work", {"experiment": "another"}).keep("hours of work", 1.0)
    run(_counting([]), tmp_path, quick=False)
    assert WorkRecord(tmp_path / "toy.old.work", {"experiment": "another"}).results == {"hours of work": 1.0}


def test_a_record_of_the_form_before_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "toy.json").write_text(json.dumps({"version": version(), "numbers": {"a | column": 9.0}}))
    calls: list[str] = []
    assert [r.ours for r in run(_counting(calls), tmp_path, quick=False)] == [9.0, 2.0, 3.0]
    assert calls == ["b", "c"]


@pytest.mark.slow
def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    """Each makes the experiment by its name. A linear program begins at the last one's solution: hence the rounding."""
    alone, together = (
        run(reproduction("rps"), tmp_path / str(executor), quick=True, executor=executor)
        for executor in (None, Processes(2))
    )
    assert numbers_of(alone) == pytest.approx(numbers_of(together), abs=1e-12)
    with pytest.raises(InputError, match="cannot be given to other processes"):
        run(_counting([]), tmp_path, quick=True, executor=Processes(2))


def test_agreement_is_to_the_printed_digit() -> None:
    assert Result("t", "r", "c", 74.449, 74.4, PRINTED).agrees(1)
    assert not Result("t", "r", "c", 74.46, 74.4, PRINTED).agrees(1)
    assert Result("t", "r", "c", 74.46).agrees(1) is None


def test_agreement_of_two_means_is_by_the_interval_of_their_difference(tmp_path: Path) -> None:
    """Both intervals count: 0.03 printed and 0.04 of ours make 0.05. Without an interval of ours the printed one is left."""

    def toy(ours: float) -> Experiment:
        cells = [
            Cell("both", "mean", Reference(2.0, PRINTED, 0.03, "half"), False, lambda: ours),
            Cell("both", "half", None, False, lambda: 0.04),
            Cell("theirs", "mean", Reference(2.0, PRINTED, 0.03, "half"), False, lambda: ours),
        ]
        return Experiment("toy", "a title", "nowhere", 4, cells)

    for ours, verdicts in ((2.0499, [True, None, False]), (2.0501, [False, None, False]), (1.9701, [True, None, True])):
        results = run(toy(ours), tmp_path / str(ours), quick=True)
        assert [result.agrees(4) for result in results] == verdicts
        assert [result.margin for result in results] == pytest.approx([0.05, 0.0, 0.03])
    assert results[0].verdict(4) == "agrees within ± 0.0500"


def test_references_are_counted_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the table, in CSV and as data; an aim is reached from its number on."""
    cells = [
        Cell("a", "x", printed(1.0), False, lambda: 1.0),
        Cell("b", "x", Reference(2.0, FIGURE), False, lambda: 3.0, "a blurred picture"),
        Cell("c", "x", follows(3.0), False, lambda: 3.0),
        Cell("d", "x", follows(4.0), False, lambda: 4.5, "a reading"),
        Cell("e", "x", Reference(5.0, AIM), False, lambda: 50.0),
    ]
    toy = Experiment("toy", "a title", "nowhere", 1, cells, note="one of two readings")
    results = run(toy, tmp_path, quick=True)
    counts = count_by_kind(results, 1)
    assert {kind: (one.agree, one.of) for kind, one in counts.items()} == {
        "printed": (1, 1), "figure": (0, 1), "text": (1, 2), "aim": (1, 1),
    }  # fmt: skip
    show_results(toy, results)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "Note: one of two readings"
    assert [line for line in lines if line.startswith("References")] == [
        "References, printed in the paper: 1 of 1 agree", "References, read off a figure: 0 of 1 agree",
        "References, following from the text: 1 of 2 agree", "References, aims of ours, in no paper: 1 of 1 reached",
    ]  # fmt: skip
    assert [row.split(",")[5] for row in (tmp_path / "toy.csv").read_text().splitlines()] == [
        "kind", "printed", "figure", "text", "text", "aim",
    ]  # fmt: skip


def test_a_table_of_an_earlier_version_gets_the_references_of_this_one(tmp_path: Path) -> None:
    """Its column `paper` had numbers that no paper prints."""
    (tmp_path / "ses-matrix.csv").write_text(
        "table,row,column,ours,paper,reason\n"
        'ses-matrix,"R pays 9 and 10, alpha=0.5",mixing exploitability,50.25,50.25,\n'
        "ses-matrix,a row that is no more,mixing exploitability,1,1,\n"
    )
    (found,) = stored_results(reproduction("ses-matrix"), tmp_path) or []
    assert (found.ours, found.reference, found.kind) == (50.25, 50.25, "text")


def test_kinds_of_references_of_all_reproductions() -> None:
    """As read in the papers: only tables, worked examples and an abstract print numbers."""
    found: dict[str, Counter[str]] = {}
    for name in REPRODUCTIONS:
        cells = reproduction(name).cells
        kinds = Counter(cell.reference.kind for cell in cells if cell.reference is not None)
        if kinds:
            found[name] = kinds
    assert found == {
        "abd-table1": {"printed": 8}, "abd-table2": {"printed": 10}, "abd-table3": {"printed": 5},
        "abd-tictactoe": {"printed": 3, "text": 82}, "cdbr-slumbot": {"printed": 3}, "cdbr-table1": {"printed": 20},
        "cdrnr-examples": {"printed": 11}, "cdrnr-leduc": {"text": 8}, "cdrnr-steps": {"text": 3},
        "gadget-counterexamples": {"printed": 4}, "ggse-examples": {"printed": 16, "figure": 3, "text": 23},
        "ggse-matches": {"text": 4}, "ggse-nested": {"text": 5}, "rps": {"text": 2}, "ses-matrix": {"text": 108},
        "slumbot-hands": {"aim": 78}, "stratformer": {"printed": 4},
    }  # fmt: skip


def test_a_number_that_differs_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the line of the table, in CSV and in JSON."""
    cells = [
        Cell("a", "x", printed(4.2), False, lambda: 5.8, "a tie"), Cell("b", "x", printed(1.0), False, lambda: 1.0),
        Cell("c", "x", printed(2.0), False, lambda: 3.0),
    ]  # fmt: skip
    toy = Experiment("toy", "a title", "nowhere", 1, cells)
    results = run(toy, tmp_path, quick=True)
    show_results(toy, results)
    verdicts = [line.rpartition("  ")[2] for line in capsys.readouterr().out.splitlines()[4:]]
    assert verdicts == ["differs: a tie", "agrees", "differs: for no known reason"]
    assert (tmp_path / "toy.csv").read_text().splitlines()[1] == "toy,a,x,5.8,4.2,printed,0.0,a tie"
    assert vars(results[0])["reason"] == "a tie"


def test_cdbr_table_1_agrees_everywhere(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    experiment = reproduction("cdbr-table1")
    results = reproduce(experiment, tmp_path, quick=True)
    compared = [result for result in results if result.kind == PRINTED]
    assert len(compared) == 15
    assert all(result.agrees(experiment.digits) for result in compared if result.column != "ABR")
    learned = [result for result in results if result.column.startswith("ABR seed")]
    assert len(learned) == 9
    assert all(98.0 <= result.ours <= 100.0 + 1e-9 for result in learned)
    assert min(result.ours for result in compared if result.column == "ABR") > 98.0
    assert (tmp_path / "cdbr-table1.png").stat().st_size > 1000


def test_every_reproduction_can_be_made() -> None:
    for name in REPRODUCTIONS:
        made = reproduction(name)
        assert made.name == name
        assert made.cells
        assert len({(cell.row, cell.column) for cell in made.cells}) == len(made.cells)


def _averaging(stop_at: str = "") -> Experiment:
    cells = _counting([], stop_at).cells
    return Experiment("toy", "a title", "nowhere", 1, [*cells, average("mean", "column", ("a", "b", "c"))])


def test_an_average_is_of_what_the_run_has(tmp_path: Path) -> None:
    """Also after a quick run has left its record, and none where Ctrl-C came before one of its rows."""
    assert numbers_of(run(_averaging(stop_at="b"), tmp_path, quick=False)) == {("a", "column"): 1.0}
    assert numbers_of(run(_averaging(), tmp_path, quick=True))["mean", "column"] == 1.5
    assert numbers_of(run(_averaging(), tmp_path, quick=False))["mean", "column"] == 2.0
    assert "mean" not in (tmp_path / "toy.work").read_text()


LONG = (
    "cdbrnn", "cdrnr-examples", "cdrnr-goofspiel6", "cdrnr-steps", "ggse-nested",
    "abd-figure5", "abd-figure6", "abd-table1", "abd-table2", "abd-table3", "abd-tictactoe", "adaptation", "cdbr-slumbot",
    "cdbr-vs-lbr", "ggse-convergence", "ggse-exploitability", "models-from-hands", "ses-fhp", "ses-leduc", "ses-vs-rnr",
    "slumbot-hands", "stratformer", "cdrnr-leduc", "gadget-counterexamples", "ggse-tests", "ggse-matches", "ggse-examples",
)  # fmt: skip
"""Those that take two seconds and more even so; what they compute is tested elsewhere too."""


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in FIGURES]
)
def test_figures_resume_and_are_drawn(name: str, tmp_path: Path) -> None:
    """A run that Ctrl-C ends draws what there is; the next computes the rest, and a third nothing."""
    image = pytest.importorskip("matplotlib.image")
    experiment = reproduction(name)
    wanted = [(cell.row, cell.column) for cell in experiment.cells if isinstance(cell, Cell) and not cell.slow]
    calls: list[str] = []

    def watch(piece: WorkProgress) -> None:
        if piece.number == 2 and not calls.count(piece.key):
            calls.append(piece.key)
            raise KeyboardInterrupt
        calls.append(piece.key)

    first = numbers_of(reproduce(experiment, tmp_path, quick=True, watch=watch))
    assert [key for key in first if key in wanted] == wanted[:1]
    assert (tmp_path / f"{name}.png").exists()
    results = reproduce(experiment, tmp_path, quick=True, watch=watch)
    assert [key for key in numbers_of(results) if key in wanted] == wanted
    assert calls == [" | ".join(key) for key in (*wanted[:2], *wanted[1:])]
    assert reproduce(experiment, tmp_path, quick=True, watch=watch) == results
    assert len(calls) == len(wanted) + 1
    differing = [result for result in results if result.agrees(experiment.digits) is False]
    assert all(result.reason for result in differing), [(result.row, result.column) for result in differing]
    drawn = image.imread(tmp_path / f"{name}.png")
    assert drawn.shape[0] > 300
    assert (drawn[..., :3].min(axis=2) < 0.9).mean() > 0.01


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_cdbr_never_loses_and_lbr_without_ranges_does(tmp_path: Path) -> None:
    """The paper's finding on LBR, with the gains known for it: it holds where ranges are not updated."""
    pytest.importorskip("matplotlib")
    results = reproduce(reproduction("cdbr-vs-lbr"), tmp_path, quick=False)
    assert min(result.ours for result in results if result.column.startswith(("CDBR", "BR"))) >= -1e-9
    found = numbers_of(results)
    unread = [found[f"leduc, cfr+:{n},simultaneous", "LBR (no range update) gain"] for n in (21, 34)]
    assert unread == pytest.approx([0.0365, -0.0529], abs=1e-4)
    average = found["leduc, average of cfr+:N,simultaneous", "LBR (no range update) gain"]
    assert average == pytest.approx(sum(unread) / 2)
    for (row, column), ours in found.items():
        assert ours <= found[row, "BR gain"] + 1e-9, (row, column)
    assert not [row for row, column in found if "LBR" in column and not row.startswith("leduc")]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.slow) for name in ("cdrnr-leduc", "cdrnr-steps")), "rps"]
)
def test_exploitability_keeps_the_bound(name: str, tmp_path: Path) -> None:
    """At most gain · p / (1 - p) for RNR and CDRNR, 0 for the best equilibrium; a p of 0 risks nothing."""
    found = numbers_of(run(reproduction(name), tmp_path, quick=name == "cdrnr-leduc"))  # the value function is slow
    checked = 0
    for (row, column), risk in found.items():
        method, _, measure = column.rpartition(" ")
        if measure == "exploitability" and (method.startswith(("RNR", "CDRNR")) or method == "BNE"):
            p = 0.0 if method == "BNE" else float(row.rpartition("p=")[2])
            if p < 1.0:
                assert -1e-9 <= risk <= found[row, f"{method} gain"] * p / (1.0 - p) + 1e-6, (row, column)
                checked += 1
    assert checked >= 6


@pytest.mark.usefixtures("small")
def test_the_command_prints_a_grid_and_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")  # no column goes below the others
    shown = []
    for flags in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", ["counterplay", "reproduce", "rps", *flags])
        with pytest.raises(SystemExit) as ending:
            cli.main()
        assert not ending.value.code
        shown.append(capsys.readouterr().out)
    document = json.loads(shown[1])["results"]
    assert set(document[0]) <= {"table", "row", "column", "ours", "reference", "kind", "margin", "reason"}
    claims = {"SES never gains: largest", "Exp-strat gains half of the maximum"}
    assert {row.get("reference") for row in document if row["row"] not in claims} == {None}
    line = next(line for line in shown[0].splitlines() if line.startswith("rps 2, random:1, p=0.5"))
    columns = [row["column"] for row in document if row["row"] == "rps 2, random:1, p=0.5"]
    assert len(columns) == 14  # gain and exploitability of seven methods
    assert len(line.split()) == 4 + len(columns)
    assert (tmp_path / "out" / "rps.csv").read_text().count("\n") == 1 + len(document)


def test_exp_strat_exploits_the_second_round_alone() -> None:
    """From a player who errs in both rounds alike it gains half of the maximum, and its first move is the equilibrium's."""
    game = cp.load("rps:2")
    model = cp.opponent(game, lambda _, actions: {one: float(one == actions[0]) for one in actions}, player=1)
    pair = Matchup(game, model)
    found = milec_2024_curves.exploit_later_rounds(1.0, pair)
    gain = pair.value_against_model(found.plan) - pair.game_value
    assert gain == pytest.approx(0.5 * cp.respond(game, model).gain)
    first = cp.Strategy(game.trees[0], behaviour_of(game.trees[0], found.plan)).probabilities("start")
    assert first == pytest.approx({"Rock": 0.25, "Paper": 0.25, "Scissors": 0.5})


def test_a_wide_grid_is_broken_into_blocks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    results = [Result("t", row, f"way {n} gain", 1.0 * n, None) for row in ("one", "two") for n in range(9)]
    results.pop()  # a cell that is missing stays blank
    show_results(Experiment("t", "title", "source", 2, []), results)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 40
    assert sum(line.startswith("one") for line in lines) == 2
    assert [word for line in lines if line.startswith("two") for word in line.split()[1:]] == [
        f"{n:.2f}" for n in range(8)
    ]


@pytest.fixture
def short_study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """`cdbr-slumbot` with a game of 12 cards, and its strategies in the working directory; where a table is kept."""
    monkeypatch.chdir(tmp_path)
    here = cp.load("holdem:deck=12,stack=4bb,bets=fcpa,last=turn")
    for number, file in enumerate((files.BOT, files.VALUES)):
        made = blueprint(here.game, lossless(here.game.boards), method="public", iterations=3, seed=number)
        save(tmp_path / file.name, here.game, made)
    monkeypatch.setattr(files, "DATA", tmp_path / "data")
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(slumbot, "GAME", here.name)
    monkeypatch.setattr(slumbot, "FIRST", 2)
    monkeypatch.setattr(slumbot, "DRAWS", 3)
    monkeypatch.setattr(slumbot, "checks", list)
    monkeypatch.setattr(slumbot, "frontier_cells", lambda *_, **__: [])
    for cached in (slumbot.kept_table, slumbot.digest):
        cached.cache_clear()
    yield tmp_path / "data" / slumbot.TABLE
    for cached in (slumbot.kept_table, slumbot.digest):
        cached.cache_clear()


def test_flops_of_the_slumbot_class_bot_are_computed_over_several_sittings(short_study: Path, tmp_path: Path) -> None:
    """What an interrupted run has is shown; the table of a complete one is kept, and used instead of its flops."""
    done: list[str] = []

    def watch(piece: WorkProgress) -> None:
        done.append(piece.key)
        if len(done) == 29:
            raise KeyboardInterrupt

    asked = reproduction("cdbr-slumbot")
    assert run(asked, tmp_path, quick=True) == []
    part = numbers_of(run(asked, tmp_path, quick=False, watch=watch))
    assert part["LBR", "draws"] == 2.0
    whole = numbers_of(run(asked, tmp_path, quick=False, watch=watch))
    assert len(done) == len(set(done)) + 1, "the piece that was interrupted is begun again, and no other"
    assert (whole["LBR", "draws"], whole["ABD", "draws"]) == (3.0, 2.0)
    assert whole["best response, all flops", "upper"] > 0.0
    assert ("best response, all flops", "upper") not in part
    assert whole["best response", "% of the best"] == pytest.approx(100.0)
    assert whole["LBR", "% of the best"] < 100.0
    less = whole["best response", "upper"] - whole["LBR", "upper"]
    assert whole["best response less LBR", "upper"] == pytest.approx(less)
    (tmp_path / "cdbr-slumbot.cpv").rename(short_study)
    slumbot.kept_table.cache_clear()
    (tmp_path / "cdbr-slumbot-pieces.work").unlink()
    for file in (files.BOT, files.VALUES):
        (tmp_path / file.name).unlink()
    assert numbers_of(run(reproduction("cdbr-slumbot"), tmp_path / "new", quick=False)) == pytest.approx(whole)


@pytest.mark.usefixtures("short_study")
@pytest.mark.parametrize("pieces", [1, 2, 5, 9, 14])
def test_a_run_that_is_interrupted_early_shows_what_is_finished(tmp_path: Path, pieces: int) -> None:
    """Also before all methods, or the best response, have a flop."""
    done: list[str] = []

    def watch(piece: WorkProgress) -> None:
        done.append(piece.key)
        if len(done) > pieces:
            raise KeyboardInterrupt

    said: list[str] = []
    part = run(reproduction("cdbr-slumbot"), tmp_path, quick=False, watch=watch, say=said.append)
    assert part.interrupted
    assert f"interrupted after {pieces} of " in said[-1]
    numbers = numbers_of(part)
    shown = {row for row, column in numbers if column == "upper"}
    assert bool(shown) == (pieces >= 14)  # then some methods have both seats of the first flop that was drawn
    assert all(numbers[row, "upper"] > 0.0 for row in shown if " less " not in row)


@pytest.mark.usefixtures("short_study")
def test_a_blueprint_of_an_hour_is_measured_beside_the_others_once_it_is_there(tmp_path: Path) -> None:
    """On the same flops as they, and its numbers are those of the best response to each."""
    assert slumbot.blueprint_cells(slumbot.GAME, 4) == []
    (tmp_path / files.HOUR.name).write_bytes((tmp_path / files.VALUES.name).read_bytes())
    found = {(cell.row, cell.column): cell.compute() for cell in slumbot.blueprint_cells(slumbot.GAME, 4)}
    here = cp.load(slumbot.GAME)
    models = (cp.opponent(here, files.BOT.name, player=seat) for seat in (0, 1))
    known = [cp.respond_on_flops(here, model, "br", 4).upper for model in models]
    assert found["best response to the bot", "upper"] == pytest.approx(1000.0 * sum(known) / 2 / 100)
    assert found["best response to the second blueprint, less to that of an hour", "upper ±"] == 0.0
    less = found["best response to the bot", "upper"] - found["best response to the second blueprint", "upper"]
    assert found["best response to the bot, less to that of an hour", "upper"] == pytest.approx(less)


def test_strategies_that_are_missing_or_others_are_named(short_study: Path, tmp_path: Path) -> None:
    bot = tmp_path / files.BOT.name
    run(reproduction("cdbr-slumbot"), tmp_path / "one", quick=False)
    (tmp_path / "one" / "cdbr-slumbot.cpv").rename(short_study)
    other = bot.read_bytes()
    bot.write_bytes((tmp_path / files.VALUES.name).read_bytes())
    for cached in (slumbot.kept_table, slumbot.digest):
        cached.cache_clear()
    with pytest.raises(InputError, match="the table that is kept has"):
        slumbot.study()
    bot.write_bytes(other)
    bot.unlink()
    with pytest.raises(
        InputError,
        match=r"made by: python -m counterplay_papers.external_sampling .* --iterations 200000000 -o slumbot-class\.cpb",
    ):
        slumbot.study()


@pytest.mark.slow
def test_with_twenty_cards_all_flops_lie_within_the_intervals_of_drawn_ones() -> None:
    """Of the best response; and the numbers that must be 0 are, to float32's rounding of the largest value."""
    chosen = [cell for cell in reproduction("cdbr-slumbot").cells if isinstance(cell, Cell) and not cell.slow]
    found = {(cell.row, cell.column): cell.compute() for cell in chosen if "RNR" not in cell.row}
    drawn = {column: ours for (row, column), ours in found.items() if row == "20 cards: best response"}
    known = found["20 cards: best response, all flops", "upper"]
    assert drawn["lower"] - drawn["lower ±"] < known < drawn["upper"] + drawn["upper ±"]
    errors = [ours for (row, _), ours in found.items() if row.startswith("check: ")]
    assert len(errors) > 5
    assert max(errors) < 2000.0


def test_a_frontier_has_a_row_for_each_p(monkeypatch: pytest.MonkeyPatch) -> None:
    """A blueprint risks nothing beside itself; the best response is at the other end."""
    monkeypatch.setattr(usual_blueprint, "ITERATIONS", 400)
    asked = slumbot.FrontierSettings("holdem:deck=12,stack=2bb,bets=a,last=turn,buckets=4", "passive", 3, 20, 4)
    found = {(cell.row, cell.column): cell.compute() for cell in slumbot.frontier_cells("RNR", asked, slow=True)}
    assert list(dict.fromkeys(row for row, _ in found)) == ["RNR, p = 0", "RNR, p = 0.5", "RNR, p = 1"]
    assert found["RNR, p = 0", "risk"] == 0.0
    assert found["RNR, p = 1", "edge"] == max(ours for (_, column), ours in found.items() if column == "edge")
    assert found["RNR, p = 1", "risk"] != 0.0, "of either sign beside a blueprint that is no equilibrium"


def test_the_table_in_the_package_is_of_the_bot_in_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is checked when it is read; on the flops on which it decides nothing wins more than the best response."""
    monkeypatch.chdir(tmp_path)
    for cached in (slumbot.kept_table, slumbot.digest):
        cached.cache_clear()
    table = slumbot.kept_table()
    assert table is not None
    assert table.study["opponent"] == slumbot.digest(files.BOT)
    names = [name for name in table.methods if name != "br"]
    assert len(names) >= 3
    assert all(table.paired("br", name).difference("br", name, seat).value > 0.0 for name in names for seat in (0, 1))


def test_the_page_has_the_numbers_of_the_table_in_the_package() -> None:
    """Every number of its rows, rounded as printed."""
    slumbot.kept_table.cache_clear()
    page = (Path(__file__).parents[2] / "docs" / "slumbot.md").read_text()
    rows: dict[str, dict[str, float]] = {}
    for cell in reproduction("cdbr-slumbot").cells:
        ours = cell.compute({}) if isinstance(cell, Summary) else None
        if ours is not None:
            rows.setdefault(cell.row, {})[cell.column] = ours
    table = page.partition("| row | lower | upper | of the best response | draws |\n")[2].partition("\n\n")[0]
    printed = [[part.strip() for part in line.split("|")[1:-1]] for line in table.splitlines() if " ± " in line]
    assert len(printed) >= 8
    for row, lower, upper, share, draws in printed:
        ours = rows[row]
        for name, text in (("lower", lower), ("upper", upper)):
            assert text == f"{ours[name]:,.0f} ± {ours[f'{name} ±']:,.0f}", row
        assert not share or share == f"{ours['% of the best']:.0f} %", row
        assert not draws or float(draws) == ours["draws"], row
    for name in ("LBR", "CDBR, equity", "CDBR, blueprint values"):
        sides = "before the flop, then the best", "after the flop, best before it"
        before, after = (rows[f"{name} {side}"]["% of the best"] for side in sides)
        assert f"{before:.0f} % | {after:.0f} % |" in page, name


def test_networks_of_cdbrnn_in_the_package_are_those_of_the_stated_commands() -> None:
    """Game, depth, seed and solver; a file of up to 128 units has less than 200 kB, the wide one of Goofspiel 450."""
    for name, settings in milec_2024_shares.VALUE_NETWORKS.items():
        file = milec_2024_shares.value_network(name, 0)
        found = file.find()
        assert found is not None
        assert found.stat().st_size < (200_000 if settings.width <= 128 else 450_000)
        net = load_value_network(found)
        assert net.network.weights[0].shape[1] == settings.width
        assert (net.game, net.depth, net.about["seed"], net.about["solver"]) == (settings.game, "1", 0, settings.solver)
        assert f"--samples {settings.samples} " in file.command
    for spec, (_, width) in milec_2024_shares.ROUNDS_AND_WIDTH.items():
        for seed in milec_2024_shares.RESPONSE_SEEDS:
            found = milec_2024_shares.response_network(spec, seed).find()
            assert found is not None
            learned = load_policy_network(found)
            assert (learned.game, learned.about["seed"], learned.network.weights[0].shape[-1]) == (spec, seed, width)


def test_without_torch_and_file_the_command_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    file = milec_2024_shares.value_network("leduc", 4)
    assert not file.available
    with pytest.raises(InputError, match=r"counterplay learn value leduc --depth 1 .* --seed 4 -o cdbrnn-leduc-4\.cpn"):
        file.path()


def test_the_interval_of_seeds_is_student_s() -> None:
    from scipy.stats import t

    numbers = [1.0, 2.0, 4.0]
    low, high = t.interval(0.95, 2, loc=7 / 3, scale=1.5275252 / 3**0.5)
    assert milec_2024_shares.interval_margin(numbers) == pytest.approx((high - low) / 2, rel=1e-3)


def test_a_response_that_was_cut_short_gives_no_number() -> None:
    """Its number must not be kept in the record."""

    def cut_short(pair: Matchup) -> Outcome:
        return replace(pair.equilibrium(), interrupted=True)

    with pytest.raises(KeyboardInterrupt):
        measure_response("kuhn", "uniform", cut_short)


def test_worked_examples_of_the_cdrnr_paper() -> None:
    """Every printed number of figures 2 and 10 and of appendix H."""
    cells = [cell for cell in reproduction("cdrnr-examples").cells if isinstance(cell, Cell)]
    compared = [(cell, cell.reference.number) for cell in cells if cell.reference is not None]
    assert len(compared) == 11
    for cell, number in compared:
        assert cell.compute() == pytest.approx(number, abs=1e-6), cell.column
