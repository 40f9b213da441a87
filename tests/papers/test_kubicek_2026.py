"""The reproductions of Kubíček et al. 2026 (GGSE): examples, safety and bounds of every technique, one record for two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord
from counterplay_papers.experiment import Cell, Derived, Experiment, Result, Summary, part_of
from counterplay_papers.panels import PointPanel
from counterplay_papers.registry import reproduction
from counterplay_papers.reproductions import kubicek_2026_blueprints as blueprints
from counterplay_papers.reproductions import kubicek_2026_matches as matches
from counterplay_papers.reproductions.kubicek_2026_blueprints import SubgamePlace
from counterplay_papers.reproductions.kubicek_2026_matches import (
    MatchGame,
    MatchWork,
    NestedGame,
    NestedWork,
    key_of,
    match_results,
    nested_results,
    nested_strategy,
    walk_of,
)  # fmt: skip
from counterplay_papers.runner import reproduce, run

EXACT = 1e-9
TABLE = dict[tuple[str, str], float]


LIARS_DICE = blueprints.LIARS_DICE
LEDUC = replace(blueprints.LEDUC, spec="leduc:merged=true")
SHORT_DICE = replace(LIARS_DICE, spec="liars_dice:1,3")


@pytest.fixture(scope="module", params=[(SHORT_DICE,), pytest.param((LIARS_DICE, LEDUC), marks=pytest.mark.slow)])
def spots(request: pytest.FixtureRequest) -> tuple[SubgamePlace, ...]:
    """Instead of the reproduction's: liar's dice with three sides; in the slow part also with four, and the merged Leduc."""
    found: tuple[SubgamePlace, ...] = request.param
    return found


@pytest.fixture(scope="module")
def small(spots: tuple[SubgamePlace, ...]) -> Iterator[pytest.MonkeyPatch]:
    """Small spots alone, with two blueprints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blueprints, "_CFR", (22,))
        patch.setattr(blueprints, "_RANDOM", 1)
        patch.setattr(blueprints, "SPOTS", spots)
        patch.setattr(blueprints, "BY_WINS", ())
        patch.setattr(blueprints, "CONVERGENCE_SPOTS", (LEDUC, LIARS_DICE))
        yield patch


@pytest.fixture(scope="module")
def folder(spots: tuple[SubgamePlace, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - one each
    return tmp_path_factory.mktemp("few")


@pytest.fixture(scope="module")
def few(small: pytest.MonkeyPatch, folder: Path) -> list[Result]:  # noqa: ARG001 - few is only called when it is in force
    return run(reproduction("ggse-exploitability"), folder, quick=False)


def table(results: list[Result]) -> TABLE:
    return {(result.row, result.column): result.ours for result in results}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    return run(reproduction("ggse-examples"), tmp_path_factory.mktemp("examples"), quick=True)


def test_the_examples_are_the_paper_s(examples: list[Result]) -> None:
    """All references; the interval over all equilibria to the tolerance of its linear programs."""
    assert Counter(result.kind for result in examples if result.kind) == {"printed": 16, "figure": 3, "text": 23}
    for result in examples:
        if result.reference is not None:
            slack = 10 * EXACT if result.column.endswith(("best", "worst")) else EXACT
            assert result.ours == pytest.approx(result.reference, abs=slack), (result.row, result.column)


def test_refined_equilibria_of_the_examples(examples: list[Result]) -> None:
    """What the paper leaves to its reader: GGSE reaches the best of each interval where the prior decides, and every
    equilibrium lies in its interval."""
    found = table(examples)
    for row in ("figure 5", "figure 11"):
        for gadget in ("resolving", "max-margin"):
            assert found[row, f"{gadget} GGSE LP"] == pytest.approx(found[row, f"{gadget} best"], abs=5 * EXACT)
            assert found[row, f"{gadget} GGSE CFR+"] == pytest.approx(found[row, f"{gadget} best"], abs=5e-3)
    for row in ("figure 1", "figure 5", "figure 8", "figure 11"):
        assert found[row, "continuation"] == pytest.approx(0.0, abs=EXACT)
        for gadget in ("resolving", "max-margin"):
            low, high = found[row, f"{gadget} best"], found[row, f"{gadget} worst"]
            for way in ("LP", "GGSE LP", "CFR+", "GGSE CFR+"):
                slack = 10 * EXACT if way.endswith("LP") else 5e-3
                assert low - slack <= found[row, f"{gadget} {way}"] <= high + slack, (row, gadget, way)
    assert found["figure 1", "resolving GGSE left LP"] == pytest.approx(0.5, abs=EXACT)
    assert found["figure 1", "resolving GGSE LP"] <= 0.5 + EXACT
    assert found["figure 1", "max-margin GGSE left LP"] == pytest.approx(0.25, abs=EXACT)


def test_no_safe_technique_is_worse_than_its_blueprint(few: list[Result], spots: tuple[SubgamePlace, ...]) -> None:
    """By LP exactly, by CFR+ up to epsilon; and no technique at all is below the optimal continuation."""
    found = table(few)
    rows = [row for spot in spots for row in blueprints.rows(spot)]
    assert len(rows) == 2 * len(spots)
    for row in rows:
        before = found[row, "blueprint"]
        for name in blueprints.TECHNIQUES:
            exact, iterated = found[row, f"{name} LP"], found[row, f"{name} CFR+"]
            assert min(exact, iterated) >= found[row, "continuation"] - 1e-7
            if name != "unsafe":
                assert exact <= before + 1e-7, (row, name)
                assert iterated <= before * 1.001, (row, name)


def test_claims_are_of_the_numbers(few: list[Result], spots: tuple[SubgamePlace, ...]) -> None:
    found = table(few)
    for spot in spots:
        mine, plain, unsafe = (
            [found[row, f"{name} LP"] for row in blueprints.rows(spot)]
            for name in ("resolving blueprint", "resolving", "unsafe")
        )
        expected = {
            "average": sum(mine) / 2,
            "share worse than the blueprint": 0.0,
            "average above unsafe": sum(mine) / 2 - sum(unsafe) / 2,
            "reduction of the average (%)": 100 - 100 * sum(mine) / sum(plain),
            "largest reduction (%)": 100 - 100 * min(one / other for one, other in zip(mine, plain, strict=True)),
        }
        for claim, number in expected.items():
            assert found[f"{spot.name}, {claim}", "resolving blueprint LP"] == pytest.approx(number), claim


def refuse(*_: object) -> None:
    raise AssertionError("computed again")


def test_a_second_run_computes_nothing(few: list[Result], folder: Path) -> None:
    assert run(reproduction("ggse-exploitability"), folder, quick=False, watch=refuse) == few


@pytest.mark.usefixtures("few")
def test_the_tests_take_the_numbers_of_the_other_record(folder: Path, spots: tuple[SubgamePlace, ...]) -> None:
    """Their p-values are SciPy's, and none of the other's numbers is lost."""
    from scipy.stats import ttest_rel  # takes as long to load as all the rest of this file

    record = folder / "ggse-exploitability.work"
    before = record.read_text()
    found = table(run(reproduction("ggse-tests"), folder, quick=False, watch=refuse))
    assert record.read_text() == before
    assert not (folder / "ggse-tests.work").exists()
    rows = blueprints.rows(spots[-1])
    first, second = ([found[row, f"{name} CFR+"] for row in rows] for name in ("unsafe", "resolving"))
    ours = found[f"{spots[-1].name}, t-test: unsafe", "better than resolving"]
    assert ours == pytest.approx(ttest_rel(first, second, alternative="greater").pvalue)
    assert ours + found[f"{spots[-1].name}, t-test: resolving", "better than unsafe"] == pytest.approx(1.0)
    difference = found[rows[0], "unsafe CFR+"] - found[rows[0], "resolving blueprint CFR+"]
    assert found[rows[0], "unsafe less resolving blueprint"] == difference


def test_p_values_of_numbers_that_do_not_vary() -> None:
    """No evidence where all are equal, full evidence where all differ alike."""
    compute = blueprints.p_value
    assert compute("a", "b", {"a": [1.0, 2.0], "b": [1.0, 2.0]}) == 0.5
    assert compute("a", "b", {"a": [1.0, 2.0], "b": [2.0, 3.0]}) == 1.0
    assert compute("a", "b", {"a": [2.0, 3.0], "b": [1.0, 2.0]}) == 0.0
    assert compute("a", "b", {"a": [2.0], "b": [1.0]}) == 0.5


@pytest.mark.usefixtures("small")
def test_the_convergence_ends_at_the_exact_numbers(tmp_path: Path) -> None:
    """More iterations come closer to what the linear program finds, where its answer is the only one."""
    found = table(run(part_of(reproduction("ggse-convergence"), [LIARS_DICE.name]), tmp_path, quick=True))
    row = LIARS_DICE.name + ", cfr:22, {} iterations"
    how = blueprints.resolve_settings("resolving blueprint", "lp")
    exact = blueprints.exploitability_after(LIARS_DICE, "cfr:22", how)
    far, near = (abs(found[row.format(count), "resolving blueprint"] - exact) for count in (10, 1000))
    assert near < 0.1 * far
    assert found[row.format(10), "blueprint"] == found[row.format(1000), "blueprint"]


def test_random_blueprints_of_the_two_seats_are_not_the_same() -> None:
    """In Goofspiel both seats have decisions of the same shape, so equal seeds would draw equal strategies."""
    mine, theirs = blueprints.blueprint("goofspiel:5", "random:1")
    assert len(mine.behaviour) == len(theirs.behaviour)
    assert (mine.behaviour != theirs.behaviour).any()


@pytest.mark.parametrize("ranked", [False, True])
def test_points_are_drawn_where_the_numbers_are(ranked: bool, tmp_path: Path) -> None:
    """Also of a run that lacks some: the rest is drawn, and what is derived from what is lacking is left out."""
    pytest.importorskip("matplotlib")

    def cell(row: str, column: str, number: float) -> Cell:
        def compute() -> float:
            if number < 0.0:
                raise KeyboardInterrupt
            return number

        return Cell(row, column, None, False, compute)

    def total(found: object) -> float:
        assert found == {"x": [3.0]}
        return 3.0

    cells = [cell("a", "x", 3.0), cell("a", "y", 1.0), cell("b", "x", -1.0)]
    made = [Derived("sum of a", "x", ("a",), ("x",), total), Derived("sum", "x", ("a", "b"), ("x",), total)]
    panel = PointPanel("title", dict.fromkeys("ab"), {"y": "why"}, across="x", measure="y", x="x", ranked=ranked)
    experiment = Experiment("toy", "title", "nowhere", 1, [*cells, *made], [[panel]])
    results = reproduce(experiment, tmp_path, quick=False)
    assert [result.row for result in results] == ["a", "a", "sum of a"]
    assert (tmp_path / "toy.png").stat().st_size > 1000


def test_goofspiel_by_wins_is_beside_goofspiel_by_points() -> None:
    """The same blueprints, places and techniques, with the other utility, of which a game has 2 at most."""
    spot = blueprints.GOOFSPIEL_WIN_1
    before, after = (
        blueprints.exploitability_after(spot, "cfr:22", way)
        for way in (blueprints.BEFORE, blueprints.resolve_settings("resolving blueprint", "cfr+", 200))
    )
    assert 0.0 < after <= before <= 2.0


def test_nested_solving_is_measured_against_brute_force(tmp_path: Path) -> None:
    """In Kuhn poker: results are those of the strategies, and no technique loses more to another than to a best response."""
    kuhn = NestedGame("kuhn", "kuhn")
    work = NestedWork((kuhn,), 2, 20)
    record = WorkRecord(tmp_path / "n.work", work.identity())
    pieces = run_work(work, record=record).results
    assert work.complete(kuhn, pieces) == [0, 1]
    found = nested_results(kuhn, [0, 1], pieces)
    tree = cp.load("kuhn")
    for first in ("unsafe", "max-margin blueprint"):
        means = []
        for number in (0, 1):
            mine, theirs = (
                cp.Strategy(tree.trees[seat], pieces[key_of(kuhn, number, name, seat)])
                for seat, name in ((0, first), (1, "resolving"))
            )
            means.append(cp.evaluate(tree, mine, against=theirs).value_against_model)
        assert found.wins[first, "resolving"] == pytest.approx(sum(means) / 2, abs=1e-12)
    for name in blueprints.TECHNIQUES:
        assert found.worst[name] >= -found.exploitability[name] - 1e-9
    part = {key: value for key, value in pieces.items() if "function 1 | unsafe | seat 1" not in key}
    assert work.complete(kuhn, part) == [0]


_TWO = {name: blueprints.TECHNIQUES[name] for name in ("unsafe", "max-margin blueprint")}


def test_matches_in_lazily_expanded_games_are_those_of_whole_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """All public states solved: what techniques win is what the strategies of `nested_strategy` do; parts add up."""
    monkeypatch.setattr(matches, "TECHNIQUES", _TWO)
    spec = "goofspiel:3,win"
    one, values = MatchGame("toy", spec, 1, 1e-12, 30), matches.whole_portfolio(spec, 0)
    walk = walk_of(one, values)
    walk.play(None)
    assert not walk.unsolved.any()
    assert walk.solved > 0
    tree = cp.load(spec)
    for i, first in enumerate(_TWO):
        mine = cp.Strategy(tree.trees[0], nested_strategy(spec, 0, first, 0, 30))
        for j, second in enumerate(_TWO):
            theirs = cp.Strategy(tree.trees[1], nested_strategy(spec, 0, second, 1, 30))
            wins = float(mine.plan @ tree.subgame.leaves.product(0, theirs.plan))
            assert walk.wins[i, j] == pytest.approx(wins, abs=1e-9)
    parts = []
    for part in range(3):
        parts.append(walk_of(replace(one, parts=3), values))
        parts[-1].play(part)
    assert sum(part.wins for part in parts) == pytest.approx(walk.wins, abs=1e-12)


def test_more_iterations_of_matches_leave_less_unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """And are of another record."""
    monkeypatch.setattr(matches, "TECHNIQUES", _TWO)
    few = MatchGame("toy", "goofspiel:3,win", 1, 1e-12, 10)
    works = [MatchWork((one,), 1) for one in (few, replace(few, iterations=100))]
    pieces = [work.compute("toy | value function 0 | part 0") for work in works]
    assert pieces[1]["gap"] < 0.1 * pieces[0]["gap"]
    assert pieces[1]["wins"] == pytest.approx(pieces[0]["wins"], abs=2.0 * pieces[0]["gap"])
    assert works[0].identity() != works[1].identity()


def test_matches_in_float32_are_those_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a hundred thousandth of a chip, and of another record."""
    monkeypatch.setattr(matches, "TECHNIQUES", _TWO)
    double = MatchGame("toy", "goofspiel:3,win", 1, 1e-12, 100)
    works = [MatchWork((one,), 1) for one in (double, replace(double, solver="cfr+:single"))]
    pieces = [work.compute("toy | value function 0 | part 0") for work in works]
    assert pieces[1]["wins"] == pytest.approx(pieces[0]["wins"], abs=1e-5)
    assert not np.array_equal(pieces[1]["wins"], pieces[0]["wins"])
    assert works[0].identity() != works[1].identity()


def test_unsolved_public_states_bound_what_matches_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wins or loses more than the span times the probability of coming where someone plays the base."""
    monkeypatch.setattr(matches, "TECHNIQUES", _TWO)
    spec = "goofspiel:3,win"
    values, walks = matches.whole_portfolio(spec, 0), []
    for least in (1e-12, 0.4, 2.0):
        walks.append(walk_of(MatchGame("toy", spec, 1, least, 30), values))
        walks[-1].play(None)
    full, some, base = walks
    assert 0.0 < some.unsolved.max() < 1.0
    assert (np.abs(some.wins - full.wins) <= 2.0 * some.unsolved + 1e-9).all()
    assert 0 < some.solved < full.solved
    assert base.solved == 0
    tree = cp.load(spec)
    plans = [cp.opponent(tree, "cfr:10", seat).plan for seat in (0, 1)]
    assert base.wins == pytest.approx(np.full((2, 2), plans[0] @ tree.subgame.leaves.product(0, plans[1])), abs=1e-9)


def test_matches_are_summed_up_over_value_functions() -> None:
    """Means over value functions of the sums of their parts."""
    many = len(blueprints.TECHNIQUES)
    parts = [
        {
            "wins": np.full((many, many), 0.1 * k),
            "unsolved": np.eye(many) * 0.01,
            "solved": k,
            "gap": 0.1 * k,
            "seconds": 2.0 * k,
        }
        for k in range(4)
    ]
    found = match_results([parts[:2], parts[2:]])
    assert found.wins["unsafe", "resolving"] == pytest.approx((0.1 + 0.5) / 2)
    assert found.worst["unsafe"] == pytest.approx(0.0)
    assert (found.solved, found.seconds, found.gap) == (3.0, 6.0, pytest.approx(0.3))
    assert found.unsolved == pytest.approx(0.02)
    assert list(found.margins.values()) == pytest.approx([0.0] * many)


@pytest.mark.parametrize("name", ["ggse-nested", "ggse-matches"])
def test_section_8_1_is_summed_up_as_far_as_it_is_there(name: str) -> None:
    """A game without a complete value function has no number yet."""
    made = [cell for cell in reproduction(name).cells if isinstance(cell, Summary)]
    assert made
    assert all(cell.compute({}) is None for cell in made)
