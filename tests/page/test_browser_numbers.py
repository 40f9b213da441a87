"""Numbers in the views beside the library's: EV of each action, the grid of differences, minimisers, gadgets of spots."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay.blueprints.gadget_drawing import draw_gadget
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.ranges.grid import cells
from counterplay.poker.spots.solution import load_spot
from tests.support.browser import Player, asked

pytestmark = pytest.mark.browser
SIGNS = str.maketrans("♠♥♦♣", "shdc")
TURN = "#/build?board=Ks+8h+8d+4c&oop=KK,QJs,T9s,76s&ip=AA,TT,A8s,JTs&pot=100&stack=100&bets=a&exploitability=0.2"


def test_hands_of_a_class_have_the_ev_of_each_action(player: Player, folder: Path, spot: str) -> None:
    solved = load_spot(folder / f"{spot}.spot")
    node = solved.node("check")
    player.open(f"#/explore/{spot}?path=check")
    player.find("#grid").send_keys(" ")
    player.wait(lambda: player.all("#hands tbody tr"))
    shown = {row.text.split()[0].translate(SIGNS): row for row in player.all("#hands tbody tr")}
    deck = solved.spot.deck
    here = [k for k in np.flatnonzero(node.ranges[1] > 0.0).tolist() if cells(deck)[k] == 0]
    assert sorted(shown) == sorted(hand_text(deck.hands[k]) for k in here)
    for k in here:
        values = [float(one.text) for one in shown[hand_text(deck.hands[k])].find_elements("css selector", "small")]
        assert values == pytest.approx(node.action_values[k].tolist(), abs=0.06)


def test_the_grid_of_differences_is_the_answer_s_less_the_equilibrium_s(
    player: Player, address: str, answer: str
) -> None:
    seen = asked(address, f"answers/{answer}/node")
    before, after = (np.array(one["masses"], float) for one in (seen["equilibrium"], seen["corners"][-1]))
    moved = np.abs(after.sum(axis=0) / after.sum() - before.sum(axis=0) / before.sum())
    action = int(moved.argmax())
    with np.errstate(invalid="ignore"):
        points = 100.0 * (after[:, action] / after.sum(axis=1) - before[:, action] / before.sum(axis=1))
    player.open(f"#/answer/{answer}?risk=1e9")
    player.wait(lambda: player.all("#changes table"))
    script = """
        const grid = [...document.querySelectorAll("svg.grid")].at(-1);
        return [...grid.querySelectorAll("text.number")].map((one) => one.textContent);
    """
    told = player.run(script)
    for exact, text in zip(points, told, strict=True):
        assert (text == "") if np.isnan(exact) else abs(float(text) - exact) <= 0.51
    assert f"Change of {seen['actions'][action]['name']}" in player.text("#view")


def test_minimisers_are_drawn_to_the_library_s_exploitability(player: Player) -> None:
    player.open("#/research?game=kuhn&minimisers=cfr,cfr%2B&iterations=60")
    player.click("#compare")
    methods = ("cfr", "cfr+")

    def labels() -> list[str]:
        """Those of all marks, once the curves are drawn to their ends; marks that are drawn anew are read again."""
        told = [str(mark.get_attribute("aria-label")) for mark in player.all("#curves text.mark")]
        ends = (any(one.startswith(f"{method}: 60 iterations") for one in told) for method in methods)
        return told if all(ends) and not player.text("#jobs") else []

    told = player.wait(labels)
    for method in methods:
        exact = cp.solve(cp.load("kuhn"), solver=method, stop=cp.Stop(iterations=60)).facts["exploitability"]
        last = [one for one in told if one.startswith(f"{method}: 60 iterations")][-1]
        found = re.search(r"exploitability (\S+) chips", last)
        assert found
        assert float(found[1]) == pytest.approx(exact, rel=0.01)


def test_the_gadget_of_a_spot_is_drawn_from_explore(player: Player, folder: Path) -> None:
    """Of its roots those that are reached most are drawn; the numbers are the library's."""
    player.open(TURN)
    player.wait(lambda: player.text("#size").startswith("turn") and player.find("#solve").is_enabled())
    player.click("#solve")
    player.wait(lambda: "#/explore/" in player.driver.current_url and player.all("#players"), 240)
    found = re.search(r"#/explore/([0-9a-f]{16})", player.driver.current_url)
    assert found
    player.open(f"#/explore/{found[1]}?path=check, check, Ah")
    player.click("#view a[href*='#/research']")
    player.click("#draw-gadget")
    player.wait(lambda: player.all("#roots tbody tr") and not player.text("#jobs"), 240)
    drawn = draw_gadget(
        cp.load(folder / f"{found[1]}.spot"),
        "cfr:10",
        "round",
        gadget="resolving",
        only="check, check, Ah",
        solver="cfr+",
    )
    rows = {row.text.split()[0]: row.text.split() for row in player.all("#roots tbody tr")}
    assert len(rows) == len(drawn.roots) > 12
    for root in drawn.roots:
        if root.before is not None:
            assert float(rows[root.name][3]) == pytest.approx(root.before, rel=1e-3, abs=1e-3)
    assert len(player.all("svg.gadget rect.root")) == 12
    assert f"12 roots of {len(drawn.roots)}" in player.text("#left-out")
    commands = [one.text for one in player.all("code.command")]
    path = load_spot(folder / f"{found[1]}.spot").node("check, check, Ah").path
    assert any("counterplay gadget" in one and f"--only '{path}'" in one for one in commands), commands
