"""Pictures of the page in headless Chromium: that of README, or of every view.

    python -m tests.page.pictures docs/page.png
    python -m tests.page.pictures --every out/pictures [VIEW...]

The second form takes each view at 1280 and at 820 pixels, light and dark, to be looked at.
"""

from __future__ import annotations

import argparse
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from tests.support.browser import Player, serving
from tests.support.page import TOY

PORT = 8643
RIVER = "#/build?big_blind=20&exploitability=0.1"
SIZES = ((1280, 800), (820, 1180))
LOOKS = ("light", "dark")
HANDS = Path(__file__).parents[2] / "examples" / "hands" / "heads_up.phhs"


def main() -> None:
    """Take what is asked for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("path", type=Path, help="a .png, or with --every a folder")
    asked.add_argument("--every", action="store_true", help="every view, in two sizes, light and dark")
    asked.add_argument("views", nargs="*", help="of --every, these alone")
    given = asked.parse_args()
    with TemporaryDirectory() as folder, serving(Path(folder), PORT) as address:
        (Path(folder) / TOY.name).write_bytes(TOY.read_bytes())
        player = Player(address)
        try:
            spot, answer = _solved(player), _answered(player)
            if given.every:
                _take_every(
                    player, given.path, {one: _views(spot, answer)[one] for one in given.views or _views(spot, answer)}
                )
            else:
                _take_answer(player, given.path, answer)
        finally:
            player.driver.quit()


def _solved(player: Player) -> str:
    """The name of the spot that the page begins with, solved."""
    player.open(RIVER)
    player.wait(lambda: "nodes" in player.text("#size") and player.find("#solve").is_enabled())
    player.click("#solve")
    player.wait(lambda: player.all("#players"))
    return _name(player, "explore")


def _answered(player: Player) -> str:
    """The name of the answer to the leak that is offered first."""
    player.open(f"#/villain/{_name(player, 'explore')}")
    player.click("#add")
    player.click("#answer")
    player.wait(lambda: player.all("#worth") and "wins at least" in player.text("#worth"))
    return _name(player, "answer")


def _name(player: Player, view: str) -> str:
    found = re.search(rf"#/{view}/([0-9a-f]{{16}})", player.driver.current_url)
    assert found
    return found[1]


def _take_answer(player: Player, path: Path, answer: str) -> None:
    """README's picture: the answer at 1 % of the pot, down to the grids."""
    _look(player, "light", 1200, 800)  # no more than this: below are paths of this machine
    player.open(f"#/answer/{answer}?risk=2")
    player.run("document.documentElement.style.overflow = 'hidden'")  # no bar at the side
    player.wait(lambda: player.all("#changes table"))
    _keep(path, b64decode(player.driver.get_screenshot_as_base64()))


def _take_every(player: Player, folder: Path, views: dict[str, tuple[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (place, begin) in views.items():
        for look in LOOKS:
            for width, height in SIZES:
                _look(player, look, width, height)
                player.open(place)
                begin(player)
                _keep(folder / f"{name}-{width}-{look}.png", b64decode(player.driver.get_screenshot_as_base64()))
                whole = player.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
                _keep(folder / f"{name}-{width}-{look}-whole.png", b64decode(whole["data"]))


def _views(spot: str, answer: str) -> dict[str, tuple[str, Any]]:
    """Where each view is, and what is done there first."""
    return {
        "build": ("#/build", lambda player: player.wait(lambda: "nodes" in player.text("#size"))),
        "explore": (f"#/explore/{spot}?path=check", _choose_class),
        "villain": (f"#/villain/{spot}?leaks=on+river+facing+a+bet%3A+fold+%2B15%25", lambda player: player.find("#chips")),
        "hands": (f"#/villain/{spot}", _drop_hands),
        "answer": (f"#/answer/{answer}?risk=2", lambda player: player.wait(lambda: player.all("#changes table"))),
        "research": ("#/research?subgame=2", _draw_games),
        "play": (f"#/play?game={spot}&against=nash", _play_hand),
        "whole": ("#/play?game=toy.cpb&against=blueprint", _play_hand),
        "spots": ("#/spots", lambda player: player.find("table")),
    }  # fmt: skip


def _choose_class(player: Player) -> None:
    player.find("#grid").send_keys(" ")
    player.wait(lambda: player.all("#hands table"))


def _drop_hands(player: Player) -> None:
    player.find("#file").send_keys(str(HANDS))
    player.wait(lambda: player.all("#coverage"))


def _draw_games(player: Player) -> None:
    for drawn, button in (
        ("#frontier svg", "#draw"),
        ("#curves svg", "#compare"),
        ("#gadget-drawing svg", "#draw-gadget"),
    ):
        player.click(button)
        player.wait(lambda drawn=drawn: player.all(drawn) and not player.text("#jobs"))


def _play_hand(player: Player) -> None:
    player.click("#sit")
    player.play_a_hand()


def _look(player: Player, look: str, width: int, height: int) -> None:
    """The window's inner size, and whether the page is light or dark."""
    player.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    player.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": look}]}
    )


def _keep(path: Path, picture: bytes) -> None:
    """Write a picture with a palette, as small as that makes it."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
