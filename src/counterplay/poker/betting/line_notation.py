"""Betting lines as protocols and hand histories write them, replayed by the rules; and lines in a tree of few sizes.

Two notations are known. The Annual Computer Poker Competition writes `r300c/cr900`: `c` checks or calls, and the amount of a
raise counts all chips of the hand; in limit games `r` has none. Slumbot writes `b300c/kb600`: `k` checks, `c` calls, and an
amount counts the chips of the street. Streets are split by `/`. After an all-in that was called, the streets that are dealt
without betting may be written or left out: `b20000c` and `b20000c///` are the same line.

In a tree each step becomes one of its actions (Ganzfried and Sandholm 2013). Bets are mapped to the sizes around them at
random, by the pseudo-harmonic mapping; in lines the likelier size is taken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, all_in, fold, legal, pot, start
from counterplay.poker.betting.tree import BettingTree

_STEP = re.compile(r"([a-z/])(\d+(?:\.\d+)?)?")
_STREET = "/"


@dataclass(frozen=True)
class LineNotation:
    """The letters of a notation, and what the amount of a raise counts. name: for messages. check, call, raises:
    letters; a fold is `f` everywhere. whole_hand: whether amounts count the chips of the hand; else those of the
    street."""

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
    """The action of a letter and an amount; None if it is unknown, or the amount is missing, superfluous, or not a whole
    number of units."""
    if letter == _STREET:
        return Action(Move.DEAL) if amount is None and state.kind is Kind.DEAL else None
    if state.kind > Kind.PLAYER1:
        return None
    can = legal(rules, state)
    if letter == notation.raises:
        if not can.most:
            return None
        if rules.bets is not None and notation.whole_hand:
            to = can.least
            exact = amount is None
        else:
            chips = float(amount or "inf")
            if not isfinite(chips / rules.unit):
                return None
            units = round(chips / rules.unit)
            exact = abs(units * rules.unit - chips) < 1e-9 * max(1.0, chips)
            to = units - (state.base if notation.whole_hand else 0)
        return Action(Move.RAISE if max(state.put) > state.base else Move.BET, to) if exact else None
    if amount is not None:
        return None
    if letter == "f" and can.fold:
        return Action(Move.FOLD)
    expected = notation.call if can.call else notation.check
    return Action(Move.CALL if can.call else Move.CHECK) if letter == expected else None


_NEAR = 0.02
"""The difference of two bets, as shares of the pot, below which they are the same."""
_PASSIVE = (Move.CHECK, Move.CALL)


def lower_probability(below: float, above: float, size: float) -> float:
    """The probability with which a bet is mapped to the smaller of the two sizes around it. below, above: the sizes A <
    B of the tree, as shares of the pot.

    The pseudo-harmonic mapping of Ganzfried and Sandholm (2013): (B - x)(1 + A) / ((B - A)(1 + x))."""
    return (above - size) * (1.0 + below) / ((above - below) * (1.0 + size))


def raise_share(tree: BettingTree, child: int) -> float:
    """The chips that a bet or raise of a tree adds to a call, as a share of the pot after the call."""
    above = int(tree.parent[child])
    mover = int(tree.kind[above])
    level = float(tree.committed[above].max())
    pot = float(tree.pot[above]) + level - float(tree.committed[above, mover])
    return (float(tree.committed[child, mover]) - level) / pot


def real_share(rules: BettingRules, state: BettingState, to: int) -> float:
    """The part of a bet or raise beyond the call, as a share of the pot after the call; `to` in units of the street."""
    return (state.base + to - max(state.put)) / (pot(rules, state) + legal(rules, state).call)


def translate_raise(tree: BettingTree, node: int, share: float, *, all_in: bool, draws: random.Random) -> int | None:
    """The child of a node that a bet or raise of any size is mapped to. Return the child; None if the tree has no bet or
    raise at the node. share: chips that the bet adds to a call, as a share of the pot after the call.

    A size outside those of the tree becomes the nearest; an all-in becomes the all-in of the tree, or its largest raise.
    """
    raises = [child for child in tree.children(node) if tree.move[child] >= Move.BET]
    if not raises:
        return None
    shares = [raise_share(tree, child) for child in raises]
    if all_in or share >= shares[-1]:
        return raises[-1]
    if share <= shares[0]:
        return raises[0]
    above = int(np.searchsorted(shares, share, side="right"))
    lower = lower_probability(shares[above - 1], shares[above], share)
    return raises[above - 1] if draws.random() < lower else raises[above]


class TranslatedStep(NamedTuple):
    """A real step in a tree. node, child: of the tree, before and after the step; None where the tree has no such
    action. share: chips that a bet or raise adds to a call, as a share of the pot after the call; None for other steps.
    mapped: whether the tree has another size than the one that was bet."""

    node: int
    child: int | None
    share: float | None = None
    mapped: bool = False


class _Likelier(random.Random):
    """Draws that take the likelier of two."""

    def random(self) -> float:
        return 0.5


def translate_step(tree: BettingTree, node: int, step: Step, rules: BettingRules) -> TranslatedStep:
    """A real step at a node of the tree. rules: of the real hand."""
    state, (move, to) = step
    children = tree.children(node)
    if not children or tree.kind[node] != state.kind:
        return TranslatedStep(node, None)
    if move is Move.DEAL:
        return TranslatedStep(node, children[0])
    if move is Move.FOLD:
        return TranslatedStep(node, next((child for child in children if tree.move[child] == Move.FOLD), None))
    if move in _PASSIVE:
        return TranslatedStep(node, next(child for child in children if tree.move[child] in _PASSIVE))
    share, whole = real_share(rules, state, to), to >= all_in(rules, state)
    found = translate_raise(tree, node, share, all_in=whole, draws=_Likelier())
    return TranslatedStep(
        node, found, share, found is not None and not whole and abs(raise_share(tree, found) - share) > _NEAR
    )


def translate_line(
    tree: BettingTree, steps: Iterable[Step], rules: BettingRules, node: int = 0
) -> Iterator[TranslatedStep]:
    """A real line in a tree from a node on, up to the step that the tree does not have, which is given, too."""
    for step in steps:
        found = translate_step(tree, node, step, rules)
        yield found
        if found.child is None:
            return
        node = found.child


def translate_street(tree: BettingTree, steps: Iterable[Step], rules: BettingRules) -> Iterator[TranslatedStep]:
    """The betting of one street in a tree that begins at any time: from its first decision after calls and checks alone.

    Sizes are shares of the pot, so that the pots of hand and tree need not be the same."""
    node, steps = 0, list(steps)
    while steps and tree.children(node) and int(tree.street[node]) < steps[0].state.street:
        node = next((c for c in tree.children(node) if tree.move[c] in (*_PASSIVE, Move.DEAL)), tree.nodes - 1)
    if steps and int(tree.street[node]) == steps[0].state.street:
        yield from translate_line(tree, steps, rules, node)
