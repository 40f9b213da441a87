"""A second answer for what a command printed: gain, value and exploitability from the rules alone, by plain recursion."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.support import witness

SMALL = (
    "kuhn",
    "matrix:",
    "rps:1",
    "matching_pennies",
    "cdrnr_fig2",
    "ggse_fig1",
    "ses_matrix",
    "coin.efg",
    "hidden.efg",
    "liars_dice:1,2",
    "goofspiel:2",
)
"""Beginnings of the games that are small enough."""
_OFF = 1e-6


@cache
def _rules(spec: str) -> Any:
    from counterplay.gametree.compile.load import find_game

    return find_game(spec)


@cache
def _value(spec: str) -> float:
    return witness.value(_rules(spec))


@cache
def _span(spec: str) -> float:
    rules = _rules(spec)
    worths = [float(rules.utility(state)) for state in witness.states(rules) if rules.player(state) == witness.TERMINAL]
    return max(1e-9, max(worths) - min(worths))


def lies(command: str, spec: str, facts: dict[str, Any], path: Path) -> list[str]:
    """What the facts printed say of the strategy written that is not so."""
    if not spec.startswith(SMALL) or not path.exists():
        return []
    document, rules = json.loads(path.read_text()), _rules(spec)
    if command == "solve":
        return _of_equilibrium(rules, spec, facts, document.get("strategies"))
    if command in ("respond", "resolve") and isinstance(document.get("strategy"), dict):
        return _of_answer(rules, spec, facts, document["strategy"], int(document["seat"]))
    return []


def _of_equilibrium(rules: Any, spec: str, facts: dict[str, Any], tables: Any) -> list[str]:
    if not isinstance(tables, list):
        return ["solve wrote no two strategies"]
    first, second = (witness.best_response(rules, seat, tables[1 - seat])[0] for seat in (0, 1))
    value = witness.expected(rules, *tables)
    pairs = {"nash_conv": first + second, "exploitability": 0.5 * (first + second)}
    found = [_off(name, facts.get(name), number, _span(spec)) for name, number in pairs.items()]
    slack = first + second + _OFF * _span(spec)
    if not abs(value - _value(spec)) <= slack or not abs(facts["value"] - _value(spec)) <= slack:
        found.append(f"value {facts['value']}, and {_value(spec)} by the witness")
    return [one for one in found if one]


def _of_answer(rules: Any, spec: str, facts: dict[str, Any], table: Any, seat: int) -> list[str]:
    value = _value(spec) if seat == 0 else -_value(spec)
    exploitability = value + witness.best_response(rules, 1 - seat, table)[0]
    named = facts.get("exploitability", facts.get("after"))
    return [one for one in [_off("exploitability", named, exploitability, _span(spec))] if one]


def _off(name: str, said: Any, found: float, span: float) -> str:
    if isinstance(said, int | float) and abs(said - found) <= _OFF * span:
        return ""
    return f"{name} {said}, and {found} by the witness"
