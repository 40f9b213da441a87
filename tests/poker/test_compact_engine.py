"""The compact engine: the same solves as with whole arrays, from any number of threads, read branch by branch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from counterplay import InputError, Spot, solve_spot
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import Deck
from counterplay.poker.compact import compact_sweeps
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.kernels import shared_turns
from counterplay.poker.compact.kernels.leaf_kernels import COUNT, PLACED, segment_terminals
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import ends_of
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.public_tree.boards import Cards, tables_of
from counterplay.poker.public_tree.public_tree import boards_of, public_tree
from counterplay.poker.spots import solution
from counterplay.poker.spots.solution import load_spot
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser

SHORT = Deck.from_rank("8")
RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,AK,76s", "JJ+,AQ,98s", 200, 550, "50%, a", rake=0.05)  # type: ignore[arg-type]
TURN = Spot("Qs Jh 9h 8d", "QQ+,AK", "JJ+,AQ", 200, 550, "50%, a", deck=SHORT)  # type: ignore[arg-type]
WIDE = Spot("Qs Jh 9h 8d", "random", "random", 200, 250, "a", raises=0, deck=SHORT)  # type: ignore[arg-type]
"""More hands than one thread ends at a time."""
FLOP = Spot("Qs Js 9s", "QQ+,AK", "TT+,AQ", 200, 250, "50%, a", raises=1, deck=SHORT)  # type: ignore[arg-type]
"""On the flop three suits are alike; all-ins wait for one card and for two."""


def started(betting: BettingTree, cards: Cards, method: str, precision: str = "single") -> CompactRun:
    """A run before its first iteration."""
    layout = CompactLayout(betting, tables_of(boards_of(betting, cards, alike=True)))
    return CompactRun(layout, minimiser(method), precision)


@pytest.mark.parametrize("spot", [RIVER, TURN, FLOP, WIDE], ids=["river", "turn", "flop", "wide"])
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr:1.5,0,4"])
def test_iterations_are_those_of_whole_arrays(spot: Spot, method: str) -> None:
    """In float64 to its rounding; in float32 while rounding decides no tie."""
    run, single = (started(spot.betting, spot.cards, method, precision) for precision in ("double", "single"))
    whole = Iterates(public_tree(spot.betting, spot.cards).subgame, minimiser(method))
    for count in (1, 1, 4):
        run.advance(count)
        whole.advance(count)
        wanted = gap(whole.subgame, whole.average())
        assert run.gap() == pytest.approx(wanted, abs=1e-9 * spot.pot)
        if run.done <= 2:
            single.advance(count)
            assert single.gap() == pytest.approx(wanted, abs=1e-4 * spot.pot)


@pytest.mark.parametrize("spot", [FLOP, WIDE], ids=["flop", "wide"])
@pytest.mark.parametrize("precision", ["single", "half"])
def test_threads_change_no_bit(spot: Spot, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it whether threads wait for each other, or give up at once and leave the rest to Python."""
    found = []
    for count, patience in ((1, shared_turns.PATIENCE), (3, shared_turns.PATIENCE), (3, 0)):
        monkeypatch.setattr(compact_sweeps, "threads", lambda count=count: count)
        monkeypatch.setattr(shared_turns, "PATIENCE", patience)
        run = started(spot.betting, spot.cards, "dcfr", precision)
        run.advance(6)
        found.append((run.gap(), [memory.total for memory in run.memories]))
    for other in found[1:]:
        assert found[0][0] == other[0]
        for here, there in zip(found[0][1], other[1], strict=True):
            np.testing.assert_array_equal(here, there)


def test_half_precision_costs_next_to_nothing() -> None:
    """At the same number of iterations, at most 0.1 % of the pot."""
    gaps = []
    for precision in ("single", "half"):
        run = started(FLOP.betting, FLOP.cards, "dcfr:1.5,0,4", precision)
        run.advance(60)
        gaps.append(run.gap()[0])
    assert gaps[0] < 0.02 * FLOP.pot
    assert gaps[1] == pytest.approx(gaps[0], abs=0.002 * FLOP.pot)


@pytest.mark.parametrize(
    ("spot", "paths"),
    [
        (RIVER, ("", "x b100")),
        (TURN, ("x x", "x b100 c Kh x")),
        (FLOP, ("", "x x Kd x", "x x 8s x x Kd x b100", "a c")),
    ],
    ids=["river", "turn", "flop"],
)
def test_nodes_are_read_from_the_averages(spot: Spot, paths: tuple[str, ...]) -> None:
    """All numbers of a node as from plans as arrays on all boards; hands alike in their suits differ there by rounding."""
    solved = solve_spot(spot, precision="single", iterations=30)
    assert isinstance(solved.plans, CompactPlans)
    arrays = replace(solved, plans=solved.plans.arrays)
    assert solved.plans.gap() == pytest.approx(arrays.plans.gap(), abs=1e-9 * spot.pot)
    assert solved.facts["ev"][0] - 0.5 * spot.pot == pytest.approx(
        arrays.plans.value(0), abs=solved.facts["exploitability"]
    )
    for path in paths:
        here, there = solved.node(path), arrays.node(path)
        np.testing.assert_allclose(here.probabilities, there.probabilities, atol=1e-9)
        held = [one.weights > 0.0 for one in (spot.oop, spot.ip)]
        acts = held[here.player or 0]
        np.testing.assert_allclose(here.action_values[acts], there.action_values[acts], atol=2e-4 * spot.pot)
        assert np.isnan(here.action_values[~acts]).all()
        for player in (0, 1):
            np.testing.assert_allclose(here.ranges[player], there.ranges[player], atol=1e-9)
            here_held, there_held = here.values[player][held[player]], there.values[player][held[player]]
            np.testing.assert_allclose(here_held, there_held, atol=2e-4 * spot.pot)
            assert np.isnan(here.values[player][~held[player]]).all()


def test_a_large_file_is_read_into_averages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its nodes are those of a file that is read into arrays; probabilities that are none are refused."""
    solved, path = solve_spot(FLOP, precision="single", iterations=10), tmp_path / "flop.spot"
    solved.save(path)
    arrays = load_spot(path)
    monkeypatch.setattr(solution, "LARGE", 0)
    found = load_spot(path)
    assert isinstance(found.plans, CompactPlans)
    assert found.plans.gap() == pytest.approx(arrays.plans.gap(), abs=1e-6 * FLOP.pot)
    assert found.facts == arrays.facts
    for node in ("", "x x Kd x", "x x 8s x x Kd x b100"):
        here, there = found.node(node), arrays.node(node)
        np.testing.assert_allclose(here.probabilities, there.probabilities, atol=1e-6)
        held = (FLOP.oop, FLOP.ip)[here.player or 0].weights > 0.0
        np.testing.assert_allclose(here.action_values[held], there.action_values[held], atol=1e-6 * FLOP.pot)
    real = solution.packed_probabilities
    monkeypatch.setattr(solution, "packed_probabilities", lambda *given: 0.5 * real(*given))
    solved.save(path)
    with pytest.raises(InputError, match="do not sum to 1"):
        load_spot(path)


def test_a_solve_ends_where_rounding_ends_progress() -> None:
    found = solve_spot(TURN, precision="half", percent_of_pot=1e-9, solver="dcfr:1.5,0,4")
    assert found.facts["iterations"] < 5000
    assert found.facts["exploitability_percent"] < 0.1


def test_precisions_are_checked() -> None:
    with pytest.raises(InputError, match="must be double, single or half"):
        solve_spot(RIVER, precision="triple")
    for method in ("pcfr+", "dcfr:simultaneous"):
        with pytest.raises(InputError, match="in half precision players update in turn"):
            solve_spot(RIVER, precision="half", solver=method)
    assert solve_spot(FLOP, iterations=1).facts["precision"] == "float32"
    assert solve_spot(FLOP, iterations=1, solver="pcfr+").facts["precision"] == "float64"


@pytest.mark.parametrize(("spot", "dtype"), [(TURN, np.float32), (FLOP, np.float32), (FLOP, np.float64)])
def test_terminals_of_the_last_street_fill_vectors(spot: Spot, dtype: type) -> None:
    """All that follow one segment are evaluated together: no vector is less full than it must be."""
    layout = CompactLayout(spot.betting, tables_of(boards_of(spot.betting, spot.cards, alike=True)))
    terminals, width = segment_terminals(layout, dtype, alone=False), 64 // np.dtype(dtype).itemsize
    together = 0
    for number, segment in enumerate(layout.segments):
        followed = layout.followed(segment)
        together += len(followed) > 1
        ends = list(ends_of(followed))
        assert len({end.rows for end in ends}) == len(ends)  # none shares its rows with one after another deal
        for player in (0, 1):
            reaches = len({end.rows[1 - player] for end in ends})
            count = int(terminals.table[number, player, PLACED, COUNT])
            assert not followed or count <= -(-reaches // width)
    assert together
