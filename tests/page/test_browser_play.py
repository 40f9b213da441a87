"""Tables of whole hold'em in Chromium: a hand is played, priced as the library prices it, and players come from files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from counterplay import agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.measure.running_result import reviewer_of
from counterplay.page.tables import _game_in
from tests.support.browser import Player, asked
from tests.support.page import TOY, TOY_HANDS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def toy(folder: Path) -> str:
    (folder / TOY.name).write_bytes(TOY.read_bytes())
    return TOY.name


def test_a_hand_of_whole_hold_em_is_played_and_priced(player: Player, address: str, toy: str) -> None:
    """By keys alone; the value of the best action is the library's best response to the blueprint, and the address opens the
    same table again."""
    player.open(f"#/play?game={toy}&against=blueprint&seat=0")
    player.find("#sit").send_keys("\n")
    player.play_a_hand()
    table = re.search(r"table=(\d+)", player.driver.current_url)
    assert table
    state = asked(address, f"tables/{table[1]}")
    ground = PlayableGame(_game_in(str(TOY)))
    reviewer = reviewer_of(ground, agent(ground, str(TOY), 1, 0), 0)
    decisions = state["last"]["decisions"]
    assert len(player.all("#last .decision")) == len(decisions) > 0
    assert reviewer.best is None or reviewer.best == reviewer.best  # the game is walked: prices are exact
    assert "exactly" in player.text("#last")
    for one, shown in zip(decisions, player.all("#last .decision"), strict=True):
        assert one["cost"] == pytest.approx(max(one["values"].values()) - one["values"][one["action"]], abs=1e-9)
        for name, value in one["values"].items():
            price = re.search(rf"[(,] ?{re.escape(name)} (-?[\d.]+)[,)]", shown.text)
            assert price
            assert float(price[1]) == pytest.approx(value, rel=5.1e-4, abs=5.1e-4)  # as many decimals as are shown
        assert sum(share for _, share in one["belief"]) == pytest.approx(1.0, abs=1e-3)
    assert f"{state['score']['hands']} hand" in player.text("#score")
    player.open(player.driver.current_url.partition("#")[1] + player.driver.current_url.partition("#")[2])
    player.wait(lambda: player.all("#last .decision") and player.all("#table [data-key]"))
    player.click("#leave")
    player.wait(lambda: not player.all("#table [data-key]"))


def test_a_player_of_dropped_hands_is_met_in_whole_hold_em(
    player: Player, address: str, toy: str, tmp_path: Path
) -> None:
    log = tmp_path / "session.jsonl"
    log.write_text(TOY_HANDS)
    player.open(f"#/play?game={toy}&against=blueprint")
    player.find("#player-file").send_keys(str(log))
    player.wait(lambda: "4 hands of 2 players" in player.text("#uploaded"))
    offered = {one["name"] for one in asked(address, "uploads")}
    chosen = player.find("#against").get_attribute("value")
    assert chosen in offered
    player.click("#sit")
    player.play_a_hand()
    state = asked(address, f"tables/{re.findall(r'table=([0-9]+)', player.driver.current_url)[-1]}")
    assert state["against"] == chosen
    player.click("#leave")


def test_a_blueprint_that_is_no_blueprint_is_refused_in_one_sentence(player: Player, tmp_path: Path) -> None:
    wrong = tmp_path / "x.cpb"
    wrong.write_text(json.dumps({}))
    player.open("#/play")
    player.find("#player-file").send_keys(str(wrong))
    player.wait(lambda: player.find("#error").is_displayed() and "blueprint" in player.text("#error"))
