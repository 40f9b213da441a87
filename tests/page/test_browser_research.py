"""Hands behind a number, gadgets and tables of papers in Chromium, beside what the library says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.about import version
from counterplay.blueprints.gadget_drawing import draw_gadget
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.villain.villain_card import hand_steps, hands_behind, report_villain
from counterplay.poker.spots.solution import load_spot
from tests.support.browser import Player, asked

pytestmark = pytest.mark.browser
GAME = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=4"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hands") / "session.jsonl"
    command = f"match {GAME} random:3 random:4 --hands 200 --log {path} --seed 5"
    subprocess.run([sys.executable, "-m", "counterplay", *command.split()], check=True, capture_output=True)
    return path


def test_a_number_of_the_card_opens_its_hands_step_by_step(player: Player, folder: Path, spot: str, log: Path) -> None:
    player.open(f"#/villain/{spot}")
    player.find("#file").send_keys(str(log))
    player.find("#coverage")
    hands = read_hands([log]).holdem
    name = player.find("#player").get_attribute("value")
    report = report_villain(hands, name, solved=load_spot(folder / f"{spot}.spot"), seat=1)
    shown = player.text("#coverage")
    for one in report.coverage.places:
        assert f"{one.place} {one.n} {100 * (one.share or 0.0):.0f} % {one.basis}" in shown, shown
    for size in report.sizes:
        assert f"{size.facts['street']} {size.kind}" in player.text("#sizes")
    row = next(one for one in report.card.rows if one.name == "fold to c-bet flop")
    button = next(one for one in player.all("#card button.link") if one.get_attribute("title").endswith(row.name))
    assert button.text == f"{row.counted.k} / {row.counted.n}"
    button.click()
    player.find("#replay")
    behind = hands_behind(hands, name, row.name)
    assert f"{row.name}: {row.counted.k} of {row.counted.n}" in player.text("#replay")
    assert len(player.all("#hand option")) == len(behind.decisions) > 3
    first, told = behind.decisions[0], hand_steps(behind.decisions[0].hand)
    assert f"→ {told['steps'][first.step]['action']}" in player.text("#felt")
    from selenium.webdriver.common.keys import Keys

    replay = player.find("#replay")
    for _ in range(first.step):
        replay.send_keys(Keys.ARROW_LEFT)
    assert f"→ {told['steps'][0]['action']}" in player.text("#felt")
    assert "before the flop" in player.text("#felt")
    replay.send_keys(Keys.ARROW_DOWN)
    second = hand_steps(behind.decisions[1].hand)["steps"][behind.decisions[1].step]
    assert f"→ {second['action']}" in player.text("#felt")
    address = player.driver.current_url
    player.open(f"#{address.partition('#')[2]}")  # it opens the same hands again
    player.wait(lambda: f"{row.name}: {row.counted.k} of {row.counted.n}" in player.text("#replay"))


def test_a_gadget_is_drawn_with_its_roots_and_payoffs(player: Player) -> None:
    drawn = draw_gadget(cp.load("leduc"), "cfr:10", "round", 2, gadget="resolving", solver="lp")
    player.open("#/research?game=leduc&subgame=2")
    player.click("#draw-gadget")
    player.wait(lambda: f"subgame 2 of {drawn.subgames}" in player.text("#gadget-drawing"))
    rows = [row.text.split() for row in player.all("#roots tbody tr")]
    for root, cells in zip(drawn.roots, rows, strict=True):
        assert " ".join(cells[:3]) == root.name
        assert float(cells[-3]) == pytest.approx(root.before, rel=1e-3)
    assert len(player.all("svg.gadget rect.root")) == len(drawn.roots)
    assert len(player.all("svg.gadget rect.end")) == len(drawn.roots)  # each may leave
    assert "--subgame 2" in player.text("body")


def test_methods_meet_several_models(player: Player) -> None:
    player.open("#/research?game=kuhn&model=random:1;uniform&methods=rnr,br")
    player.click("#draw")
    player.wait(lambda: player.all("#matrix") and "…" not in player.text("#matrix") and not player.text("#jobs"))
    game = cp.load("kuhn")
    for model in ("random:1", "uniform"):
        best = max(one.gain for one in cp.frontier(game, cp.opponent(game, model), ("br",)))
        assert f"{best:.3f} (" in player.text("#matrix")


def test_a_table_of_a_paper_is_computed_and_shown_with_its_picture(player: Player, address: str) -> None:
    player.open("#/research?paper=rps")
    drawn = lambda: player.all("#picture") and player.find("#picture").get_property("naturalWidth") > 100  # noqa: E731
    player.wait(drawn, 120)  # at once: the numbers come with the package
    assert f"as counterplay {version()} computed it." in player.text("#origin")
    assert len(player.all("#table-of-paper tbody tr")) > 10
    player.click("#reproduce")
    player.wait(lambda: "Computed here" in player.text("#origin"), 120)
    player.wait(drawn, 120)
    found = asked(address, "reproductions/rps")
    compared = [one for one in found["results"] if one["reference"] is not None]
    assert len(player.all("table.paper tbody tr")) == len(compared)
    assert "References, following from the text: 1 of 2 agree" in player.text("#table-of-paper")
    assert found["command"] in player.text("#table-of-paper")


def test_a_player_of_hands_is_answered_and_played(player: Player, spot: str, tmp_path: Path) -> None:
    """Histories, villain, answer, table: one way through the page."""
    board = "'d db 9h7d3h', 'p1 cc', 'p2 cc', 'd db 2c', 'p1 cc', 'p2 cc', 'd db Ks'"
    hands = [
        f"""[{k + 1}]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [1000, 1000]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 100', 'p1 cc', {board}, 'p1 cbr 100', '{"p2 cc" if k % 10 else "p2 f"}']
players = ['anna', 'bob']
"""
        for k in range(60)
    ]
    file = tmp_path / "river.phhs"
    file.write_text("\n".join(hands))
    player.open(f"#/villain/{spot}?player=bob")
    player.find("#file").send_keys(str(file))
    player.wait(lambda: player.all("#coverage"))
    player.run(
        "const one = document.getElementById('player'); one.value = 'bob'; one.dispatchEvent(new Event('change'));"
    )
    player.wait(lambda: "--player bob" in player.text("#villain-command"))
    player.click("#answer-player")
    player.wait(lambda: "#/answer/" in player.driver.current_url and "wins at least" in player.text("#worth"), 120)
    assert "bob as ip" in player.text("#villain")
    assert "6 / 60" in player.text("#villain")
    player.wait(lambda: "--villain" in player.text("#answer-command"))
    answer = player.driver.current_url.partition("#/answer/")[2].partition("?")[0]
    player.open(f"#/play?game={spot}&against=villain:{answer}&seat=0")
    player.click("#sit")
    player.wait(lambda: player.all("#table [data-key]"))
