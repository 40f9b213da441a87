"""Logs of the Annual Computer Poker Competition, one `STATE:hand:betting:cards:results:players` a line.

They do not say stacks and blinds: those of the competition's no-limit game, 50/100 and 20,000, unless others are given.
Results are checked against the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_history import read_pieces
from counterplay.opponents.histories.hand_record import Cards, FileLine, HandError, HoldemHand, LeftOut
from counterplay.opponents.histories.replay import check_cards, is_among, packed_cards, read_cards, settle
from counterplay.poker.betting.line_notation import ACPC, BettingLine, LineNotation, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules, holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.whole_game.boards.board import DEALT

COMPETITION = holdem(20_000, blinds=(50, 100))
"""The no-limit game of the competition, and of Slumbot."""
_HEAD = "STATE:"
_FIELDS = 6


class AcpcLog:
    """The format."""

    endings = (".log",)
    about = "logs of the Annual Computer Poker Competition"

    def recognises(self, head: str) -> bool:
        rows = [row for row in head.splitlines() if row and not row.startswith("#")]
        return bool(rows) and rows[0].startswith(_HEAD)

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | LeftOut]:
        rows = enumerate(text.splitlines(), 1)
        pieces = ((number, row) for number, row in rows if row and not row.startswith(("#", "SCORE")))
        return read_pieces(pieces, file, lambda row, place: _hand(row, rules or COMPETITION, place))

    def write(self, hands: Sequence[HoldemHand]) -> str:
        return "".join(f"{_row(number, hand)}\n" for number, hand in enumerate(hands))


def _hand(row: str, rules: BettingRules, place: FileLine) -> HoldemHand:
    parts = row.split(":")
    if len(parts) != _FIELDS or parts[0] + ":" != _HEAD or not parts[1].isdecimal():
        raise HandError("format", "this is not STATE:hand:betting:cards:results:players")
    _, number, betting, cards, results, names = parts
    players = names.split("|")
    if len(players) != 2 or players[0] == players[1]:
        raise HandError("players", f"{len(players)} players")
    first, _, second = results.partition("|")
    hand = hand_of_line(rules, betting, cards, first, ACPC)
    try:
        adds_up = is_among(-float(second), (float(first),))
    except ValueError:
        adds_up = False
    if not adds_up:
        raise HandError("result", f"results of {first[:20]!r} and {second[:20]!r} do not add up to 0")
    key = f"{'|'.join(sorted(players))} {number} {cards}"
    return HoldemHand((players[0], players[1]), rules, *hand, key=key, place=place)


def hand_of_line(
    rules: BettingRules, betting: str, cards: str, won: str | float | None, notation: LineNotation, deck: Deck = FULL
) -> tuple[BettingLine, tuple[Cards, Cards], Cards, float | None]:
    """Line, hole cards, board and result of a hand whose betting and cards (`Ac9d|/2c7d9s/Kh`) are texts; a HandError for
    illegal betting, impossible cards, or another result than by the rules."""
    try:
        line = replay_line(rules, betting, notation, free_folds=True)
        stated = None if won is None else float(won)
    except InputError as error:
        raise HandError("betting", error) from None
    except ValueError:
        raise HandError("format", f"{won!r} is not a result") from None
    if stated is not None and not isfinite(stated):
        raise HandError("format", f"{won!r} is not a result")
    shown, *streets = cards.split("/")
    holes = [read_cards(hole) for hole in shown.split("|")]
    if len(holes) != 2:
        raise HandError("players", f"cards of {len(holes)} players")
    pair, board = (holes[0], holes[1]), tuple(card for street in streets for card in read_cards(street))
    if line.end.kind is Kind.SHOWDOWN and len(board) == DEALT[rules.last]:
        line = line._replace(end=line.end._replace(street=rules.last))  # lines may leave out streets after an all-in
    if line.end.kind <= Kind.DEAL:
        raise HandError("unfinished", "the hand stops before its end")
    check_cards(line, pair, board, deck)
    return line, pair, board, settle(rules, line, pair, board, stated, deck)


def line_text(hand: HoldemHand) -> str:
    """The betting of a hand, as the competition writes it."""
    steps = "".join(write_action(hand.rules, state, action, ACPC) for state, action in hand.line.steps)
    dealt = sum(action.move.name == "DEAL" for _, action in hand.line.steps)
    return steps + "/" * (hand.line.end.street - dealt - hand.rules.first)


def cards_text(holes: tuple[Cards, Cards], board: Cards) -> str:
    """The cards of a hand, as the competition writes them: `Ac9d|/2c7d9s/Kh`."""
    ends = [end for end in DEALT[1:] if end <= len(board)]
    streets = [board[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
    return "/".join(["|".join(map(packed_cards, holes)), *map(packed_cards, streets)])


def _row(number: int, hand: HoldemHand) -> str:
    if hand.won is None:
        raise InputError(f"{hand.place}: logs of the competition need the result of every hand")
    if any(mark in name for name in hand.players for mark in ":|\n"):
        raise InputError(f"{hand.place}: names with ':' or '|' cannot be written here")
    results = f"{hand.won:.12g}|{-hand.won:.12g}"
    return f"{_HEAD}{number}:{line_text(hand)}:{cards_text(hand.holes, hand.board)}:{results}:{'|'.join(hand.players)}"
