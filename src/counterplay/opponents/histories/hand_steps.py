"""The steps of a hand as plain data, for replays."""

from __future__ import annotations

from typing import Any

from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Action, BettingState, Move, all_in
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import DEALT


def hand_steps(hand: HoldemHand) -> dict[str, Any]:
    """Players, stakes in chips, cards as far as they are known, and steps of a hand: street and board, the seat that acts
    (None for a deal), the action in words, chips put in and the pot before it; `end` is the state after the last step."""
    rules, end = hand.rules, hand.line.end
    return {
        "file": hand.place.file, "line": hand.place.line, "players": list(hand.players), "currency": hand.currency,
        "stacks": [rules.chips(one) for one in rules.stacks], "blinds": [rules.chips(one) for one in rules.blinds],
        "big_blind": hand.big_blind, "holes": [cards_text(hole) if hole else None for hole in hand.holes],
        "board": cards_text(hand.board), "won": hand.won,
        "steps": [_step(hand, state, action) for state, action in hand.line.steps],
        "end": {"street": STREETS[end.street], "board": cards_text(hand.board), **_chips(hand, end)},
    }  # fmt: skip


def _step(hand: HoldemHand, state: BettingState, action: Action) -> dict[str, Any]:
    is_deal = action.move is Move.DEAL
    street = state.street + is_deal
    return {
        "street": STREETS[street], "board": cards_text(hand.board[: DEALT[street]]),
        "seat": None if is_deal else int(state.kind), "action": _words(hand, state, action), **_chips(hand, state),
    }  # fmt: skip


def _chips(hand: HoldemHand, state: BettingState) -> dict[str, Any]:
    chips = hand.rules.chips
    return {"put": [chips(one) for one in state.put], "pot": chips(hand.rules.pot + sum(state.put))}


def _words(hand: HoldemHand, state: BettingState, action: Action) -> str:
    """The action as a player says it, such as "raise to 300"; a deal is its street."""
    move, to = action
    if move is Move.DEAL:
        return STREETS[state.street + 1]
    if move in (Move.FOLD, Move.CHECK):
        return move.name.lower()
    if move is Move.CALL:
        return f"call {hand.rules.chips(max(state.put) - state.put[state.kind]):g}"
    amount = f"{hand.rules.chips(to):g}"
    if to >= all_in(hand.rules, state):
        return f"all-in {amount}"
    return f"raise to {amount}" if max(state.put) > state.base else f"bet {amount}"
