"""The reproductions of Liu et al. 2022; that they resume and are drawn is in test_reproductions.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterplay_papers.registry import reproduction
from counterplay_papers.reproductions import liu_2022
from counterplay_papers.runner import run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The figures with few numbers, in a smaller Leduc."""
    kinds = {"0": ("cfr+:200",), "0.7": ("shuffle:0.7,1:dcfr:1000",)}
    monkeypatch.setattr(liu_2022, "LEDUC_KINDS", kinds)
    monkeypatch.setattr(liu_2022, "LEDUC_ALPHAS", (0.0, 0.5, 1.0))
    monkeypatch.setattr(liu_2022, "LEDUC", "leduc:bets=1/2,merged=true")
    monkeypatch.setattr(liu_2022, "BLUEPRINT", "dcfr:1000")
    monkeypatch.setattr(liu_2022, "LEDUC_ERRORS", (0.0, 0.6))
    monkeypatch.setattr(liu_2022, "LEDUC_SEATS", (0,))
    monkeypatch.setattr(liu_2022, "MATRIX_ALPHAS", (0.0, 0.5, 0.99, 0.991, 1.0))
    _forget()
    yield
    _forget()


def _forget() -> None:
    """Nothing that was computed for the figures is known."""
    for known in vars(liu_2022).values():
        if hasattr(known, "cache_clear"):
            known.cache_clear()


@pytest.mark.usefixtures("small")
def test_the_matrix_figure_agrees_with_the_text(tmp_path: Path) -> None:
    """Also that search wins more than mixing at almost all alpha: so it does if R pays 99 and 100."""
    results = run(reproduction("ses-matrix"), tmp_path, quick=False)
    assert {result.kind for result in results} == {"", "text"}, "figure 2 is a picture, and no number is printed"
    assert all(result.agrees(2) for result in results if result.reference is not None)
    found = {(result.row, result.column): result.ours for result in results}
    for reading, (good, best) in {"R pays 9 and 10": (9.0, 10.0), "R pays 99 and 100": (99.0, 100.0)}.items():
        assert found[f"{reading}, alpha=0.5", "SES payoff"] == pytest.approx(good)
        assert found[f"{reading}, alpha=0.991", "SES payoff"] == pytest.approx(best)
        assert found[f"{reading}, alpha=0.5", "mixing payoff"] == pytest.approx(0.5 * best + 0.25 * (4.0 + good))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_leduc_figure_is_the_blueprint_without_alpha_and_risks_more_with_it(tmp_path: Path) -> None:
    found = {(r.row, r.column): r.ours for r in run(reproduction("ses-leduc"), tmp_path, quick=False)}
    plain = {
        row: ours for (row, column), ours in found.items() if column == "e=0 exploitability" and row.endswith("alpha=0")
    }
    assert plain
    for row, ours in plain.items():
        assert ours <= found[row, "blueprint exploitability"] + 1.0
        assert found[row, "e=0.6 exploitability"] == ours
        trusting = row.replace("alpha=0", "alpha=1")
        assert found[trusting, "e=0.6 exploitability"] > ours + 10.0


@pytest.mark.usefixtures("small")
def test_more_time_brings_restricted_responses_near_the_exact_ones(tmp_path: Path) -> None:
    found = {(r.row, r.column): r.ours for r in run(reproduction("ses-vs-rnr"), tmp_path, quick=True)}
    rows = [row for row, column in found if column == "SES seconds" and row.endswith("=0.5")]
    assert rows
    for row in rows:
        exact = 0.5 * (found[row, "RNR (exact) evaluation"] - found[row, "RNR (exact) exploitability"])
        for name in ("RNR (same time)", "RNR (19 times)"):
            objective = 0.5 * (found[row, f"{name} evaluation"] - found[row, f"{name} exploitability"])
            assert objective <= exact + 1e-3
        assert objective >= exact - 1.0
