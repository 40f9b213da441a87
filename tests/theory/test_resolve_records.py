"""Subgames of a blueprint as a record of work: solved ones are kept, and a later call ends in the same strategy."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead
from counterplay.blueprints import resolve_subtrees
from counterplay.blueprints.resolve import PlaceSubtrees
from counterplay.blueprints.resolve_subtrees import SubtreeSolves
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings
from counterplay.gametree.compile.load import source_of
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.subgames.cut import Place
from counterplay.work.work_record import ForeignRecordError, WorkRecord

STOP = cp.Stop(iterations=5)
ASKED: dict[str, dict[str, Any]] = {
    "one place": {"at": "round", "gadget": "resolving"},
    "gifts": {"at": "round", "gadget": "reach-max-margin"},
    "inside each other": {"at": ["moves:1", "round"], "gadget": "max-margin"},
    "errors are drawn": {"at": "round", "alpha": 0.5, "error": 0.3, "model": "uniform", "seed": 3},
    "a prior": {"at": "round", "prior": "uniform"},
}


def interrupted(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let Ctrl-C come when so many subgames are solved."""
    solved = 0

    def solve(*given: Any) -> Any:
        nonlocal solved
        solved += 1
        if solved > after:
            raise KeyboardInterrupt
        return resolve_subtree(*given)

    monkeypatch.setattr(resolve_subtrees, "resolve_subtree", solve)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_solved_is_not_solved_again(
    game_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Interrupted twice and resumed, the strategy is that of one call, to the last bit."""
    game, path, asked = game_of("leduc:merged=true"), tmp_path / "a.work", dict(ASKED[name])
    whole = cp.resolve(game, "cfr:10", stop=STOP, **asked)
    for after in (3, 2):
        interrupted(monkeypatch, after)
        part = cp.resolve(game, "cfr:10", stop=STOP, record=path, **asked)
        assert part.interrupted
    assert part.states == len(WorkRecord(path, _identity(path)).results) == 5
    monkeypatch.setattr(resolve_subtrees, "resolve_subtree", resolve_subtree)
    found = cp.resolve(game, "cfr:10", stop=STOP, record=path, **asked)
    assert not found.interrupted
    assert (found.states, found.skipped, found.gap) == (whole.states, whole.skipped, whole.gap)
    np.testing.assert_array_equal(found.strategy.plan, whole.strategy.plan)
    interrupted(monkeypatch, 0)
    assert cp.resolve(game, "cfr:10", stop=STOP, record=path, **asked).after == whole.after


def _identity(path: Path) -> Any:
    """The work of which a file says that it is a record."""
    return json.loads(path.read_text().splitlines()[0])["work"]


def test_a_record_of_other_subgames_is_refused(kuhn: cp.GameTree, tmp_path: Path) -> None:
    path = tmp_path / "a.work"
    cp.resolve(kuhn, "cfr:10", "moves:1", stop=STOP, record=path)
    for blueprint, changed in (("cfr:11", {}), ("cfr:10", {"gadget": "max-margin"}), ("cfr:10", {"seat": 1})):
        with pytest.raises(ForeignRecordError):
            cp.resolve(kuhn, blueprint, "moves:1", stop=STOP, record=path, **changed)


@pytest.mark.parametrize("gadget", ["resolving", "path"])
def test_subgames_of_a_spot_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gadget: str) -> None:
    spot, path = cp.Spot("Ks 8h 8d 4c", "AKs,QJs", "QQ,JTs", 100, 100, "a", raises=1), tmp_path / "a.work"
    whole = cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget)
    interrupted(monkeypatch, 7)
    assert cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget, record=path).states == 7
    monkeypatch.setattr(resolve_subtrees, "resolve_subtree", resolve_subtree)
    found = cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget, record=path)
    assert found.after == whole.after
    with pytest.raises(InputError, match="takes no record"):
        cp.resolve(spot, "uniform", "round", gadget="full", record=path)


@pytest.mark.slow  # tests/contracts/test_worker_scheduling.py and tests/cli/test_cluster_commands.py start processes, too
@pytest.mark.parametrize("at", ["moves:1", ["moves:1", "moves:2"]], ids=["one place", "inside each other"])
def test_processes_change_no_bit(kuhn: cp.GameTree, at: Any) -> None:
    """Subgames inside others wait for them, in whatever process they are solved."""
    one, two = (cp.resolve(kuhn, "random:3", at, gadget="max-margin", stop=STOP, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(one.strategy.plan, two.strategy.plan)
    assert (one.states, one.skipped, one.gap, one.after) == (two.states, two.skipped, two.gap, two.after)


@pytest.mark.parametrize(
    ("gadget", "waves"), [("max-margin", [2, 1]), ("reach-max-margin", [1, 1, 1]), ("full", [1, 1, 1])]
)
def test_subgames_that_read_what_others_became_wait_for_them(kuhn: cp.GameTree, gadget: str, waves: list[int]) -> None:
    """Gifts and the full gadget read all plans; the others only those above."""
    subtrees = PlaceSubtrees(kuhn, [Place.of("moves:1"), Place.of("moves:2")], 0)
    known = BlueprintInputs.of(kuhn.subgame, cp.opponent(kuhn, "uniform", 0))
    work = SubtreeSolves(subtrees, known, ResolveSettings(LookAhead(gadget=gadget)), nested=True, seed=0)
    assert [len(wave.keys()) for wave in work.waves()] == waves


@pytest.mark.slow
@pytest.mark.parametrize("gadget", ["max-margin", "path"])
def test_processes_cut_the_subgames_of_a_spot_anew(tmp_path: Path, gadget: str) -> None:
    """Behind the path gadget each waits for those before it."""
    spot, path = cp.Spot("Ks 8h 8d 4c", "AKs,QJs", "QQ,JTs", 100, 100, "a", raises=1), tmp_path / "a.work"
    whole = cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget)
    found = cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget, workers=2, record=path)
    np.testing.assert_array_equal(whole.strategy.plan, found.strategy.plan)
    assert cp.resolve(spot, "uniform", "round", stop=STOP, gadget=gadget, record=path).after == whole.after


def test_a_game_goes_to_other_processes_by_its_text_or_its_rules(game_of: Any) -> None:
    leduc = game_of("leduc:merged=true")
    assert source_of(leduc) == "leduc:merged=true"
    again = pickle.loads(pickle.dumps(leduc))
    np.testing.assert_array_equal(again.histories.utility, leduc.histories.utility)
    other = cp.load(Renamed(cp.load("kuhn").rules))
    assert source_of(other) is other.rules


class Renamed:
    """Rules of another game than the one that their name belongs to."""

    name = "leduc"

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)


def test_rules_that_no_process_can_load_are_refused(kuhn: cp.GameTree) -> None:
    with pytest.raises(InputError, match="cannot be given to other processes"):
        cp.resolve(cp.load(Renamed(kuhn.rules)), "uniform", "moves:1", workers=2, stop=STOP)
