"""Hands of hold'em replayed by the rules: what is illegal, unfinished or impossible is refused and never repaired."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import Cards, HandError
from counterplay.poker.betting.line_notation import BettingLine, Step
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, call, deal, legal, raise_to, start
from counterplay.poker.betting.state import fold as fold_at
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck
from counterplay.poker.showdown.settlement import chips_won
from counterplay.poker.whole_game.boards.board import DEALT

FOLD, CALL, RAISE, DEAL = "f", "c", "r", "d"
_CARDS = {rank + suit: 4 * r + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_CARDS |= {text.lower(): card for text, card in _CARDS.items()}
_LAST_PLAYER = int(Kind.PLAYER1)
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class HandStep:
    """What a file tells of a step. seat: who acts; None where the file does not say. letter: one of `FOLD`, `CALL` (or
    check), `RAISE` (or bet), `DEAL`. number: units bet in this street, or the number of cards dealt."""

    seat: int | None
    letter: str
    number: int = 0


def replay(rules: BettingRules, told: Iterable[HandStep]) -> BettingLine:
    """The steps of a hand, from its blinds to its end.

    Raises:
        HandError: a step out of turn, an illegal one, one after the end, or a hand that does not end.
    """
    state, steps = start(rules), list[Step]()
    for one in told:
        if one.letter == DEAL:
            state = _dealt(rules, state, one.number, steps)
            continue
        if state.kind > _LAST_PLAYER:
            raise HandError("betting", f"somebody acts where {_waiting(state)}")
        if one.seat is not None and one.seat != state.kind:
            raise HandError("betting", "a player acts out of turn")
        try:
            action, after = _acted(rules, state, one)
        except InputError as error:
            raise HandError("betting", error) from None
        steps.append(Step(state, action))
        state = after
    if state.kind <= Kind.DEAL or (state.kind is Kind.SHOWDOWN and state.street != rules.last):
        raise HandError("unfinished", f"the hand stops where {_waiting(state)}")
    return BettingLine(tuple(steps), state)


def _acted(rules: BettingRules, state: BettingState, told: HandStep) -> tuple[Action, BettingState]:
    """The action, named as the rules have it, and the state after it."""
    if told.letter == FOLD:
        return Action(Move.FOLD), fold_at(rules, state, free=True)
    if told.letter == CALL:
        faced = state.put[1 - state.kind] > state.put[state.kind]
        return Action(Move.CALL if faced else Move.CHECK), call(rules, state)
    faced = max(state.put) > state.base
    to = legal(rules, state).least if rules.bets is not None else told.number
    return Action(Move.RAISE if faced else Move.BET, to), raise_to(rules, state, to)


def _dealt(rules: BettingRules, state: BettingState, cards: int, steps: list[Step]) -> BettingState:
    """The state after cards were dealt; after an early all-in the street of a showdown goes up."""
    open_showdown = state.kind is Kind.SHOWDOWN and state.street < rules.last
    if state.kind is not Kind.DEAL and not open_showdown:
        raise HandError("betting", f"cards are dealt where {_waiting(state)}")
    if cards != DEALT[state.street + 1] - DEALT[state.street]:
        raise HandError("cards", f"{cards} cards are dealt on the {STREETS[state.street + 1]}")
    if open_showdown:
        return state._replace(street=state.street + 1)
    steps.append(Step(state, Action(Move.DEAL)))
    return deal(rules, state)


def _waiting(state: BettingState) -> str:
    if state.kind <= Kind.PLAYER1:
        return f"a player is to act on the {STREETS[state.street]}"
    if state.kind is Kind.DEAL:
        return f"the {STREETS[state.street + 1]} is to be dealt"
    return "the hand is over" if state.kind is not Kind.SHOWDOWN else "the betting is over"


def steps_of(line: BettingLine) -> list[HandStep]:
    """The steps of a line as a file may tell them, deals included; those after an early all-in are not steps."""
    out = []
    for state, (move, to) in line.steps:
        if move is Move.DEAL:
            out.append(HandStep(None, DEAL, DEALT[state.street + 1] - DEALT[state.street]))
        else:
            letter = FOLD if move is Move.FOLD else CALL if move in (Move.CHECK, Move.CALL) else RAISE
            out.append(HandStep(int(state.kind), letter, to))
    return out


def read_cards(text: str) -> Cards:
    """Cards of a text such as "Ac9d"; () if one of them is hidden.

    Raises:
        HandError: it is none.
    """
    pairs = [text[k : k + 2] for k in range(0, len(text), 2)]
    if "?" in text:
        return ()
    try:
        return tuple([_CARDS[pair] for pair in pairs])
    except KeyError as error:
        raise HandError("cards", f"{error} is not a card") from None


def check_cards(line: BettingLine, holes: tuple[Cards, Cards], board: Cards, deck: Deck = FULL) -> None:
    """Reject cards that cannot all be dealt, or a board of another street than that of the line's end.

    Raises:
        HandError: see above.
    """
    known = [*holes[0], *holes[1], *board]
    if any(len(hole) not in (0, 2) for hole in holes):
        raise HandError("cards", "a hand has two cards")
    if len(set(known)) < len(known):
        raise HandError("cards", "a card is dealt twice")
    if deck is not FULL and not set(known) <= set(deck.cards):
        raise HandError("cards", "a card is not in the deck")
    if len(board) != DEALT[line.end.street]:
        raise HandError("cards", f"a board of {len(board)} cards, not {DEALT[line.end.street]}")


def settle(
    rules: BettingRules,
    line: BettingLine,
    holes: tuple[Cards, Cards],
    board: Cards,
    stated: float | None = None,
    deck: Deck = FULL,
) -> float | None:
    """Chips that seat 0 won by the rules, without rake; where they do not tell, what the file states.

    Raises:
        HandError: the file states something else.
    """
    results = settlements(rules, line, holes, board, deck)
    if stated is not None and not is_among(stated, results):
        if len(results) > 1:
            raise HandError("result", f"{stated:g} chips are won, where {results[-1]:g} are at stake")
        raise HandError("result", f"the file says {stated:g} chips for the big blind, and the rules say {results[0]:g}")
    return results[0] if len(results) == 1 else stated


def settlements(
    rules: BettingRules, line: BettingLine, holes: tuple[Cards, Cards], board: Cards, deck: Deck = FULL
) -> tuple[float, ...]:
    """What seat 0 may have won by the rules, in chips and without rake: one number, or where a showdown hides a hand those
    of a lost, a split and a won pot."""
    if line.end.kind is Kind.SHOWDOWN and not all(holes):
        most = rules.chips(min(line.end.put))
        return -most, 0.0, most
    return (chips_won(rules, line.end, holes, board, deck),)


def is_among(stated: float, results: tuple[float, ...]) -> bool:
    """Whether a number of chips is one of some results, but for rounding."""
    most = max(1.0, *map(abs, results))
    return min(abs(stated - result) for result in results) <= _TOLERANCE * most
