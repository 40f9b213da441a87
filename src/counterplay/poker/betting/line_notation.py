"""Betting lines as protocols and hand histories write them, replayed by the rules.

Two notations are known. The Annual Computer Poker Competition writes `r300c/cr900`: `c` checks or calls, and the amount of a
raise counts all chips of the hand; in limit games `r` has none. Slumbot writes `b300c/kb600`: `k` checks, `c` calls, and an
amount counts the chips of the street. Streets are split by `/`. After an all-in that was called, the streets that are dealt
without betting may be written or left out: `b20000c` and `b20000c///` are the same line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, fold, legal, start

_STEP = re.compile(r"([a-z/])(\d+(?:\.\d+)?)?")
_STREET = "/"


@dataclass(frozen=True)
class LineNotation:
    """The letters of a notation, and what the amount of a raise counts.

    Attributes:
        name: for messages.
        check, call, raises: letters; a fold is `f` everywhere.
        whole_hand: whether amounts count the chips of the hand; else those of the street.
    """

    name: str
    check: str
    call: str
    raises: str
    whole_hand: bool


ACPC = LineNotation("ACPC", "c", "c", "r", whole_hand=True)
SLUMBOT = LineNotation("Slumbot", "k", "c", "b", whole_hand=False)


class Step(NamedTuple):
    """A state and the action of its player, or the deal of a street."""

    state: BettingState
    action: Action


class BettingLine(NamedTuple):
    """A line, replayed. steps: in order. end: the state after the last."""

    steps: tuple[Step, ...]
    end: BettingState


def replay_line(
    rules: BettingRules, text: str, notation: LineNotation = ACPC, *, free_folds: bool = False
) -> BettingLine:
    """The steps of a line, replayed by the rules."""
    state, steps, at = start(rules), [], 0
    for match in _STEP.finditer(text):
        if match.start() != at:
            break
        at = match.end()
        if match[1] == _STREET and match[2] is None and state.kind is Kind.SHOWDOWN and state.street < rules.last:
            state = state._replace(street=state.street + 1)
            continue
        if match[0] == "f" and free_folds and state.kind <= Kind.PLAYER1:
            steps.append(Step(state, Action(Move.FOLD)))
            state = fold(rules, state, free=True)
            continue
        action = _read_action(rules, state, match[1], match[2], notation)
        if action is None:
            raise InputError(f"{notation.name} line {quoted(text)}: {quoted(match[0])} is not a legal action there")
        steps.append(Step(state, action))
        try:
            state = act(rules, state, action)
        except InputError as error:
            raise InputError(f"{notation.name} line {quoted(text)}: {quoted(match[0])}: {error}") from None
    if at < len(text):
        raise InputError(f"{notation.name} line {quoted(text)}: cannot read {quoted(text[at:])}")
    return BettingLine(tuple(steps), state)


def write_action(rules: BettingRules, state: BettingState, action: Action, notation: LineNotation = ACPC) -> str:
    """An action in a notation."""
    if action.move is Move.DEAL:
        return _STREET
    if action.move is Move.FOLD:
        return "f"
    if action.move in (Move.CHECK, Move.CALL):
        return notation.call if legal(rules, state).call else notation.check
    if rules.bets is not None and notation.whole_hand:
        return notation.raises
    return f"{notation.raises}{rules.chips(action.to + (state.base if notation.whole_hand else 0)):.12g}"


def _read_action(
    rules: BettingRules, state: BettingState, letter: str, amount: str | None, notation: LineNotation
) -> Action | None:
    """The action of a letter and an amount; None if it is unknown, or the amount is missing or superfluous."""
    if letter == _STREET:
        return Action(Move.DEAL) if amount is None and state.kind is Kind.DEAL else None
    if state.kind > Kind.PLAYER1:
        return None
    can = legal(rules, state)
    if letter == notation.raises:
        to = _raise_to(rules, state, amount, notation) if can.most else None
        return None if to is None else Action(Move.RAISE if max(state.put) > state.base else Move.BET, to)
    if amount is not None:
        return None
    if letter == "f" and can.fold:
        return Action(Move.FOLD)
    expected = notation.call if can.call else notation.check
    return Action(Move.CALL if can.call else Move.CHECK) if letter == expected else None


def _raise_to(rules: BettingRules, state: BettingState, amount: str | None, notation: LineNotation) -> int | None:
    """The amount of a raise in units of the street; None if it is not a whole number of units."""
    if rules.bets is not None and notation.whole_hand:
        return legal(rules, state).least if amount is None else None
    if amount is None:
        return None
    if not isfinite(float(amount) / rules.unit):
        return None
    units = round(float(amount) / rules.unit)
    exact = abs(units * rules.unit - float(amount)) < 1e-9 * max(1.0, float(amount))
    return units - (state.base if notation.whole_hand else 0) if exact else None
