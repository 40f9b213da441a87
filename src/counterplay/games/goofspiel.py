"""Goofspiel K with imperfect information: secret bids for point cards K, K-1, …, 1; only the winner of each bid is
announced.
"""

from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple

from counterplay.errors import InputError, quoted
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule

# A state: cards left per player (bit masks), points per player, the turn, the secret bid of player 0 (0 = none yet),
# then player 0's bids, player 1's bids and the results so far, four bits a turn, for the labels only.
HAND, POINTS, TURN, BID, PAST, SIZE = 0, 2, 4, 5, 6, 9
FIELDS = ("hand 0", "hand 1", "points 0", "points 1", "turn", "bid", "bids 0", "bids 1", "results")


class Rules(NamedTuple):
    """Parameters of Goofspiel."""

    cards: int
    point_difference: int
    size: int
    branching: int
    depth: int


def make(cards: int = 5, utility: str = "points") -> FastGame:
    """Goofspiel with `cards` cards per player.

    The utility is the difference of points ("points") or 1 / 0 / -1 ("win"). The forced last turn is played
    automatically."""
    if not 1 <= cards <= 15:
        raise InputError(f"goofspiel: cards must be between 1 and 15, not {cards}")
    if utility not in ("points", "win"):
        raise InputError(f"goofspiel: utility must be 'points' or 'win', not {quoted(utility)}")
    name = f"goofspiel:{cards}" + (",utility=win" if utility == "win" else "")
    rules = Rules(cards, int(utility == "points"), size=SIZE, branching=cards, depth=2 * cards + 1)
    return FastGame(name, rules)


@rule
def start(rules: Any, state: State) -> None:
    state[HAND] = state[HAND + 1] = (1 << rules.cards) - 1
    if rules.cards == 1:
        _bid(rules, state, 1, 1)


@rule
def player(rules: Any, state: State) -> int:
    if state[TURN] == rules.cards:
        return TERMINAL
    return 0 if state[BID] == 0 else 1


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    hand = state[HAND] if state[BID] == 0 else state[HAND + 1]
    n = 0
    for card in range(1, rules.cards + 1):
        if hand >> (card - 1) & 1:
            out[n] = card
            n += 1
    return n


@rule
def _bid(rules: Any, state: State, first: int, second: int) -> int:
    """Award the point card after both bids; returns 1, 2, 3 for player 0 won, player 1 won, draw."""
    turn = state[TURN]
    prize = rules.cards - turn
    state[HAND] ^= 1 << (first - 1)
    state[HAND + 1] ^= 1 << (second - 1)
    result = 1 if first > second else (2 if first < second else 3)
    if result != 3:
        state[POINTS + result - 1] += prize
    state[PAST] |= first << 4 * turn
    state[PAST + 1] |= second << 4 * turn
    state[PAST + 2] |= result << 4 * turn
    state[TURN] += 1
    state[BID] = 0
    return result


@rule
def _last(hand: int) -> int:
    """The only card in a hand."""
    card = 1
    while hand > 1:
        hand >>= 1
        card += 1
    return card


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[BID] == 0:
        state[BID] = action
        return
    seen[0] = seen[1] = _bid(rules, state, state[BID], action)
    if state[TURN] == rules.cards - 1:
        _bid(rules, state, _last(state[HAND]), _last(state[HAND + 1]))


@rule
def utility(rules: Any, state: State) -> float:
    difference = float(state[POINTS] - state[POINTS + 1])
    if rules.point_difference:
        return difference
    return 1.0 if difference > 0.0 else (-1.0 if difference < 0.0 else 0.0)


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """The player's bids, each with its result: `5w 3l 1d`; a bid without an announced result stands alone."""
    bids = int(state[PAST + player])
    words = [f"{bids >> 4 * turn & 15}{result}" for turn, result in enumerate(_results(state, player))]
    if player == 0 and state[BID]:
        words.append(str(state[BID]))
    return " ".join(words) or "start"


def public_label(rules: Rules, state: State) -> str:
    """The results so far, from player 0's side: `w l d`; a pending bid of player 0 is not shown."""
    return " ".join(_results(state, 0)) or "start"


def _results(state: State, player: int) -> list[str]:
    """The results of completed turns as w, l or d, from a player's side."""
    results = (int(state[PAST + 2]) >> 4 * turn & 15 for turn in range(int(state[TURN])))
    return ["d" if result == 3 else ("w" if result == player + 1 else "l") for result in results]


def action_label(rules: Rules, state: State, action: int) -> str:
    return str(action)


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The seat, the turn, the lead; the own hand and pending bid; the own card and the result of each turn."""
    cards = rules.cards
    return 3 + 3 * cards + 3 * cards * cards, cards + 1


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    cards, place = rules.cards, 3
    out[player] = 1.0
    out[2] = 2.0 * (state[POINTS + player] - state[POINTS + 1 - player]) / (cards * (cards + 1.0))
    if state[TURN] < cards:
        out[place + state[TURN]] = 1.0
    place += cards
    for card in range(cards):
        out[place + card] = float(state[HAND + player] >> card & 1)
    place += cards
    if player == 0 and state[BID] > 0:
        out[place + state[BID] - 1] = 1.0
    place += cards
    for turn in range(state[TURN]):
        card = state[PAST + player] >> 4 * turn & 15
        result = state[PAST + 2] >> 4 * turn & 15
        mine = 2 if result == 3 else (0 if result == player + 1 else 1)
        out[place + 3 * (cards * turn + card - 1) + mine] = 1.0


def value_sizes(rules: Rules) -> tuple[int, int]:
    """The turn, the result of each, whether player 0 has bid; the own bids in order."""
    return rules.cards + 3 * rules.cards + 1, factorial(rules.cards)


def public_numbers(rules: Rules, state: State) -> list[float]:
    words = _results(state, 0)
    turn = [float(state[TURN] == k) for k in range(rules.cards)]
    results = [float(k < len(words) and words[k] == word) for k in range(rules.cards) for word in "wld"]
    return [*turn, *results, float(state[BID] > 0)]


def private_number(rules: Rules, state: State, player: int) -> int:
    """The rank of the own bids among all sequences of so many, a pending bid included."""
    bids = [int(state[PAST + player]) >> 4 * turn & 15 for turn in range(int(state[TURN]))]
    if player == 0 and state[BID]:
        bids.append(int(state[BID]))
    left, number = list(range(1, rules.cards + 1)), 0
    for bid in bids:
        number = number * len(left) + left.index(bid)
        left.remove(bid)
    return number
