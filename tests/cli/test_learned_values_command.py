"""Learning values through the command line, in a game that is not in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterplay.networks.value_network import load_public_network
from tests.support.commands import Runner

SMALL = "--depth 1 --samples 100 --asked 40 --rounds 1 --largest 3000 --epochs 2 --width 16 --layers 1 --solver cfr+:50"


@pytest.mark.slow
def test_values_of_a_game_that_is_not_in_memory_are_learned(run: Runner, tmp_path: Path) -> None:
    """Where memory ends the rules' numbers of public states take over; with the record a second run writes the same."""
    pytest.importorskip("torch")
    record, output = tmp_path / "dice.work", tmp_path / "dice.cpn"
    words = ["learn", "value", "liars_dice:1,6", "--memory", "0.0001", *SMALL.split(), "--record", str(record)]
    first, again = (run(*words, "-o", str(output), "--json") for _ in range(2))
    assert first.code == again.code == 0, first.err
    assert first.json["samples"] >= 100
    assert first.json == again.json
    assert load_public_network(output).game == "liars_dice:1,6"
