"""Hands of a log as they were played: every move with its seat, and the result by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.games.identity import is_other_game
from counterplay.measure.match_recorder import DIGESTS, LIMITS
from counterplay.measure.play_hand import Hand
from counterplay.measure.review.hand_review import Moves, steps_of
from counterplay.opponents.histories.hand_record import DEAL, AnyHand, GameHand, HandStep, HoldemHand
from counterplay.opponents.histories.replay import step_of_move
from counterplay.opponents.histories.replay import steps_of as steps_of_line
from counterplay.poker.cards.deck import card_text
from counterplay.problem.solvable_game import by_kind

_TOLERANCE = 1e-6


def played_hand(rules: Game, kept: AnyHand) -> Hand:
    """The record of a hand that a log has kept; without times of decisions.

    Raises:
        InputError: it is no finished hand of these rules, something in it is hidden, or its result is another one.
    """
    holdem = by_kind(LIMITS, rules, lambda _: None)(rules) is not None
    if isinstance(kept, GameHand) and not holdem:
        if is_other_game(kept.game, rules.name):
            raise InputError(f"this is a hand of {kept.game}, not of {rules.name}")
        if kept.spot and kept.spot != by_kind(DIGESTS, rules, lambda _: kept.spot)(rules):
            raise InputError(f"this is a hand of another spot, that of {kept.game}, not of {rules.name}")
        moves = _shown(kept)
    elif isinstance(kept, HoldemHand) and holdem:
        moves = tuple(_moves_of(rules, kept))
    else:
        raise InputError(f"this is no hand of {rules.name}")
    return _finished(rules, moves, kept.won)


def _shown(kept: GameHand) -> Moves:
    if any(text is None for _, text in kept.moves):
        raise InputError("a move of this hand is hidden")
    return [(who, text) for who, text in kept.moves if text is not None]


def _finished(rules: Game, moves: Moves, won: float | None) -> Hand:
    state = rules.root()
    for step in steps_of(rules, moves):
        state = step.after
    if rules.player(state) != TERMINAL:
        raise InputError("this hand stops before its end")
    utility = float(rules.utility(state))
    if won is not None and abs(won - utility) > _TOLERANCE * max(1.0, abs(utility)):
        raise InputError(f"the log says {won:g} chips for seat 0, and the rules say {utility:g}")
    both: Callable[[Any], Any] | None = getattr(rules, "utilities", None)
    counts = [sum(who == seat for who, _ in moves) for seat in (0, 1)]
    never = (0.0, 0.0)
    return Hand(
        utility, tuple(moves), (counts[0], counts[1]), never, never, -sum(both(state)) if both is not None else 0.0
    )


def _moves_of(rules: Any, kept: HoldemHand) -> Iterator[tuple[int, str]]:
    """The moves of a hand of hold'em in the texts of a game, which may lack some of its bets."""
    if not all(kept.holes):
        raise InputError("the cards of a player are hidden")
    cards = iter([*kept.holes[0], *kept.holes[1], *kept.board])
    told = iter([step for step in steps_of_line(kept.line) if step.letter != DEAL])
    state = rules.root()
    while (who := rules.player(state)) != TERMINAL:
        actions = list(rules.actions(state))
        names = [action_name(rules, state, action) for action in actions]
        wanted = _card(cards) if who == CHANCE else _bet(rules, names, who, told)
        if wanted not in names:
            raise InputError(f"{rules.name} has no '{wanted}' there, but {', '.join(names[:8])}")
        yield who, wanted
        state = rules.child(state, actions[names.index(wanted)])


def _card(cards: Iterator[int]) -> str:
    card = next(cards, None)
    if card is None:
        raise InputError("a card of this hand is missing")
    return card_text(card)


def _bet(rules: Any, names: list[str], who: int, told: Iterator[HandStep]) -> str:
    """The name of the next step of a log; in games of fixed bets, the letter alone tells it."""
    step = next(told, None)
    if step is None:
        raise InputError("this hand stops before its end")
    limits = rules.limits
    for name in names:
        mine = step_of_move(limits, who, name)
        if mine.letter == step.letter and (limits.bets is not None or mine.number == step.number):
            return name
    return f"{step.letter}{step.number:d}" if step.number else step.letter
