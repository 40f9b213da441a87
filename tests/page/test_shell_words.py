"""Commands that the page shows are one line, and a shell reads back what was meant."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import counterplay
from counterplay.display import shell_word
from counterplay.page.tasks import PlayerOfHands

WORDS = (
    "plain", "two words", "it's", "a\\b", "$(date) `x`", "", "*", "-o", "é♠", "\x1b[31mred", "two\nlines", "\r\t\x00"[:2],
    "it's\n\\x\x7f", "\u2028\u202e\x85", "🂡\n", "!x\n;rm",
)  # fmt: skip
SHELL = Path(counterplay.__file__).parent / "page" / "static" / "shell.js"
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")


def _read_back(words: list[str]) -> list[str]:
    for word in words:
        assert word.isprintable(), word
    script = f"printf '%s\\0' {' '.join(words)}"
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=environment)
    return ran.stdout.decode().split("\0")[:-1]


@needs_bash
def test_words_of_python_are_read_back_by_a_shell() -> None:
    assert _read_back([shell_word(word) for word in WORDS]) == list(WORDS)


@needs_bash
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_words_of_the_page_are_read_back_by_a_shell() -> None:
    module = SHELL.read_text() + f"\nconsole.log(JSON.stringify({json.dumps(WORDS)}.map(quoted)));"
    ran = subprocess.run(["node", "--input-type=module"], input=module, capture_output=True, text=True, check=True)
    assert _read_back(json.loads(ran.stdout)) == list(WORDS)


def test_a_player_with_control_characters_is_shown_in_one_line() -> None:
    options = PlayerOfHands(Path("a.phhs"), "bob\x1b[2J\nrm", 0).options
    assert options.isprintable()
