"""The betting line of a hand that was played here, from the texts of its moves."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.replay import CALL, DEAL, FOLD, RAISE, HandStep, replay
from counterplay.poker.betting.line_notation import BettingLine
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.whole_game.boards.board import DEALT


def line_of_moves(rules: BettingRules, moves: Sequence[tuple[int, str]]) -> BettingLine:
    """The line of a hand from the texts of its actions, whose amounts are of the street."""
    told: list[HandStep] = []
    seen = 0
    for who, text in moves:
        if who == CHANCE:
            seen += 1
            street = DEALT.index(seen - 4) if seen - 4 in DEALT else 0
            if street:
                told.append(HandStep(None, DEAL, DEALT[street] - DEALT[street - 1]))
            continue
        told.append(told_move(rules, who, text))
    try:
        return replay(rules, told)
    except HandError as error:
        raise InputError(f"the log cannot hold this hand: {error}") from None


def told_move(rules: BettingRules, who: int, text: str) -> HandStep:
    """The step of a player's action from its text, whose amount is of the street."""
    word, _, amount = text.partition(" ")
    letter = FOLD if word == "fold" else CALL if word in ("check", "call") else RAISE
    return HandStep(who, letter, round(float(amount) / rules.unit) if amount else 0)
