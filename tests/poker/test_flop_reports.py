"""Reports over flops: pieces are solved spots, weights are those of the deck, averages and tables are what they say."""

from __future__ import annotations

import csv
from math import fsum
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.poker.cards.deck import FULL
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.reports.flop_report import SUBSETS, FlopReport, LeakQuestion, average, choose_flops
from tests.support.commands import Runner

SPOT = cp.Spot("7s 5h 2d", "AA,76s", "KK,87s", 100, 50, "flop: a; turn: none; river: none", raises=1)  # type: ignore[arg-type]
LEAK = 'at "a": fold 90%'
FLOPS = "As 7h 2d, Ks Kh 8d"


def test_subsets_stand_for_all_flops() -> None:
    """Each flop is there once up to suits, and the weights are those of the 22,100 flops."""
    for count, subset in SUBSETS.items():
        chosen = choose_flops(str(count))
        assert len(chosen.flops) == len(subset) == count
        assert fsum(chosen.weights) == pytest.approx(22_100, rel=1e-3)
        assert min(chosen.weights) > 0.0
        choose_flops(", ".join(chosen.flops))  # which refuses a flop that is there twice
    every = choose_flops("all")
    assert (len(every.flops), fsum(every.weights)) == (1755, 22_100)


def test_a_flop_counts_as_often_as_it_comes_with_two_hands() -> None:
    """By listing hands: the pairs of a flop that share no card with it or with each other."""
    report = FlopReport(SPOT, choose_flops(FLOPS))
    for flop, often in zip(report.choice.flops, (12.0 * 2.0, 12.0), strict=True):
        board = set(FULL.held(flop))
        hands = [[FULL.hands[k] for k in np.flatnonzero(r.weights)] for r in (SPOT.oop, SPOT.ip)]
        pairs = sum(len({*one, *other, *board}) == 7 for one in hands[0] for other in hands[1])
        images = {tuple(sorted(4 * (c // 4) + p[c % 4] for c in board)) for p in _renamings()}
        assert report.weight(flop) == pytest.approx(len(images) * pairs)
        assert len(images) == often


def _renamings() -> list[tuple[int, ...]]:
    from itertools import permutations

    return list(permutations(range(4)))


def test_a_piece_is_the_solved_spot_and_its_leak() -> None:
    report = FlopReport(SPOT, choose_flops(FLOPS), ("", "x"), LeakQuestion(LEAK, elsewhere="solved"), 2.0)
    report.check()
    flop = report.keys()[0]
    told = report.compute(flop)
    solved = cp.solve_spot(report.on(flop), percent_of_pot=2.0)
    assert told["ev"] == pytest.approx(list(solved.node("").means))
    found = exploit_leak(lock_nodes(solved, Leaks.from_text(LEAK)), elsewhere="solved", accuracy=2.0)
    assert told["leak"]["gain"] == pytest.approx(found.gain)
    held = solved.node("x").ranges[1] > 0.0
    shares = solved.node("x").ranges[1][held] @ solved.node("x").probabilities[held]
    assert told["nodes"]["x"]["shares"] == pytest.approx(shares / solved.node("x").ranges[1].sum())
    results = {flop: told, report.keys()[1]: {**told, "ev": [0.0, 100.0], "leak": None}}
    mean = average(report, results)
    share = report.weight(flop) / sum(map(report.weight, report.keys()))
    assert mean.ev[0] == pytest.approx(share * told["ev"][0])
    assert mean.gain == pytest.approx(told["leak"]["gain"])  # flops that the leak does not fit are left out


def test_the_command_goes_on_from_its_record(run: Runner, tmp_path: Path) -> None:
    leak, record, table = tmp_path / "leak.txt", tmp_path / "r.work", tmp_path / "r.csv"
    leak.write_text(LEAK)
    words = (
        "report", "--oop", "AA,76s", "--ip", "KK,87s", "--pot", "100", "--stack", "50",
        "--bets", "flop: a; turn: none; river: none", "--lock", str(leak), "--record", str(record),
        "--elsewhere", "solved", "--exploitability", "2",
    )  # fmt: skip
    first = run(*words, "--flops", "As 7h 2d", "--json")
    assert first.code == 0, first.err
    ran = run(*words, "--flops", FLOPS, "-o", str(table))
    assert ran.code == 0, ran.err
    assert "2 of 2 flops; averages:" in ran.out
    assert "from the leak the answer wins at least" in ran.out
    assert record.read_text().count('"key"') == 2
    assert record.stat().st_size < 2 * 500_000
    rows = list(csv.DictReader(table.open()))
    assert [row["flop"] for row in rows] == ["As 7h 2d", "Ks Kh 8d"]
    assert float(rows[0]["EV oop"]) == pytest.approx(first.json["ev"][0])
    assert fsum(float(row["weight"]) for row in rows) == pytest.approx(1.0)
    other = run(*words, "--flops", FLOPS, "--pot", "101")
    assert (other.code, "record of other work (its spot pot is 100.0, not 101.0)" in other.err) == (2, True)
    leak.write_text('at "a" with QQ: fold 90%')
    assert run(*words, "--flops", FLOPS).err.startswith(f"counterplay: {leak}: line 1: ip has no hand 'QQ'")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--flops", "24"], "the subsets have 23, 49, 95 flops, not '24'"),
        (["--flops", "As 7h 2d, Ad 7c 2h"], "twice, up to the names of suits"),
        (["--node", "x x"], "is none"),
        (["--board", "As 7h 2d"], "no such option: --board"),
        (["--iterations", "5"], "no such option: --iterations"),
        (["--p", "0.5"], "--p needs a --lock"),
        (["--memory", "0.0001"], "GiB"),
    ],
)
def test_what_fits_no_report_is_refused(run: Runner, words: list[str], message: str) -> None:
    ran = run("report", "--oop", "AA", "--ip", "KK", "--pot", "100", "--stack", "50", "--flops", "As 7h 2d", *words)
    assert ran.code == 2
    assert message in ran.err


def test_a_subset_of_another_deck_is_refused() -> None:
    with pytest.raises(InputError, match="of the full deck"):
        choose_flops("23", cp.Spot("As Kh Qd", "JJ", "TT", 100, 50, "a", deck="6").deck)  # type: ignore[arg-type]
