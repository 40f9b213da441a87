"""The command `resolve`: its errors, its agreement with the function, and Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay.blueprints import resolve_subtrees as blueprints
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.solvers import cfr
from counterplay.solvers.iterates import Iterates
from tests.support.blueprint_spots import ENTRY, pieces_of
from tests.support.commands import Ended, Runner
from tests.support.theorems import GameOf


@pytest.fixture
def run(run: Runner) -> Callable[..., Ended]:
    """A function that runs `counterplay resolve WORDS` in an empty folder."""
    return partial(run, "resolve")


KUHN = ("kuhn", "--blueprint", "uniform", "--at", "moves:1", "--solver", "lp")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "moves"), "'moves'"),
        (("--at", "moves:1,"), "not ''"),
        (("--at", "moves:9"), "no path"),
        (("--blueprint", "leduc.json"), "leduc.json"),
        (("--blueprint", "nobody"), "nobody"),
        (("--prior", "best"), "best"),
        (("--prior", "missing.json"), "missing.json"),
        (("--prior", "text.json"), "not JSON"),
        (("--prior", "list.json"), "object"),
        (("--prior", "less.json"), "no weight"),
        (("--prior", "more.json"), "'other'"),
        (("--prior", "negative.json"), "-1"),
        (("--prior", "nan.json"), "nan"),
        (("--prior", "word.json"), "'0p'"),
        (("--prior", "."), "prior"),
        (("--prior", "huge.json"), "0p"),
        (("--prior", "uniform", "--epsilon", "2"), "epsilon"),
        (("--prior", "uniform", "--epsilon", "nan"), "epsilon"),
        (("--epsilon", "0.1"), "no prior is given"),
        (("--alpha", "2", "--to", "uniform"), "alpha"),
        (("--alpha", "0.5"), "model"),
        (("--gadget", "unsafe", "--prior", "uniform"), "no decision at the entry"),
        (("--gadget", "full", "--prior", "uniform"), "no decision at the entry"),
        (("--gadget", "nothing"), "nothing"),
        (("--solver", "simplex"), "simplex"),
        (("--iterations", "5"), "iterations"),
        (("--only", "9x"), "9x"),
        (("--only", "0"), "'0'"),
        (("--public", "secret"), "secret"),
        (("--values", "none"), "none"),
        (("--memory", "0"), "memory"),
        (("--blueprint", "single.json", "--gadget", "unsafe"), "opponent's part"),
        (("--blueprint", "single.json", "--prior", "blueprint"), "opponent's part"),
        (("--blueprint", "single.json", "--seat", "1"), "single.json"),
        (("--blueprint", "single.json", "--bounds"), "opponent's part"),
        (("--blueprint", "passive.json", "--only", "0pb", "--gadget", "unsafe", "--seat", "0"), "opponent's part"),
        (("--seat", "2"), "seat"),
        (("--iterations", "0", "--solver", "cfr"), "iterations"),
    ],
)
def test_what_the_command_refuses(run, tmp_path: Path, kuhn: cp.GameTree, words: tuple[str, ...], message: str) -> None:
    """Exit code 2, nothing on the output, no traceback, no file."""
    texts = {
        "text": "{", "list": "[1]", "less": json.dumps({"0p": 1.0}), "more": json.dumps({**ENTRY, "other": 1.0}),
        "negative": json.dumps({**ENTRY, "0p": -1.0}), "nan": json.dumps({**ENTRY, "0p": float("nan")}),
        "word": json.dumps({**ENTRY, "0p": "much"}), "huge": json.dumps({**ENTRY, "0p": 10**400}),
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text)
    cp.opponent(kuhn, "uniform", 0).save(tmp_path / "single.json")
    cp.opponent(kuhn, "uniform", 0).save(tmp_path / "passive.json")
    cp.opponent(cp.load("ggse_fig5"), "uniform", 0).save(tmp_path / "leduc.json")
    code, out, err = run(*KUHN, *words, "-o", "out.json")
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("seat", ["0", "1"])
def test_the_command_and_the_function_agree(run, tmp_path: Path, kuhn: cp.GameTree, seat: str) -> None:
    """One prior file, one call by each; the file that is written holds the strategy that the numbers speak of."""
    names = [name for piece in pieces_of(kuhn, int(seat), "moves:1") for name in piece.names()]
    prior = {name: 1.0 / (1 + i) for i, name in enumerate(names)}
    (tmp_path / "prior.json").write_text(json.dumps(prior))
    extra = ("--prior", "prior.json", "--seat", seat, "--continuation", "--interval", "--to", "uniform")
    code, out, _ = run(*KUHN, *extra, "--json", "-o", "out.json")
    assert code == 0
    facts = json.loads(out)
    found = cp.resolve(
        kuhn, "uniform", "moves:1", prior=prior, seat=int(seat), solver="lp", continuation=True, interval=True,
        model="uniform",
    )  # fmt: skip
    ours = {name: value for name, value in found.facts.items() if name not in ("seconds", "prior")}
    for name in ("before", "after", "continuation", "gain_before", "gain_after", "game_value"):
        assert facts[name] == pytest.approx(ours[name], abs=1e-12)
    assert facts["equilibria"] == pytest.approx(ours["equilibria"], abs=1e-9)
    saved = cp.opponent(kuhn, "out.json", int(seat))
    assert cp.evaluate(kuhn, saved).exploitability == pytest.approx(found.after, abs=1e-9)
    code, out, _ = run(*KUHN, *extra)
    assert code == 0
    assert "exploitability_after" in out.replace(" ", "_")


def test_the_command_names_its_solver_and_stops_like_the_others(run) -> None:
    """`--solver`, as in respond. Looser stops are felt."""
    words = ("kuhn", "--blueprint", "random:1", "--at", "moves:1", "--json")
    assert json.loads(run(*words, "--solver", "lp")[1])["solver"] == "lp"
    gaps = [json.loads(run(*words, "--exploitability", text)[1])["gap"] for text in ("0.1", "0.000001")]
    assert gaps[0] > 1e-3 > 1e-5 > gaps[1]
    code, out, err = run(*words, "--solver", "cfr+", "--seconds", "0.05")
    assert code == 0, err
    assert json.loads(out)["states"] > 0
    code, _, err = run(*words, "--solver", "lp", "--seconds", "1")
    assert code == 2
    assert "--seconds" in err


@pytest.mark.parametrize("solver", ["lp", "cfr+"])
def test_ctrl_c_keeps_what_is_solved(game_of: GameOf, monkeypatch: pytest.MonkeyPatch, run, solver: str) -> None:
    """The first two subgames are as in a whole run, the others as in the blueprint, and the answer says so."""
    game = game_of("liars_dice:1,3")
    both = tuple(cp.opponent(game, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"solver": solver, "stop": cp.Stop(iterations=50)}
    whole = cp.resolve(game, both, "moves:1", **words)
    assert not whole.interrupted
    calls: list[int] = []

    def impatient(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return resolve_subtree(*args)

    monkeypatch.setattr(blueprints, "resolve_subtree", impatient)
    found = cp.resolve(game, both, "moves:1", **words)
    assert found.interrupted
    assert found.states == 2
    assert len(calls) == 3
    inside = [piece.root >= 0 for piece in pieces_of(game, 0, "moves:1")]
    firsts = game.first[0].tolist()
    tables = [strategy.table() for strategy in (both[0], whole.strategy, found.strategy)]
    for text, first in zip(game.trees[0].labels.infosets, firsts, strict=True):
        expected = tables[1] if any(held[first] for held in inside[:2]) else tables[0]
        assert tables[2][text] == expected[text]
    calls.clear()
    code, _, err = run(
        "liars_dice:1,3", "--blueprint", "random:3", "--at", "moves:1", "--solver", solver, "-o", "o.json"
    )
    assert code == 0
    assert "interrupted" in err
    assert Path("o.json").exists()


def test_ctrl_c_while_somebody_watches(kuhn: cp.GameTree) -> None:
    """A real Ctrl-C may also arrive in the progress bar."""

    def impatient(*_: int) -> None:
        raise KeyboardInterrupt

    try:
        found = cp.resolve(kuhn, "uniform", "moves:1", solver="lp", watch=impatient)
    except KeyboardInterrupt:  # which would end pytest
        pytest.fail("nothing is kept")
    assert found.interrupted
    assert found.states == 1


def test_ctrl_c_inside_a_minimiser_ends_the_run(game_of: GameOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of exploitability solve_cfr hears Ctrl-C itself; the run must not go on with the next subgame."""
    game, asked = game_of("liars_dice:1,3"), []
    advance = Iterates.advance

    def impatient(self: Iterates, n: int) -> None:
        asked.append(n)
        if len(asked) == 3:
            raise KeyboardInterrupt
        advance(self, n)

    monkeypatch.setattr(cfr.Iterates, "advance", impatient)
    found = cp.resolve(game, "random:3", "moves:1", stop=cp.Stop(exploitability=1e-3, iterations=2000))
    assert found.interrupted
