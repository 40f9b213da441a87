"""The reproductions of Milec et al. 2025: its tables, and ABD on RNR's curve in battleships."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import hypot, sqrt
from pathlib import Path
from statistics import fmean, pstdev, stdev

import pytest

import counterplay as cp
from counterplay import TERMINAL, LookAhead
from counterplay_papers.experiment import PRINTED, Result
from counterplay_papers.registry import reproduction
from counterplay_papers.reproductions import milec_2025, milec_2025_tictactoe
from counterplay_papers.reproductions.milec_2025_tictactoe import CORNERS, EDGES, MIDDLE, TicTacToeBoard
from counterplay_papers.responses import won
from counterplay_papers.runner import run

EXACT = 1e-6


def table(results: list[Result]) -> dict[tuple[str, str], float]:
    return {(result.row, result.column): result.ours for result in results}


@pytest.mark.slow
def test_table_1_is_the_paper_s(tmp_path: Path) -> None:
    results = run(reproduction("abd-table1"), tmp_path, quick=True)
    assert len(results) == 8
    for result in results:
        assert result.ours == pytest.approx(result.reference, abs=EXACT), (result.row, result.column)


@pytest.mark.parametrize(
    "trust", [(0.25, 0.5, 0.75, 1.0), pytest.param((0.0, 0.25, 0.45, 0.5, 0.55, 0.75, 1.0), marks=pytest.mark.slow)]
)
def test_in_battleships_abd_is_rnr(trust: tuple[float, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is risked below p = 1/2 and 3/4 above; CDRNR wins nothing for any p."""
    monkeypatch.setattr(milec_2025, "FIGURE_5_TRUST", trust)
    found = table(run(reproduction("abd-figure5"), tmp_path, quick=False))
    for p, point in ((p, 0.75 * (p > 0.5)) for p in trust if p not in (0.5, 1.0)):
        row = f"battleships 2x2, last:A1, p={p:g}"
        for method in ("RNR", "ABD"):
            assert found[row, f"{method} gain"] == pytest.approx(point, abs=EXACT), (row, method)
            assert found[row, f"{method} exploitability"] == pytest.approx(point, abs=EXACT), (row, method)
    half, certain = (f"battleships 2x2, last:A1, p={p:g}" for p in (0.5, 1.0))
    for method in ("RNR", "ABD"):  # at 1/2 any point of the segment, at 1 only the gain is determined
        gain, risk = (found[half, f"{method} {measure}"] for measure in ("gain", "exploitability"))
        assert gain == pytest.approx(risk, abs=EXACT)
        assert found[certain, f"{method} gain"] == pytest.approx(0.75, abs=EXACT)
    assert [gain for (_, column), gain in found.items() if column == "CDRNR gain"] == pytest.approx(
        [0.0] * len(trust), abs=EXACT
    )


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(milec_2025, "DRAWS", 6)
        patch.setattr(milec_2025, "PIECE", 3)
        return run(reproduction("abd-table2"), tmp_path_factory.mktemp("leduc"), quick=False)


def test_table_2_is_the_paper_s(leduc: list[Result]) -> None:
    """Against S3 ABD has a tie, of which either end is right. The means over random opponents are judged, too, by the
    interval of their difference from the printed ones."""
    compared = [result for result in leduc if result.kind == PRINTED]
    assert len(compared) == 10
    half = {result.row: result.ours for result in leduc if result.column == "half of 95 %"}
    for result in compared:
        if result.row.startswith("random"):
            reference, theirs = {"random, CDBR": (2.475, 0.016), "random, ABD": (2.536, 0.015)}[result.row]
            assert (result.reference, result.margin) == (reference, pytest.approx(hypot(theirs, half[result.row])))
            assert replace(result, ours=reference + 0.99 * result.margin).agrees(3)
            assert not replace(result, ours=reference + 1.01 * result.margin + 5e-4).agrees(3)
        elif (result.row, result.column) == ("s3", "ABD"):
            assert min(abs(result.ours - end) for end in (4.2, 5.8)) < EXACT
            assert "4.2 or 5.8" in result.reason
        else:
            assert result.ours == pytest.approx(result.reference, abs=EXACT), (result.row, result.column)
    assert "chosen because" in reproduction("abd-table2").note


def test_cdbr_that_never_looks_beyond_its_round_wins_less_from_s2(leduc: list[Result]) -> None:
    """Whichever way it is solved: what the paper prints needs later decisions that see to the end."""
    found = table(leduc)
    assert [found[s, "CDBR by rounds"] for s in ("s1", "s3", "s4")] == pytest.approx([1.0, 1.0, 3.0], abs=EXACT)
    assert found["s2", "CDBR by rounds"] == pytest.approx(3.169978, abs=1e-5)
    game = cp.load("leduc")
    s2 = cp.opponent(game, "s2", 1)
    minimised = cp.respond(game, s2, method="cdbr", depth="round", solver="cfr+")
    assert minimised.value_against_model == pytest.approx(found["s2", "CDBR by rounds"], abs=5e-3)


def test_the_intervals_of_random_opponents_are_those_of_all_draws(leduc: list[Result]) -> None:
    """Put together from pieces, against the draws themselves."""
    found = table(leduc)
    looks = {
        "CDBR": LookAhead("round", solve="joint"),
        "ABD": LookAhead("round", milec_2025.LEDUC_PORTFOLIO, solve="joint"),
    }
    draws = {}
    for name, look in looks.items():
        way = partial(milec_2025.then_to_the_end, look)
        draws[name] = [won("leduc", f"random:{seed}", way) for seed in range(6)]
    draws["ABD - CDBR"] = [ours - theirs for ours, theirs in zip(draws["ABD"], draws["CDBR"], strict=True)]
    for name, each in draws.items():
        row, half = f"random, {name}", 1.96 * stdev(each) / sqrt(len(each))
        assert found[row, "mean"] == pytest.approx(fmean(each), abs=EXACT)
        assert found[row, "half of 95 %"] == pytest.approx(half, abs=EXACT)
        assert (found[row, "low"], found[row, "high"]) == pytest.approx(
            (fmean(each) - half, fmean(each) + half), abs=EXACT
        )
        assert found["random:0 to 2", f"{name} variance"] == pytest.approx(pstdev(each[:3]) ** 2, abs=EXACT)


@pytest.mark.parametrize("trust", [(0.7,), pytest.param((0.3, 0.7), marks=pytest.mark.slow)])
def test_figure_6_keeps_to_what_theory_says(
    trust: tuple[float, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No method is above RNR's objective; CDRNR keeps its bound, and ABD beats it against S1."""
    monkeypatch.setattr(milec_2025, "FIGURE_6_TRUST", trust)
    found = table(run(reproduction("abd-figure6"), tmp_path, quick=False))
    for row in {row for row, _ in found}:
        p = float(row.rpartition("p=")[2])
        objective = {
            name: p * found[row, f"{name} gain"] - (1.0 - p) * found[row, f"{name} exploitability"]
            for name in ("RNR", "ABD, exact", "ABD, 10 samples", "CDRNR")
        }
        assert max(objective.values()) <= objective["RNR"] + EXACT
        assert found[row, "CDRNR exploitability"] <= found[row, "CDRNR gain"] * p / (1.0 - p) + EXACT
        if ", s1," in row:
            assert objective["ABD, exact"] > objective["CDRNR"] + 0.1


@pytest.fixture(scope="module")
def board() -> TicTacToeBoard:
    return milec_2025_tictactoe._board()


def test_the_moves_of_tic_tac_toe_are_those_of_its_labels(board: TicTacToeBoard) -> None:
    """Against the texts that replaying the game gives."""
    game, cells = board.game, [f"{row}{column}" for row in "ABC" for column in "123"]
    for history in range(0, len(game.histories), 50_021):
        state = game.state(history)
        moves = [cells[cell] for cell in board.moves[:, history].tolist() if cell >= 0]
        assert game.rules.infoset(state, 0) == (" ".join(moves) or "start")


@pytest.mark.parametrize("player", [0, 1])
def test_perfect_tic_tac_toe_cannot_be_beaten(board: TicTacToeBoard, player: int) -> None:
    """There is no chance: no end that the player can reach is lost, and one is a draw."""
    histories, plan = board.game.histories, board.perfect(player).plan
    ends = (histories.player == TERMINAL) & (plan[board.game.sequences[player]] > 0.0)
    assert (histories.utility[ends] * (1 - 2 * player)).min() == board.worth[0] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_the_worst_case_of_perfect_tic_tac_toe_is_a_draw(board: TicTacToeBoard, player: int) -> None:
    assert cp.evaluate(board.game, board.perfect(player)).worst_case == 0.0


def test_the_lines_of_example_3_exist(board: TicTacToeBoard) -> None:
    """What perfect play makes of each opening, and of each answer to one in the middle: only edges lose."""
    first, second = board.moves[:2]
    for cell in range(9):
        assert board.worth[(first == cell) & (second < 0)] == 0.0
        if cell != MIDDLE:
            reply = (first == MIDDLE) & (second == cell) & (board.moves[2] < 0)
            assert board.worth[reply] == float(cell in EDGES)
    for corner in CORNERS:  # opening in a corner draws, but not against the opposite corner
        assert board.worth[(first == corner) & (second == 8 - corner) & (board.moves[2] < 0)] == 1.0


@pytest.mark.slow
def test_tic_tac_toe_adapts_as_the_paper_says(tmp_path: Path) -> None:
    """Every number that the paper's example gives is ours, among those that `--quick` computes."""
    results = run(reproduction("abd-tictactoe"), tmp_path, quick=True)
    compared = [result for result in results if result.reference is not None]
    assert len(compared) > 10
    for result in compared:
        assert result.ours == pytest.approx(result.reference, abs=EXACT), (result.row, result.column)
    found = table(results)
    assert [found[row, "from p"] for row, column in found if column == "from p"] == pytest.approx([0.0, 0.5, 1.0])
    for row in ("we open", "they open", "they open, both"):
        assert found[f"{row}, p=1", "RNR won"] == pytest.approx(1.0, abs=EXACT)
