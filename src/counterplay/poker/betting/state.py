"""The rules of heads-up betting: states, legal actions and transitions.

No-limit: a raise is at least as large as the last full bet or raise of the street, and at least the minimum bet; all-in is
always allowed and does not enlarge the next minimum if it is smaller. Whether a short all-in re-opens the betting never
matters heads-up: the other player faces an all-in, and may only call or fold. Uncalled chips are returned at once when the
betting ends. Amounts are units (see limits.py); a bet or raise is named by the amount its player has then bet *in this
street*, with blinds and without antes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.betting.rules import STREETS, BettingRules, Pair
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks


class Kind(IntEnum):
    """The kind of a public betting state: a player acts, a street is dealt, or the hand is over."""

    PLAYER0 = 0
    PLAYER1 = 1
    DEAL = 2
    FOLD0 = 3
    """Player 0 folded."""
    FOLD1 = 4
    SHOWDOWN = 5
    """The hands are shown once the streets left are dealt, which is all of them after an early all-in."""


class Move(IntEnum):
    """Kinds of actions, in the order in which a menu lists them; ROOT is none, DEAL is chance."""

    ROOT = -1
    FOLD = 0
    CHECK = 1
    CALL = 2
    BET = 3
    RAISE = 4
    ALL_IN = 5
    DEAL = 6


class Action(NamedTuple):
    """A move and the amount its player has then bet in this street, in units (0 for a fold, a check and a deal)."""

    move: Move
    to: int = 0


class BettingState(NamedTuple):
    """A public betting state.

    Attributes:
        kind: the player to act, a deal, or an end.
        street: index in STREETS; at a showdown, the street in which the betting ended.
        put: chips that each player has put in since the rules' start, antes and blinds included, returned chips excluded.
        base: chips that each had put in before this street's bets.
        step: the minimum size of a raise.
        raises: bets and raises made in this street.
        acted: actions made in this street.
        leader: who made the last bet or raise of the street before, until the first action; -1 if there was none. Bet sizes
            with `keeps_initiative` keep it until the next bet.
    """

    kind: Kind
    street: int
    put: Pair
    base: int
    step: int
    raises: int = 0
    acted: int = 0
    leader: int = -1


_PLAYERS = (Kind.PLAYER0, Kind.PLAYER1)


class Legal(NamedTuple):
    """The legal actions: whether to fold, chips to call (0: check), minimum and maximum bet or raise (0, 0: none)."""

    fold: bool
    call: int
    least: int
    most: int


def start(rules: BettingRules) -> BettingState:
    """The state after antes and blinds; a player with a stack below the blind posts the whole stack."""
    base = min(rules.ante, *rules.stacks)
    first, second = (base + min(rules.blinds[i], rules.stacks[i] - base) for i in (0, 1))
    put = first, second
    opener = 1 if rules.first == 0 else 0
    state = BettingState(Kind(opener), rules.first, put, base, rules.min_bet)
    done = put[opener] == rules.stacks[opener] or put[1 - opener] == rules.stacks[1 - opener] <= put[opener]
    return _close(rules, state) if done else state


def legal(rules: BettingRules, state: BettingState) -> Legal:
    """The legal actions of the player to act."""
    me = _actor(state)
    left = rules.stacks[me] - state.put[me]
    level = max(state.put) - state.base
    call = min(max(state.put) - state.put[me], left)
    cap = rules.raises[state.street]
    covered = state.put[1 - me] == rules.stacks[1 - me]
    if left <= call or covered or (cap is not None and state.raises >= cap):
        return Legal(call > 0, call, 0, 0)
    most = rules.stacks[me] - state.base
    least = min(level + (state.step if rules.bets is None else rules.bets[state.street]), most)
    return Legal(call > 0, call, least, most if rules.bets is None else least)


def all_in(rules: BettingRules, state: BettingState) -> int:
    """The bet in this street that puts the shorter stack all-in; more would be returned."""
    return min(rules.stacks) - state.base


def pot(rules: BettingRules, state: BettingState) -> int:
    """All chips in the middle, those of this street included."""
    return rules.pot + sum(state.put)


def fold(rules: BettingRules, state: BettingState, *, free: bool = False) -> BettingState:
    """The state after a fold; the other player takes back uncalled chips."""
    me = _actor(state)
    if not free and not legal(rules, state).fold:
        raise InputError("betting: a player cannot fold where checking is free")
    matched = min(state.put)
    return state._replace(kind=Kind.FOLD1 if me else Kind.FOLD0, put=(matched, matched))


def call(rules: BettingRules, state: BettingState) -> BettingState:
    """The state after a check or call, which ends the street unless the other player has yet to act."""
    me = _actor(state)
    put = _with(state.put, me, state.put[me] + legal(rules, state).call)
    leader = 1 - me if state.raises else -1
    _, street, _, base, step, raises, acted, _ = state
    after = BettingState(_PLAYERS[1 - me], street, put, base, step, raises, acted + 1)
    nobody_left = any(put[i] == rules.stacks[i] for i in (0, 1))
    return _close(rules, after, leader) if state.acted or nobody_left else after


def raise_to(rules: BettingRules, state: BettingState, to: int) -> BettingState:
    """The state after a bet or raise to an amount of units in this street."""
    me = _actor(state)
    can = legal(rules, state)
    if not can.most:
        raise InputError("betting: no bet or raise is allowed here")
    if not (can.least <= to <= can.most or (rules.bets is None and to == all_in(rules, state))):
        least, most = rules.chips(can.least), rules.chips(can.most)
        raise InputError(
            f"betting: {rules.chips(to):g} is not between the minimum bet {least:g} and the maximum {most:g}"
        )
    size = to - (max(state.put) - state.base)
    put = _with(state.put, me, state.base + to)
    step = max(state.step, size)
    return BettingState(_PLAYERS[1 - me], state.street, put, state.base, step, state.raises + 1, state.acted + 1)


def deal(rules: BettingRules, state: BettingState) -> BettingState:
    """The state after the deal of the next street, with player 0 to act."""
    if state.kind is not Kind.DEAL:
        raise InputError(f"betting: the {STREETS[state.street]} is not over")
    return BettingState(Kind.PLAYER0, state.street + 1, state.put, state.put[0], rules.min_bet, leader=state.leader)


def act(rules: BettingRules, state: BettingState, action: Action) -> BettingState:
    """The state after an action; errors as in `fold`, `call`, `raise_to` and `deal`."""
    if action.move is Move.FOLD:
        return fold(rules, state)
    if action.move is Move.DEAL:
        return deal(rules, state)
    if action.move in (Move.CHECK, Move.CALL):
        return call(rules, state)
    return raise_to(rules, state, action.to)


def _actor(state: BettingState) -> int:
    if state.kind > Kind.PLAYER1:
        raise InputError("betting: no player is to act")
    return int(state.kind)


def _close(rules: BettingRules, state: BettingState, leader: int = -1) -> BettingState:
    """The state after a street's betting: uncalled chips are returned, and all-in hands bet no more."""
    matched = min(state.put)
    over = state.street == rules.last or matched == min(rules.stacks)
    ended = state._replace(put=(matched, matched))
    return ended._replace(kind=Kind.SHOWDOWN) if over else ended._replace(kind=Kind.DEAL, leader=leader)


def _with(put: Pair, player: int, amount: int) -> Pair:
    return (put[0], amount) if player else (amount, put[1])


Cards = tuple[int, ...]


def chips_won(rules: BettingRules, end: BettingState, holes: tuple[Cards, Cards], board: Cards, deck: Deck) -> float:
    """Chips that position 0, the big blind, won at a fold or, with the whole board, at a showdown."""
    stake = rules.chips(min(end.put))
    if end.kind is not Kind.SHOWDOWN:
        return -stake if end.kind is Kind.FOLD0 else stake
    one, two = map(int, hand_ranks(board, np.array(holes), deck=deck))
    return stake * ((one > two) - (one < two))
