"""A browser on the page, driven as a player drives it."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any
from urllib.request import urlopen

import pytest

FIRST_VIEW = 3.0
"""Seconds to the first view."""
SLOWEST = 0.1
"""Seconds from a step of the slider to the redrawn grids, at the 95th percentile."""


class Player:
    """A browser on the page."""

    def __init__(self, address: str) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for word in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,800",
        ):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        chromium, driver = which("chromium") or which("google-chrome"), which("chromedriver")
        if not (chromium and driver):
            pytest.fail("the browser tests need chromium and chromedriver")
        options.binary_location = chromium
        self.driver, self.address = webdriver.Chrome(options=options, service=Service(driver)), address

    def open(self, place: str = "") -> None:
        """Open an address of the page anew."""
        self.driver.get("about:blank")
        self.driver.get(self.address + place)
        self.wait(lambda: self.driver.find_element("tag name", "body").get_attribute("data-ready") == "true")

    def find(self, selector: str) -> Any:
        return self.wait(lambda: self.driver.find_element("css selector", selector))

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def text(self, selector: str) -> str:
        return str(self.find(selector).text)

    def click(self, selector: str) -> None:
        """Click an element once it is there; one that is drawn anew meanwhile is found again."""

        def done() -> bool:
            self.find(selector).click()
            return True

        self.wait(done)

    def write(self, selector: str, text: str) -> None:
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def choose(self, selector: str, value: str) -> None:
        """Choose an entry of a list."""
        from selenium.webdriver.support.select import Select

        self.wait(lambda: value in {one.get_attribute("value") for one in self.all(f"{selector} option")})
        Select(self.find(selector)).select_by_value(value)

    def play_a_hand(self) -> None:
        """At a table take first actions, by their key, until a hand is over and its decisions are priced."""
        for _ in range(60):
            self.wait(lambda: self.all("#table [data-key='1']:enabled"))
            if self.all("#last .decision"):
                return
            self.find("body").send_keys("1")
            self.wait(lambda: not self.all("#table [data-key='1']:disabled"))
        raise AssertionError(self.text("#table"))

    def run(self, script: str, *given: Any) -> Any:
        return self.driver.execute_script(script, *given)

    def wait(self, condition: Callable[[], Any], seconds: float = 60.0) -> Any:
        """What a condition gives once it holds."""
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

        late = time.monotonic() + seconds
        while True:
            try:
                if found := condition():
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            assert time.monotonic() < late, self.text("body")[:2000]
            time.sleep(0.05)


@contextmanager
def serving(folder: Path, port: int | None = None) -> Iterator[str]:
    """The address of a page that is served from a folder until the end of the block, which Ctrl-C brings about.

    port: any free one by default.
    """
    if port is None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "counterplay",
        "page",
        "--no-browser",
        "--folder",
        str(folder),
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        line = server.stdout.readline()
        found = re.search(r"http://\S+/", line)
        assert found, line
        try:
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(20) == 0


def asked(address: str, path: str) -> Any:
    """What the server says."""
    with urlopen(f"{address}api/{path}") as answer:
        return json.load(answer)
