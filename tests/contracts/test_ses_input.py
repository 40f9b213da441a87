"""Errors of an estimate, and invalid input of SES."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import InputError, cli, resolve
from counterplay.lookahead.tremble import corrupt_estimate
from tests.support import witness
from tests.support.theorems import GameOf


@given(st.integers(2, 8), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_an_estimate_is_off_by_exactly_what_was_asked(size: int, share: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    estimate = draw.dirichlet(np.ones(size))
    error = share * 2.0 * (1.0 - float(estimate.min()))
    found = corrupt_estimate(estimate, error, draw)
    assert np.abs(found - estimate).sum() == pytest.approx(error, abs=1e-12)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.min() >= -1e-15


@pytest.mark.parametrize("error", [-0.1, 1.61, 5.0, float("nan")])
def test_an_estimate_that_cannot_be_so_wrong_is_refused(error: float) -> None:
    with pytest.raises(InputError, match=r"the error of the estimate must be from 0 to 1\.6 here"):
        corrupt_estimate(np.full(5, 0.2), error, np.random.default_rng(0))


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "alpha above 1": ({"alpha": 1.5}, "alpha must be between 0 and 1, not 1.5"),
    "alpha below 0": ({"alpha": -0.5}, "alpha must be between 0 and 1, not -0.5"),
    "no number": ({"alpha": float("nan")}, "alpha must be between 0 and 1, not nan"),
    "no model": ({"alpha": 0.5, "model": None}, "alpha needs a model of the opponent"),
    "resolving": ({"alpha": 0.5, "gadget": "resolving"}, "needs the gadget max-margin or reach-max-margin"),
    "unsafe": ({"alpha": 0.5, "gadget": "unsafe"}, "with the unsafe gadget the opponent has no decision at the entry"),
    "full": ({"alpha": 0.5, "gadget": "full"}, "with the full gadget the opponent has no decision at the entry"),
    "no such infoset": ({"alpha": 0.5, "only": "nowhere"}, "kuhn has no infoset 'nowhere' of player 1"),
    "another place": ({"alpha": 0.5, "at": "moves:2", "only": "1b"}, "no subgame at moves:2 contains the infoset"),
    "unreachable": ({"alpha": 0.5, "seat": 0, "at": "moves:2", "only": "0pb", "blueprint": "bets"}, "never reaches"),
    "error too large": ({"alpha": 0.5, "error": 3.0}, "the error of the estimate must be from 0 to"),
    "error below 0": ({"alpha": 0.5, "error": -0.1}, "the error of the estimate must be from 0 to"),
}


@pytest.fixture
def bets(tmp_path: Path) -> str:
    """A file of a player 0 of Kuhn poker who bets every card, so that infosets after a check are not reached."""
    game = cp.load("kuhn")
    table = {name: {"Pass": 0.0, "Bet": 1.0} for name in witness.infosets(game.rules, 0)}
    path = tmp_path / "bets.json"
    cp.opponent(game, table.__getitem__, player=0).save(path)
    return str(path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    game_of: GameOf, bets: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the library, and by the command line with exit code 2 and nothing written."""
    changed, sentence = REFUSED[name]
    given: dict[str, Any] = {"blueprint": "nash", "at": "moves:1", "seat": 1, "model": "uniform"} | changed
    if given["blueprint"] == "bets":
        given["blueprint"] = bets
    with pytest.raises(InputError) as refusal:
        resolve(game_of("kuhn"), given["blueprint"], **{k: v for k, v in given.items() if k != "blueprint"})
    said = str(refusal.value)
    assert sentence in said
    assert "\n" not in said
    names = {"model": "--to"}
    words = [f"{names.get(key, '--' + key)}={value}" for key, value in given.items() if value is not None]
    output = Path(bets).parent / "out.json"
    monkeypatch.setattr(sys, "argv", ["counterplay", "resolve", "kuhn", *words, "-o", str(output)])
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 2
    shown = capsys.readouterr()
    assert shown.err == f"counterplay: {said}\n"
    assert shown.out == ""
    assert not output.exists()


def test_a_blueprint_of_another_game_is_refused(game_of: GameOf) -> None:
    kuhn, other = game_of("kuhn"), game_of("kuhn:4")
    for blueprint in (
        cp.opponent(other, "nash", player=1),
        tuple(cp.opponent(other, "nash", player=i) for i in (0, 1)),
    ):
        with pytest.raises(InputError, match=r"not a strategy of player \d in kuhn"):
            resolve(kuhn, blueprint, "moves:1", seat=1, alpha=0.5, model="uniform")


@pytest.mark.parametrize("error", [-1.0, 3.0])
def test_a_wrong_error_is_refused_also_where_nobody_asks_for_the_estimate(game_of: GameOf, error: float) -> None:
    with pytest.raises(InputError, match="error"):
        resolve(game_of("kuhn"), "nash", "moves:1", seat=1, error=error, model="uniform", solver="lp")
