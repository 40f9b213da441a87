"""Manners of the page in Chromium: keys alone, a name for every control, no width that overflows, several tabs at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.browser import Player, asked

pytestmark = pytest.mark.browser
NAMELESS = """
  const words = (one) => one.labels?.length && one.labels[0].textContent.trim();
  const named = (one) => one.getAttribute("aria-label") || one.textContent.trim() || one.title || words(one);
  return [...document.querySelectorAll("input, select, textarea, button, a, [role=grid], [role=img], img")]
    .filter((one) => !named(one) && !one.alt).map((one) => one.outerHTML.slice(0, 120));
"""
MEANINGLESS = "return [...document.querySelectorAll('abbr')].filter((one) => !one.title || one.tabIndex !== 0).length"
WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(params=[(1280, 800), (820, 1180)], ids=["screen", "tablet"])
def sized(request: pytest.FixtureRequest, player: Player) -> Iterator[Player]:
    width, height = request.param
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    player.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield player
    player.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_every_view_fits_and_names_its_controls(sized: Player, spot: str, answer: str) -> None:
    for place, there in (
        ("#/build", "#size abbr"), (f"#/explore/{spot}?path=check", "#players"), (f"#/villain/{spot}", "#chips"),
        (f"#/answer/{answer}", "#changes table"), ("#/research", "#picture"), (f"#/play?game={spot}", "#against option"),
        ("#/spots", "table"),
    ):  # fmt: skip
        sized.open(place)
        sized.wait(lambda there=there: sized.all(there))
        if "explore" in place:
            sized.find("#grid").send_keys(" ")
            sized.wait(lambda: sized.all("#hands table"))
        assert sized.run(WIDER) <= 0, place
        assert not sized.run(NAMELESS), place
        assert not sized.run(MEANINGLESS), place


def test_an_address_of_no_view_shows_the_first_one(player: Player, spot: str) -> None:
    """Also one that every object of JavaScript knows."""
    for name in ("constructor", "__proto__", "toString", "hasOwnProperty/x?y=1", "nothing"):
        player.open(f"#/{name}")
        player.wait(lambda: "nodes" in player.text("#size"))
        assert not player.find("#error").is_displayed(), name
    player.open(f"#/explore/{spot}?tab=constructor")
    player.wait(lambda: player.all("#players"))
    assert player.find("#tab-strategy").get_attribute("aria-selected") == "true"


def test_keys_alone_lead_through_the_page(player: Player, spot: str, answer: str) -> None:
    """Letters choose a view, digits an action; what had the focus has it after the view is drawn anew."""
    player.open(f"#/explore/{spot}")
    player.find("#tab-ev").send_keys(Keys.ENTER)
    player.wait(lambda: "tab=ev" in player.driver.current_url)
    assert player.driver.switch_to.active_element.get_attribute("id") == "tab-ev"
    player.driver.switch_to.active_element.send_keys("1")
    player.wait(lambda: "path=check" in player.driver.current_url)
    assert player.driver.switch_to.active_element.get_attribute("id") == "tab-ev"
    player.find("#act-0").send_keys(Keys.ENTER)  # the strip is reached by Tab
    player.wait(lambda: "path=check%2C+check" in player.driver.current_url)
    for key, view in (
        ("v", f"#/villain/{spot}"),
        ("b", "#/build"),
        ("g", "#/research"),
        ("p", "#/play"),
        ("s", "#/spots"),
    ):
        player.find("body").send_keys(key)
        player.wait(lambda view=view: view in player.driver.current_url)
    player.open(f"#/villain/{spot}")
    player.click("#add")
    player.find("body").send_keys("e")
    player.wait(lambda: player.all("#players"))
    player.find("body").send_keys("v")  # what was chosen is there again
    player.wait(lambda: player.all("#chips .chip"))
    player.find("body").send_keys("gb")  # who leaves a view before it is there does not see it later
    player.wait(lambda: player.all("#oop-grid"))
    player.wait(lambda: "nodes" in player.text("#size"))
    assert "#/build" in player.driver.current_url
    assert not player.all("#frontier")
    player.find("body").send_keys("?")
    assert player.find("#keys").is_displayed()
    player.find("#keys").send_keys(Keys.ESCAPE)
    player.wait(lambda: not player.find("#keys").is_displayed())
    player.open(f"#/answer/{answer}?risk=0")
    player.wait(lambda: player.all("#changes p"))
    before = player.text("#worth")
    player.find("#risk").send_keys(*[Keys.ARROW_RIGHT] * 30)
    player.wait(lambda: player.text("#worth") != before)


def test_tabs_have_spots_of_their_own_and_see_each_other_s_work(player: Player, address: str, spot: str) -> None:
    """A second tab shows what the first has begun, with its Stop, and says where the result is."""
    player.open("#/build?board=Qs+Jh+2h+7d&oop=random&ip=random&bets=50%25,a&exploitability=0.0001")
    player.wait(lambda: player.find("#solve").is_enabled() and "nodes" in player.text("#size"))
    player.find("#solve").click()
    player.wait(lambda: "iterations" in player.text("#jobs"))
    first = player.driver.current_window_handle
    player.driver.switch_to.new_window("tab")
    try:
        player.open(f"#/explore/{spot}")
        player.find("#players")
        player.wait(lambda: "iterations" in player.text("#jobs"))
        player.click(".stop")
        player.wait(lambda: "has ended: open it" in player.text("#jobs"), 120)
        assert f"#/explore/{spot}" in player.driver.current_url
        player.click(".job a")
        target = asked(address, "jobs")[0]["target"]
        player.wait(lambda: f"#/explore/{target}" in player.driver.current_url and player.all("#players"))
    finally:
        player.driver.close()
        player.driver.switch_to.window(first)
    player.wait(lambda: "#/explore/" in player.driver.current_url)  # the first tab has its spot, too
