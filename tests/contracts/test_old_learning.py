"""Learned networks and records of learning that an earlier version wrote are read, and their samples are drawn again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay.learning.learn_public_value import PublicSettings, PublicValues
from counterplay.learning.learn_river import RiverValues
from counterplay.learning.learn_value import BorderValues
from counterplay.learning.recipe import Recipe, stage
from counterplay.learning.settings import RiverSettings, ValueSettings
from counterplay.networks.policy_network import load_hand_policy
from counterplay.work.work_record import WorkRecord

FILES = Path(__file__).parents[1] / "files"
_SIZES: dict[str, Any] = {"width": 8, "layers": 1}
RECIPES = {
    "values": BorderValues(ValueSettings("kuhn", "1", samples=100, asked=60, solver="cfr+:50", epochs=3, **_SIZES)),
    "public-values": PublicValues(
        PublicSettings("leduc:2,2,cap=1", "round", samples=40, asked=12, solver="cfr+:50", epochs=3, **_SIZES)
    ),
    "river-values": RiverValues(
        RiverSettings("100%", deck="T", rivers=10, asked=0, solver="dcfr:20", knots=6, epochs=2, **_SIZES)
    ),
}


@pytest.mark.parametrize(
    ("name", "piece", "key"),
    [("values", 60, "samples 1"), ("public-values", 30, "samples 2"), ("river-values", 6, "rivers 1")],
)
def test_records_go_on_with_the_samples_of_their_seed(
    name: str, piece: int, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe: Recipe = RECIPES[name]
    monkeypatch.setattr(type(recipe), "piece", piece)
    path = tmp_path / "old.work"
    path.write_bytes((FILES / f"{name}.work").read_bytes())
    work = stage(recipe)
    kept = WorkRecord(path, work.identity()).results
    assert list(kept) == [key]
    assert key in list(work.keys())
    again = work.compute(key)
    assert set(again) == set(kept[key])
    for array, values in again.items():
        assert values.dtype == kept[key][array].dtype
        np.testing.assert_allclose(values, kept[key][array], atol=1e-6)


def test_networks_of_a_whole_game_are_read() -> None:
    policy = load_hand_policy(FILES / "hands.cpn")
    assert [len(nets) for nets in policy.networks] == [3, 3]
    assert policy.about["boards"] == 1
