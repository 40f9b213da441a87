"""Turns and flops in Chromium: built, solved, explored by the cards to come, and answered; numbers beside the library's."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from counterplay.page.shelf import Shelf
from counterplay.page.views import mixed_answer
from counterplay.poker.cards.deck import card_text
from counterplay.poker.spots.solution import load_spot
from tests.support.browser import Player, asked

pytestmark = pytest.mark.browser
SPOTS = {
    "turn": {
        "board": "Qs Jh 2h 8d",
        "oop": "QQ,AQs,98s",
        "ip": "JJ,AJs,T9s",
        "pot": "100",
        "stack": "150",
        "bets": "50%,a",
    },
    "flop": {"board": "Ks 8h 4d", "oop": "KK,AKs", "ip": "88,QJs", "pot": "100", "stack": "60", "bets": "a"},
}
LINE = {"turn": "check, check", "flop": "check, check"}


@pytest.mark.parametrize("street", SPOTS)
def test_a_street_is_built_solved_explored_and_answered(
    player: Player, address: str, folder: Path, street: str
) -> None:
    player.open(f"#/build?{urlencode({**SPOTS[street], 'big_blind': '10', 'exploitability': '0.3'})}")
    player.wait(lambda: player.text("#size").startswith(street) and player.find("#solve").is_enabled())
    player.click("#solve")
    player.wait(lambda: "#/explore/" in player.driver.current_url and player.all("#players"), 240)
    found = re.search(r"#/explore/([0-9a-f]{16})", player.driver.current_url)
    assert found
    name, solved = found[1], load_spot(folder / f"{found[1]}.spot")
    assert solved.facts["exploitability_percent"] <= 0.3
    check_node(player, folder, name, "")
    check_cards_to_come(player, folder, name, LINE[street])
    answer_leaks(player, address, folder, name, street)


def check_node(player: Player, folder: Path, name: str, path: str) -> None:
    """EV, equity and frequencies of a node are the library's."""
    node = load_spot(folder / f"{name}.spot").node(path)
    shown = player.text("#players")
    for mean, share in zip(node.means, node.shares, strict=True):
        assert re.search(rf"EV {re.escape(chips(mean))} chips", shown), shown
        assert f"{mean / 10:.2f} bb" in shown
        assert f"{100 * share:.1f} %" in shown
    assert node.player is not None
    weights = node.ranges[node.player]
    held = weights > 0
    exact = (100 * weights[held] @ node.probabilities[held] / weights.sum()).tolist()
    told = [float(cell.text.rstrip(" %")) for cell in player.all("table.legend td:nth-child(2)")]
    assert told == pytest.approx(exact, abs=0.06)


def check_cards_to_come(player: Player, folder: Path, name: str, line: str) -> None:
    """Each card that may be dealt is listed with both EVs, and leads to its node."""
    solved = load_spot(folder / f"{name}.spot")
    player.open(f"#/explore/{name}?{urlencode({'path': line})}")
    player.wait(lambda: player.all("#deals a") and "…" not in player.text("#deals"), 120)
    rows = {link.get_attribute("data-card"): link.get_attribute("title") for link in player.all("#deals a")}
    left = [card_text(card) for card in solved.spot.deck.cards if card not in solved.spot.board]
    assert sorted(rows) == sorted(left)
    for card in left[:: len(left) // 5]:
        means = solved.node(f"{line}, {card}").means
        assert all(chips(mean) in rows[card] for mean in means), (card, means, rows[card])
    player.click(f"#deals a[data-card='{left[0]}']")
    player.wait(lambda: left[0] in player.driver.current_url and player.all("table.legend tr"))
    check_node(player, folder, name, f"{line}, {left[0]}")


def answer_leaks(player: Player, address: str, folder: Path, name: str, street: str) -> None:
    """The answer at the chosen risk says the library's gain and loss, and plays the library's mixture after a card."""
    player.open(f"#/villain/{name}?{urlencode({'leaks': f'on {street} facing a bet: fold +20%'})}")
    player.wait(lambda: player.find("#answer").is_enabled())
    player.click("#answer")
    player.wait(lambda: player.all("#worth") and "wins at least" in player.text("#worth"), 240)
    found = re.search(r"#/answer/([0-9a-f]{16})", player.driver.current_url)
    assert found
    facts = asked(address, f"answers/{found[1]}")
    most = 0.5 * facts["corners"][-1]["exploitability"]
    player.open(f"#/answer/{found[1]}?risk={most}")
    mixed = mixed_answer(Shelf(folder), found[1], most)[2]
    player.wait(lambda: f"wins at least {chips(mixed.gain)} chips" in player.text("#worth"))
    assert f"loses at most {chips(mixed.exploitability)} chips" in player.text("#worth")
    assert mixed.gain > 0.0
    answered = mixed_answer(Shelf(folder), found[1], most)[1].node("")
    held = answered.ranges[0] > 0
    weights = answered.ranges[0][held]
    exact = (100 * weights @ answered.probabilities[held] / weights.sum()).tolist()
    legend = "#grid-1 + div table.legend td:nth-child(2)"
    player.wait(lambda: len(player.all(legend)) == len(exact))
    assert [float(cell.text.rstrip(" %")) for cell in player.all(legend)] == pytest.approx(exact, abs=0.06)


def chips(number: float) -> str:
    """Chips as the page writes them."""
    return f"{number:.{1 if abs(number) >= 100 else 2 if abs(number) >= 10 else 3}f}"
