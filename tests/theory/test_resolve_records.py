"""Subgames of a blueprint as a record of work: what is solved is kept, and a later call goes on to the same strategy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.blueprints import subtree_solves
from counterplay.errors import InputError
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.work.work_record import ForeignRecordError, WorkRecord

STOP = cp.Stop(iterations=20)
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

    monkeypatch.setattr(subtree_solves, "resolve_subtree", solve)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_solved_is_not_solved_again(
    game_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Cut short twice and gone on with, it is the strategy of one call, to the last bit."""
    game, path, asked = game_of("leduc:merged=true"), tmp_path / "a.work", dict(ASKED[name])
    whole = cp.resolve(game, "cfr:10", stop=STOP, **asked)
    for after in (3, 2):
        interrupted(monkeypatch, after)
        part = cp.resolve(game, "cfr:10", stop=STOP, record=path, **asked)
        assert part.interrupted
    assert part.states == len(WorkRecord(path, _identity(path)).results) == 5
    monkeypatch.setattr(subtree_solves, "resolve_subtree", resolve_subtree)
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


def test_subgames_of_a_spot_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spot, path = cp.Spot("Ks 8h 8d 4c", "AKs,QJs", "QQ,JTs", 100, 100, "a", raises=1), tmp_path / "a.work"
    whole = cp.resolve(spot, "uniform", "round", stop=STOP)
    interrupted(monkeypatch, 7)
    assert cp.resolve(spot, "uniform", "round", stop=STOP, record=path).states == 7
    monkeypatch.setattr(subtree_solves, "resolve_subtree", resolve_subtree)
    found = cp.resolve(spot, "uniform", "round", stop=STOP, record=path)
    assert found.after == whole.after
    with pytest.raises(InputError, match="takes no record"):
        cp.resolve(spot, "uniform", "round", gadget="full", record=path)
