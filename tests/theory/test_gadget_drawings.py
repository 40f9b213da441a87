"""The drawing of a gadget says what its theorems say: what branches pay, and that the opponent's values do not grow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import counterplay as cp
from counterplay import Resolving
from counterplay.blueprints.gadget_drawing import CHOOSE, DEALT, ENTER, LEAVE, PATH, draw_gadget
from counterplay.gadgets import GADGETS
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import Root
from tests.support.commands import Runner

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Own(Resolving):
    """A user's gadget."""

    name: ClassVar[str] = "own"

    def entry(self, root: Root) -> Entry:
        return super().entry(root)


@pytest.mark.parametrize(("text", "at"), [("kuhn", "moves:1"), ("leduc", "round"), ("goofspiel:3", "moves:2")])
@pytest.mark.parametrize("gadget", [*GADGETS, Own()])
def test_branches_pay_alternative_values_which_the_solution_does_not_exceed(text: str, at: str, gadget: object) -> None:
    game = cp.load(text)
    drawn = draw_gadget(game, "random:3", at, gadget=gadget, solver="lp")
    assert sum(root.share for root in drawn.roots) == pytest.approx(1.0)
    assert 1 == drawn.number <= drawn.subgames
    kinds = {branch.kind for root in drawn.roots for branch in root.branches}
    assert kinds == {
        "unsafe": {DEALT},
        "full": {PATH},
        "trimmed": {PATH},
        "resolving": {ENTER, LEAVE},
        "own": {ENTER, LEAVE},
        "path": {ENTER},
    }.get(
        str(gadget),
        {CHOOSE} if len(drawn.roots) > 1 else {DEALT},  # of one root there is no choice
    )
    chosen = [branch.odds for root in drawn.roots for branch in root.branches if branch.kind == CHOOSE]
    assert not chosen or sum(chosen) == pytest.approx(1.0)
    for root in drawn.roots:
        assert (root.before is None) == (root.share == 0.0) == (root.after is None)
        for branch in root.branches:
            if branch.kind == LEAVE:
                assert branch.pays == pytest.approx(root.before)
            elif branch.kind == CHOOSE and str(gadget) == "max-margin":
                assert branch.pays == pytest.approx(-(root.before or 0.0))
        if root.before is not None and str(gadget) in ("resolving", "max-margin", "own"):
            assert root.after is not None
            assert root.after <= root.before + 1e-6
        if kinds == {ENTER, LEAVE}:
            assert sum(branch.odds for branch in root.branches) == pytest.approx(1.0)


def test_the_least_margin_is_at_a_root_that_is_chosen() -> None:
    drawn = draw_gadget(cp.load("leduc"), "cfr:10", "round", 2, gadget="max-margin", solver="lp")
    margins = np.array([root.share * ((root.before or 0.0) - (root.after or 0.0)) for root in drawn.roots])
    chosen = np.array([root.branches[0].odds for root in drawn.roots]) > 1e-6
    assert margins[chosen] == pytest.approx(margins.min(), abs=TOLERANCE)


def test_the_command_shows_it_in_games_and_spots(run: Runner, tmp_path: Path) -> None:
    words = ["gadget", "leduc", "--blueprint", "cfr:10", "--gadget", "resolving", "--solver", "lp"]
    found = run(*words, "--subgame", "2", "--json").json
    assert [branch["kind"] for branch in found["roots"][0]["branches"]] == [ENTER, LEAVE]
    shown = run(*words, "--subgame", "2").out
    assert all(root["name"] in shown for root in found["roots"])
    assert "there is no subgame 99" in run(*words, "--subgame", "99").err
    spot = tmp_path / "turn.toml"
    spot.write_text('board = "Qs Jh 2h 8d"\noop = "QQ,AQs"\nip = "JJ,AKs"\npot = 100\nstack = 100\nbets = "a"\n')
    drawn = run("gadget", str(spot), "--blueprint", "uniform", "--subgame", "3", "--solver", "lp", "--json").json
    assert {"JsJc", "AsKs"} <= {root["name"] for root in drawn["roots"]}
