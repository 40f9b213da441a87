"""Liar's dice: both roll in secret and raise bids on all dice together until one calls the other a liar."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.kernel_rules import start_empty as start  # noqa: F401 - one of the rules
from counterplay.games.spec_text import spec_of

# A state: dice of the players (0 = not rolled), the bids made (bit b - 1 for bid b), the last bid, the number of moves,
# and whether the game is over. Bids are numbered from 1 by quantity, then by face. Dice are unordered: a roll is the
# number whose digits in base dice + 1 count the faces, face 1 lowest.
ROLL, BIDS, LAST, MOVES, OVER, SIZE = 0, 2, 3, 4, 5, 6
FIELDS = ("roll 0", "roll 1", "bids", "last", "moves", "over")


class Rules(NamedTuple):
    """Parameters of liar's dice."""

    dice: int
    sides: int
    wild: int
    ends_at_top: int
    rolls: int
    top: int
    size: int
    branching: int
    depth: int


def make(dice: int = 1, sides: int = 4, *, wild: bool = True, top: str = "liar") -> FastGame:
    """Liar's dice with `dice` dice per player.

    The dice of one player are unordered: chance deals multisets, each with its multinomial probability.

    Args:
        dice: dice per player.
        sides: faces of a die.
        wild: the highest face counts as any face.
        top: after the highest possible bid, "liar" leaves the other player to call; "end" resolves the bid at once.
    """
    if not 1 <= dice <= 9 or sides < 2:
        raise InputError(f"liars_dice: dice must be between 1 and 9 and sides at least 2, not {dice} and {sides}")
    rolls, bids = (dice + 1) ** sides, 2 * dice * sides
    if rolls > 2**22 or bids > 62:
        raise InputError(f"liars_dice: {dice} dice of {sides} sides a player are too many; at most 5 of 6 or 1 of 22")
    if top not in ("liar", "end"):
        raise InputError(f"liars_dice: top must be 'liar' or 'end', not {quoted(top)}")
    branching = max(bids + 1, comb(dice + sides - 1, dice))
    rules = Rules(dice, sides, int(wild), int(top == "end"), rolls, bids, SIZE, branching, depth=bids + 4)
    return FastGame(spec_of("liars_dice", make, dice=dice, sides=sides, wild=wild, top=top), rules)


@rule
def player(rules: Any, state: State) -> int:
    if state[OVER]:
        return TERMINAL
    return CHANCE if state[ROLL + 1] == 0 else state[MOVES] & 1


@rule
def _ways(rules: Any, roll: int) -> float:
    """The number of orders in which the dice show this roll; 0 for a wrong number of dice."""
    left, ways = rules.dice, 1.0
    for _ in range(rules.sides):
        count = roll % (rules.dice + 1)
        roll //= rules.dice + 1
        for k in range(count):
            ways *= float(left - k) / float(k + 1)
        left -= count
    return ways if left == 0 else 0.0


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    n = 0
    if state[ROLL + 1] == 0:
        for roll in range(1, rules.rolls):
            ways = _ways(rules, roll)
            if ways > 0.0:
                out[n], chance[n] = roll, ways / float(rules.sides) ** rules.dice
                n += 1
        return n
    for bid in range(state[LAST] + 1, rules.top + 1):
        out[n] = bid
        n += 1
    if state[LAST]:
        out[n] = rules.top + 1  # "Liar"
        n += 1
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[ROLL + 1] == 0:
        seat = 0 if state[ROLL] == 0 else 1
        state[ROLL + seat] = action
        seen[seat] = action
        return
    seen[1 - (state[MOVES] & 1)] = action
    if action > rules.top:
        state[OVER] = 1
        return
    state[BIDS] |= 1 << (action - 1)
    state[LAST] = action
    state[MOVES] += 1
    if rules.ends_at_top and action == rules.top:
        state[OVER] = 1


@rule
def _count(rules: Any, roll: int, face: int) -> int:
    """Dice of a roll that show `face`, counted from 0."""
    base: int = rules.dice + 1
    if rules.dice == 1:
        return roll >> face & 1
    for _ in range(face):
        roll //= base
    return roll % base


@rule
def utility(rules: Any, state: State) -> float:
    quantity, face = (state[LAST] - 1) // rules.sides + 1, (state[LAST] - 1) % rules.sides
    count = _count(rules, state[ROLL], face) + _count(rules, state[ROLL + 1], face)
    if rules.wild and face != rules.sides - 1:
        count += _count(rules, state[ROLL], rules.sides - 1) + _count(rules, state[ROLL + 1], rules.sides - 1)
    bidder = 1.0 if state[MOVES] & 1 else -1.0  # the first, third, ... bid is player 0's
    return bidder if count >= quantity else -bidder


def _roll_name(rules: Rules, roll: int) -> str:
    faces = [str(face + 1) for face in range(rules.sides) for _ in range(_count(rules, roll, face))]
    return ("" if rules.sides <= 9 else ".").join(faces)


def _bid_name(rules: Rules, bid: int) -> str:
    return f"{(bid - 1) // rules.sides + 1}-{(bid - 1) % rules.sides + 1}"


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """OpenSpiel's text: the player's dice, sorted, then the bids, quantity-face: `24 1-2 2-4`."""
    if state[ROLL + player] == 0:
        return "start"
    return " ".join([_roll_name(rules, int(state[ROLL + player])), *_bids(rules, state)])


def public_label(rules: Rules, state: State) -> str:
    """The bids: `1-2 2-4`."""
    return " ".join(_bids(rules, state)) or "start"


def _bids(rules: Rules, state: State) -> list[str]:
    return [_bid_name(rules, bid) for bid in range(1, rules.top + 1) if int(state[BIDS]) >> (bid - 1) & 1]


def action_label(rules: Rules, state: State, action: int) -> str:
    if state[ROLL + 1] == 0:
        return f"Roll:{_roll_name(rules, action)}"
    return "Liar" if action > rules.top else _bid_name(rules, action)


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The seat; the own dice of each face; the bids; the last one, its quantity less the own dice that support it."""
    return 2 + rules.sides * rules.dice + 2 * rules.top + rules.sides + 2 * rules.dice + rules.dice + 1, rules.top + 2


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    dice, sides, top = rules.dice, rules.sides, rules.top
    out[player] = 1.0
    roll, last, place = state[ROLL + player], state[LAST], 2
    for face in range(sides):
        count = _count(rules, roll, face) if roll > 0 else 0
        for k in range(count):
            out[place + face * dice + k] = 1.0
    place += sides * dice
    for bid in range(top):
        out[place + bid] = float(state[BIDS] >> bid & 1)
    place += top
    if last == 0:
        return
    quantity, face = (last - 1) // sides + 1, (last - 1) % sides
    out[place + last - 1] = 1.0
    out[place + top + face] = 1.0
    place += top + sides
    held = 0
    if roll > 0:
        held = _count(rules, roll, face)
        if rules.wild and face != sides - 1:
            held += _count(rules, roll, sides - 1)
    out[place + dice + quantity - held] = 1.0


def value_sizes(rules: Rules) -> tuple[int, int]:
    """The last bid, who acts; the own roll."""
    return 1 + rules.top + 2, 1 + comb(rules.dice + rules.sides - 1, rules.dice)


def public_numbers(rules: Rules, state: State) -> list[float]:
    """Earlier bids do not matter for what follows."""
    mover = int(state[MOVES]) & 1
    return [*(float(state[LAST] == bid) for bid in range(rules.top + 1)), float(mover == 0), float(mover == 1)]


def private_number(rules: Rules, state: State, player: int) -> int:
    return _roll_numbers(rules)[int(state[ROLL + player])]


@cache
def _roll_numbers(rules: Rules) -> dict[int, int]:
    """Every roll by its number, from 1; no roll is 0."""
    rolls = (roll for roll in range(1, rules.rolls) if _ways(rules, roll) > 0.0)
    return {0: 0, **{roll: 1 + k for k, roll in enumerate(rolls)}}
