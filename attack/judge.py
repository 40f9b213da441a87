"""What a command may do: the manners that every run is held to, whatever the command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from attack.program import INTERRUPTED, Ran, is_plain

LONGEST = 1020
"""Characters that the sentence of an error may have."""
_NOTES = 12
"""Lines that may stand on stderr beside it: what is announced."""
_NO_NUMBER = re.compile(r"(?<![\w.%-])[-+]?(nan|inf|infinity)(?![\w.])", re.IGNORECASE)
_NUMERIC = {"--p", "--alpha", "--epsilon", "--pot", "--seconds", "--exploitability", "--memory", "--rake", "--error"}
_VALUED = _NUMERIC | {"--hands", "--iterations", "--points", "--seed", "--threads"}


def problems_of(ran: Ran) -> list[str]:
    """What is wrong with a run, a sentence each."""
    return [problem for rule in _RULES for problem in rule(ran)]


def _no_traceback(ran: Ran) -> list[str]:
    if ran.raised:
        return [f"traceback: {ran.raised}"]
    shown = [text for text in (ran.out, ran.err) if "Traceback (most recent call last)" in text]
    return [f"traceback: {text.strip().splitlines()[-1][:200]}" for text in shown]


def _exit_code(ran: Ran) -> list[str]:
    if ran.raised:
        return []  # said already
    allowed = (0, 2, INTERRUPTED) if ran.interrupted else (0, 2)
    return [] if ran.code in allowed else [f"exit code {ran.code}"]


def _one_sentence(ran: Ran) -> list[str]:
    """Exit code 2: one line that begins with the program's name, after what was announced; without words, the help."""
    if ran.code != 2 or ran.raised:
        return []
    if not ran.words:
        return _plain(ran.err, 4 * LONGEST)
    lines = ran.err.splitlines()
    said = [i for i, line in enumerate(lines) if line.startswith("counterplay: ")]
    if len(said) != 1:
        return [f"exit code 2 with {len(said)} lines of error: {ran.err[:200]!r}"]
    if said[0] != len(lines) - 1:
        return [f"exit code 2 with an error of several lines: {ran.err[-300:]!r}"]
    return _plain(lines[-1], LONGEST) + _announced(lines[:-1])


def _plain(text: str, longest: int) -> list[str]:
    found = []
    if len(text) > longest:
        found.append(f"an error of {len(text)} characters: {text[:120]!r}")
    if not is_plain(text):
        found.append(f"control characters in an error: {text[:120]!r}")
    return found


def _announced(lines: list[str]) -> list[str]:
    if len(lines) > _NOTES or any(len(line) > LONGEST or not is_plain(line) for line in lines):
        return [f"{len(lines)} lines on stderr: {lines[0][:120]!r}"]
    wrong = [line for line in lines if re.search(r"Warning:|Exception|Error\b", line)]
    return [f"on stderr: {line[:200]!r}" for line in wrong[:1]]


def _said_beside(ran: Ran) -> list[str]:
    """Exit code 0: nothing on stderr but what is announced."""
    if ran.code not in (0, INTERRUPTED) or ran.raised:
        return []
    return _announced(ran.err.splitlines())


def _nothing_half(ran: Ran) -> list[str]:
    """Exit code 2: nothing on stdout but sizes; with --json nothing at all."""
    if ran.code != 2 or ran.raised or ran.words[:1] == ("play",):
        return []
    if "--json" in ran.words and ran.out:
        return [f"exit code 2, and on stdout {ran.out[:80]!r}"]
    rest = [line for line in ran.out.splitlines() if not re.search(r"GiB|KiB|MiB|nodes|hands", line)]
    return [f"exit code 2, and on stdout {rest[0][:80]!r}"] if rest and not ran.out.startswith("Usage") else []


def _no_nan(ran: Ran) -> list[str]:
    """No NaN in what is printed, and none taken for a number."""
    if ran.code != 0:
        return []
    given = " ".join(ran.words)
    found = [m.group(0) for m in _NO_NUMBER.finditer(ran.out) if m.group(0).lstrip("+-").lower() not in given.lower()]
    last = {name: value for name, value in zip(ran.words, ran.words[1:], strict=False) if name in _NUMERIC}
    last |= {
        name: value for name, _, value in (word.partition("=") for word in ran.words) if name in _NUMERIC and value
    }
    taken = [name for name, value in last.items() if value == "nan"]
    return [f"{word} on stdout" for word in found[:1]] + [f"{name} nan was taken" for name in taken[:1]]


def _json(ran: Ran) -> list[str]:
    """With --json one document and nothing else, and no number that JSON does not have."""
    if (
        ran.code != 0
        or "--json" not in ran.words
        or ran.words[ran.words.index("--json") - 1] in _VALUED  # it is that option's value, and overridden
        or "-h" in ran.words
        or "--help" in ran.words
        or "--version" in ran.words
    ):
        return []
    try:
        document = json.loads(ran.out, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return [f"--json is no JSON: {error} in {ran.out[:80]!r}"]
    return [] if isinstance(document, dict | list) else ["--json is no object"]


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


_RULES: tuple[Callable[[Ran], list[str]], ...] = (
    _no_traceback, _exit_code, _one_sentence, _said_beside, _nothing_half, _no_nan, _json,
)  # fmt: skip
