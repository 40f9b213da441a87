"""Hands of hold'em replayed by the rules: illegal, unfinished or impossible ones are refused, never repaired."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.opponents.histories.hand_record import Act, Cards, HandError, HandStep
from counterplay.poker.betting.line_notation import BettingLine, Step
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, chips_won, fold, legal, start
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck, card_text
from counterplay.poker.whole_game.boards.board import DEALT

_CARDS = {rank + suit: 4 * r + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_CARDS |= {text.lower(): card for text, card in _CARDS.items()}
_LAST_PLAYER = int(Kind.PLAYER1)
_TOLERANCE = 1e-6


def replay(rules: BettingRules, steps: Iterable[HandStep]) -> BettingLine:
    """The line of a hand, from its blinds to its end; a HandError for a step out of turn, an illegal one, one after the end,
    or a hand that does not end."""
    state, line = start(rules), list[Step]()
    for seat, letter, number in steps:
        if letter == Act.DEAL:
            open_showdown = state.kind is Kind.SHOWDOWN and state.street < rules.last  # after an early all-in
            if state.kind is not Kind.DEAL and not open_showdown:
                raise HandError("betting", f"cards are dealt where {_waiting(state)}")
            if number != DEALT[state.street + 1] - DEALT[state.street]:
                raise HandError("cards", f"{number} cards are dealt on the {STREETS[state.street + 1]}")
            if open_showdown:
                state = state._replace(street=state.street + 1)
                continue
            action = Action(Move.DEAL)
        elif state.kind > _LAST_PLAYER:
            raise HandError("betting", f"somebody acts where {_waiting(state)}")
        elif seat != state.kind:
            raise HandError("betting", "a player acts out of turn")
        elif letter == Act.FOLD:
            action = Action(Move.FOLD)
        elif letter == Act.CALL:
            action = Action(Move.CALL if state.put[1 - seat] > state.put[seat] else Move.CHECK)
        else:
            to = legal(rules, state).least if rules.bets is not None else number
            action = Action(Move.RAISE if max(state.put) > state.base else Move.BET, to)
        line.append(Step(state, action))
        try:
            state = fold(rules, state, free=True) if action.move is Move.FOLD else act(rules, state, action)
        except InputError as error:
            raise HandError("betting", error) from None
    if state.kind <= Kind.DEAL or (state.kind is Kind.SHOWDOWN and state.street != rules.last):
        raise HandError("unfinished", f"the hand stops where {_waiting(state)}")
    return BettingLine(tuple(line), state)


def _waiting(state: BettingState) -> str:
    if state.kind <= Kind.PLAYER1:
        return f"a player is to act on the {STREETS[state.street]}"
    if state.kind is Kind.DEAL:
        return f"the {STREETS[state.street + 1]} is to be dealt"
    return "the hand is over" if state.kind is not Kind.SHOWDOWN else "the betting is over"


def steps_of(line: BettingLine) -> list[HandStep]:
    """The steps of a line as a file may state them, deals included; those after an early all-in are not steps."""
    steps = []
    for state, (move, to) in line.steps:
        if move is Move.DEAL:
            steps.append(HandStep(-1, Act.DEAL, DEALT[state.street + 1] - DEALT[state.street]))
        else:
            letter = Act.FOLD if move is Move.FOLD else Act.CALL if move in (Move.CHECK, Move.CALL) else Act.RAISE
            steps.append(HandStep(int(state.kind), letter, to))
    return steps


def line_of_moves(rules: BettingRules, moves: Sequence[tuple[int, str]]) -> BettingLine:
    """The line of a hand that was played here, from the texts of its moves, whose amounts are of the street."""
    steps, dealt = list[HandStep](), 0
    for who, text in moves:
        if who != CHANCE:
            steps.append(step_of_move(rules, who, text))
            continue
        dealt += 1
        street = DEALT.index(dealt - 4) if dealt - 4 in DEALT else 0  # the first four cards are the players'
        if street:
            steps.append(HandStep(-1, Act.DEAL, DEALT[street] - DEALT[street - 1]))
    try:
        return replay(rules, steps)
    except HandError as error:
        raise InputError(f"the log cannot hold this hand: {error}") from None


def step_of_move(rules: BettingRules, who: int, text: str) -> HandStep:
    """The step of a player's action from its text, whose amount is of the street."""
    word, _, amount = text.partition(" ")
    letter = Act.FOLD if word == "fold" else Act.CALL if word in ("check", "call") else Act.RAISE
    return HandStep(who, letter, round(float(amount) / rules.unit) if amount else 0)


def read_cards(text: str) -> Cards:
    """Cards of a text such as "Ac9d"; () if one of them is hidden. A HandError for anything else."""
    pairs = [text[k : k + 2] for k in range(0, len(text), 2)]
    if "?" in text:
        return ()
    try:
        return tuple([_CARDS[pair] for pair in pairs])
    except KeyError as error:
        raise HandError("cards", f"{error} is not a card") from None


def packed_cards(cards: Cards) -> str:
    """The text that `read_cards` reads."""
    return "".join(map(card_text, cards))


def check_cards(line: BettingLine, holes: tuple[Cards, Cards], board: Cards, deck: Deck = FULL) -> None:
    """Reject cards that cannot all be dealt, or a board of another street than that of the line's end."""
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
    rules: BettingRules, line: BettingLine, holes: tuple[Cards, Cards], board: Cards, stated: float | None = None,
    deck: Deck = FULL,
) -> float | None:  # fmt: skip
    """Chips that seat 0 won by the rules, without rake; what the file states where the rules leave it open. A HandError if
    both disagree."""
    results = settlements(rules, line, holes, board, deck)
    if stated is not None and not is_among(stated, results):
        if len(results) > 1:
            raise HandError("result", f"{stated:g} chips are won, where {results[-1]:g} are at stake")
        raise HandError("result", f"the file says {stated:g} chips for the big blind, and the rules say {results[0]:g}")
    return results[0] if len(results) == 1 else stated


def settlements(
    rules: BettingRules, line: BettingLine, holes: tuple[Cards, Cards], board: Cards, deck: Deck = FULL
) -> tuple[float, ...]:
    """Chips that seat 0 may have won by the rules, without rake: one number, or where a showdown hides a hand those of a
    lost, a split and a won pot."""
    if line.end.kind is Kind.SHOWDOWN and not all(holes):
        most = rules.chips(min(line.end.put))
        return -most, 0.0, most
    return (chips_won(rules, line.end, holes, board, deck),)


def is_among(stated: float, results: tuple[float, ...]) -> bool:
    """Return whether a number of chips is one of some results, but for rounding."""
    most = max(1.0, *map(abs, results))
    return min(abs(stated - result) for result in results) <= _TOLERANCE * most
