"""Two solutions of one spot: errors and cross values by the linear program's matrix, changes that add up, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.measure.solution_comparison import compare_solutions, played_by
from counterplay.opponents.model import MODELS
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from tests.support.commands import Runner

BOARD, SIZES = "Qs Jh 2h 8d 3c", "75%, a"
RIVER = cp.Spot(BOARD, "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, SIZES, raises=2)  # type: ignore[arg-type]


def test_two_solutions_measured_by_the_written_out_matrix() -> None:
    """Values are plan times matrix times plan; the worst case is a value of the game at most."""
    rough, fine = cp.solve_spot(RIVER, iterations=15), cp.solve_spot(RIVER, percent_of_pot=0.01)
    found = compare_solutions(rough, fine)
    assert len(found.measured) == 1
    measured, matrix = found.measured[0], rough.tree.leaves.explicit
    plans = [[one.plans.reach(player) for player in (0, 1)] for one in (rough, fine)]
    for i in (0, 1):
        for j in (0, 1):
            value = 50.0 + matrix.value(plans[i][0], plans[j][1])
            assert measured.ev[0][i][j] == pytest.approx(value, abs=1e-6)
            assert measured.ev[1][j][i] == pytest.approx(100.0 - value, abs=1e-6)
    assert measured.exploitability == pytest.approx(
        (rough.facts["exploitability"], fine.facts["exploitability"]), abs=1e-6
    )
    for player in (0, 1):
        assert measured.worst[player][0] < measured.worst[player][1]
        won = measured.ev[player][1][1] - measured.ev[player][0][1]
        assert sum(one.chips for one in found.changes[player]) == pytest.approx(won, abs=1e-6)


def test_other_ranges_are_measured_in_both(run: Runner, tmp_path: Path) -> None:
    """Bets that are written otherwise make the same tree."""
    wider = replace(RIVER, oop=cp.Spot(BOARD, "QQ,KQs,T9s,76s,AA", "JJ", 100, 200).oop, bets="a, 75%")  # type: ignore[arg-type]
    files = [tmp_path / "mine.spot", tmp_path / "yours.spot"]
    for spot, file in zip((RIVER, wider), files, strict=True):
        cp.solve_spot(spot, percent_of_pot=0.1).save(file)
    ran = run("compare", *map(str, files))
    assert ran.code == 0, ran.err
    assert "with the ranges of mine.spot:" in ran.out
    assert "with the ranges of yours.spot:" in ran.out
    told = run("compare", *map(str, files), "--json").json
    mine, yours = told["measured"]
    assert mine["exploitability"][0] <= 0.11
    assert yours["exploitability"][1] <= 0.11
    assert mine["exploitability"][1] > 0.11  # aces are missing, for which the other solution bets too little
    assert run("compare", str(files[0]), str(files[0])).out.count("plays alike in both") == 2


def test_any_opponent_of_the_spot_is_compared(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One who plays both seats by the written-out matrix, one of a single seat by its lock; a file of a name comes first."""
    monkeypatch.chdir(tmp_path)
    solved = cp.solve_spot(RIVER, iterations=15)
    solved.save("mine.spot")
    Path("leak.txt").write_text('at "a": fold 90%\n')
    plans = [cp.opponent(RIVER, "uniform", player).plan for player in (0, 1)]
    told = run("compare", "mine.spot", "uniform", "--json").json["measured"][0]
    assert told["ev"][0][1][1] == pytest.approx(50.0 + solved.tree.leaves.explicit.value(*plans), abs=1e-5)
    leaky = played_by(solved, MODELS.parse("lock:leak.txt"))
    locked = lock_nodes(solved, Leaks.from_file("leak.txt")).plans
    for player in (0, 1):
        assert leaky.plans.behaviour(player)[:] == pytest.approx(locked.behaviour(player)[:], abs=1e-12)
    ran = run("compare", "mine.spot", "noise:0.5:lock:leak.txt")
    assert "oop plays alike in both." in ran.out
    assert "mine.spot -> noise:0.5:lock:leak.txt" in ran.out
    assert "cannot read yours.spot: No such file" in run("compare", "mine.spot", "yours.spot").err
    assert "there is no opponent 'unifrm'; did you mean 'uniform'?" in run("compare", "mine.spot", "unifrm").err
    Path("mine.spot").rename("uniform")
    assert run("compare", "uniform", "uniform").out.count("plays alike in both") == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"board": "Qs Jh 2h 8d 4c"}, "the boards differ: Qs Jh 2h 8d 3c and Qs Jh 2h 8d 4c"),
        ({"pot": 120.0}, "differ in their pot: 100 and 120"),
        ({"bets": "50%, a"}, "the betting trees differ: 'bet 75' is in the first only"),
    ],
)
def test_other_spots_are_refused(change: dict[str, object], message: str) -> None:
    first, other = cp.solve_spot(RIVER, iterations=1), cp.solve_spot(replace(RIVER, **change), iterations=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        compare_solutions(first, other)


def test_changes_off_the_path_are_listed_as_such(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oop never bets into hands that all beat theirs, so that ip may fold all of them to a bet: this costs nothing against
    that oop, and much in the worst case. Without a change nothing is listed."""
    monkeypatch.chdir(tmp_path)
    spot = cp.Spot("Ks 8h 8d 4c 2s", "QdJd", "AcAd,QcQh", 100, 100, "oop: a; ip: none")  # type: ignore[arg-type]
    cp.solve_spot(spot, percent_of_pot=0.01).save("mine.spot")
    Path("folds.txt").write_text('at "a": always fold\n')
    ran = run("compare", "mine.spot", "lock:folds.txt")
    assert "ip, mine.spot -> lock:folds.txt, off the path, where oop of lock:folds.txt hardly ever comes:" in ran.out
    (line,) = (line for line in ran.out.splitlines() if line.startswith("  at all-in 100: "))
    assert line.endswith("-> 0.0 %")
    assert "fold 0.0 -> 100.0 %" in line
    assert "oop plays alike in both." in ran.out
    worst = next(line for line in ran.out.splitlines() if line.startswith("EV ip at least")).split()[-2:]
    assert [float(number) for number in worst] == pytest.approx([100.0, 0.0], abs=0.1)
    (change,) = run("compare", "mine.spot", "lock:folds.txt", "--json").json["changes"]["ip"]
    assert (change["changed"], change["changed_off_path"]) == pytest.approx((0.0, 1.0), abs=1e-3)
    assert run("compare", "mine.spot", "mine.spot").out.count("plays alike in both") == 2
