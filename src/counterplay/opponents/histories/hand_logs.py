"""Logs with one hand a line: of the Annual Computer Poker Competition, of Slumbot, and the library's own.

- The competition's `STATE:hand:betting:cards:results:players` does not say stacks and blinds: those of its no-limit game,
  50/100 and 20,000, unless others are given. Results are checked against the rules.
- Slumbot's hands are JSON objects as its interface answers them: what `counterplay slumbot --log` keeps. `client_pos` 0 is
  the big blind; stacks and blinds are the competition's in every hand. Both hands of cards are known at the end.
- The library's own logs of matches, for every game, have a first line about the match, then one JSON object a hand:

      {"counterplay": "hands", "version": 1, "game": "leduc", "agents": ["nash", "uniform"], "seed": 0}
      {"hand": 0, "players": [0, 1], "moves": [[2, "Deal:Jh"], [2, "Deal:Kh"], [0, "Call"], ...], "won": -1.0}

  `players` are the indices of the agents in seats 0 and 1, `moves` who acted (2 is chance) and the text of the action, null
  where it is hidden, `won` the chips of seat 0. The first line of a spot's log has its digest as `spot`. Hands of hold'em
  have `betting` and `cards` instead of `moves`, as the competition writes them, and their own `rules` where these are not
  the game's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.opponents.histories.hand_record import (
    AnyHand,
    Cards,
    FileLine,
    GameHand,
    HandError,
    HoldemHand,
    LeftOut,
    check_length,
    json_object,
    json_rows,
    left_out,
    read_pieces,
)
from counterplay.opponents.histories.replay import check_cards, is_among, packed_cards, read_cards, settle
from counterplay.poker.betting.line_notation import ACPC, SLUMBOT, BettingLine, LineNotation, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules, holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

COMPETITION = holdem(20_000, blinds=(50, 100))
"""The no-limit game of the competition, and of Slumbot."""
_HEAD = "STATE:"
_FIELDS = 6


class AcpcLog:
    endings = (".log",)
    about = "logs of the Annual Computer Poker Competition"

    def recognises(self, head: str) -> bool:
        rows = [row for row in head.splitlines() if row and not row.startswith("#")]
        return bool(rows) and rows[0].startswith(_HEAD)

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | LeftOut]:
        rows = enumerate(text.splitlines(), 1)
        pieces = ((number, row) for number, row in rows if row and not row.startswith(("#", "SCORE")))
        return read_pieces(pieces, file, lambda row, place: _acpc_hand(row, rules or COMPETITION, place))

    def write(self, hands: Sequence[HoldemHand]) -> str:
        return "".join(f"{_row(number, hand)}\n" for number, hand in enumerate(hands))


def _acpc_hand(row: str, rules: BettingRules, place: FileLine) -> HoldemHand:
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


SERVER = "Slumbot"
"""The name of the other player."""
_MOST_CHIPS = 1e15


class SlumbotHands:
    endings = (".jsonl",)
    about = "hands against Slumbot (counterplay slumbot --log)"

    def recognises(self, head: str) -> bool:
        return head.lstrip().startswith("{") and '"hole_cards"' in head and '"action"' in head

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | LeftOut]:
        return read_pieces(
            json_rows(text), file, lambda row, place: _slumbot_hand(json_object(row), rules or COMPETITION, place)
        )


def chips_in(value: Any) -> float | None:
    """A number of chips in JSON; None for anything else, also NaN and numbers beyond 10^15."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST_CHIPS:
        return None
    return float(value)


def _slumbot_hand(entry: dict[str, Any], rules: BettingRules, place: FileLine) -> HoldemHand:
    seat, action = entry.get("client_pos", entry.get("seat")), entry.get("action")
    if seat not in (0, 1) or isinstance(seat, bool) or not isinstance(action, str):
        raise HandError("format", "a hand needs client_pos (0 or 1) and action")
    chips, pot = chips_in(entry.get("winnings")), chips_in(entry.get("won_pot"))
    if chips is None:
        raise HandError("unfinished", "winnings are missing: the hand is not over")
    if pot is not None and chips and (pot > 0) != (chips > 0):
        raise HandError("result", f"winnings of {chips:g} and a pot of {pot:g} won contradict each other")
    own, other, board = (_cards(entry, name) for name in ("hole_cards", "bot_hole_cards", "board"))
    pair = (own, other) if seat == 0 else (other, own)
    ends = ((0, 3), (3, 4), (4, 5))
    streets = "".join(f"/{board[2 * begin : 2 * end]}" for begin, end in ends if len(board) > 2 * begin)
    hand = hand_of_line(rules, action, "|".join(pair) + streets, chips if seat == 0 else -chips, SLUMBOT)
    name = str(entry.get("agent", "client"))
    names = (name, SERVER) if seat == 0 else (SERVER, name)
    key = f"{name} {seat} {action} {pair} {board}" if all(pair) and board else ""
    return HoldemHand(names, rules, *hand, key=key, place=place)


def _cards(entry: dict[str, Any], name: str) -> str:
    cards = entry.get(name, [])
    if not isinstance(cards, list) or not all(isinstance(card, str) and len(card) == 2 for card in cards):
        raise HandError("cards", f"{name} is not a list of cards")
    return "".join(cards)


MARK, VERSION = {"counterplay": "hands"}, 1
_MOST_MOVES = 4096
_RULES = ("stacks", "blinds", "ante", "min_bet", "unit")


class MatchLog:
    endings = (".jsonl",)
    about = "the library's own logs (counterplay match --log), for every game"

    def recognises(self, head: str) -> bool:
        return head.lstrip().startswith('{"counterplay": "hands"')

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[AnyHand | LeftOut]:  # noqa: ARG002
        match: _Match | None = None
        for number, row in json_rows(text):
            place = FileLine(file, number)
            try:
                check_length(row)
                entry = json_object(row)
                if "counterplay" in entry:
                    match = _match(entry)
                elif match is None:
                    raise HandError("format", "the line about the match is missing")
                else:
                    yield _match_hand(match, entry, place)
            except HandError as error:
                match = None if '"counterplay"' in row else match  # whose hands follow is not known then
                yield left_out(place, error)

    def write(self, hands: Sequence[HoldemHand]) -> str:
        names = list(dict.fromkeys(name for hand in hands for name in hand.players))
        rows = [first_line("holdem", names, {})]
        rows += [hand_line(number, hand, names) for number, hand in enumerate(hands)]
        return "".join(row + "\n" for row in rows)


class _Match(NamedTuple):
    """The first line. rules, deck: of hold'em."""

    game: str
    agents: list[str]
    seed: Any
    spot: str
    rules: BettingRules | None
    deck: Deck


@lru_cache(maxsize=8)
def _holdem(game: str) -> tuple[BettingRules | None, Deck]:
    if not is_whole_game(game) or game == "holdem":
        return None, FULL
    try:
        rules = read_holdem(game)
    except InputError as error:
        raise HandError("game", error) from None
    return rules.limits, rules.deck


def _match(entry: dict[str, Any]) -> _Match:
    game, agents, spot = entry.get("game"), entry.get("agents"), entry.get("spot", "")
    if entry["counterplay"] != MARK["counterplay"] or entry.get("version") != VERSION:
        raise HandError("format", f"this is not version {VERSION} of a log of hands")
    if not isinstance(game, str) or not isinstance(agents, list) or not all(isinstance(x, str) for x in agents):
        raise HandError("format", "the line about the match needs a game and its agents")
    if not isinstance(spot, str):
        raise HandError("format", "spot must be a digest, as text")
    return _Match(game, agents, entry.get("seed"), spot, *_holdem(game))


def _match_hand(match: _Match, entry: dict[str, Any], place: FileLine) -> AnyHand:
    seats, won, number = entry.get("players"), entry.get("won"), entry.get("hand")
    if not isinstance(seats, list) or len(seats) != 2 or not all(_is_index(x, len(match.agents)) for x in seats):
        raise HandError("players", "players must be the indices of two agents")
    chips = chips_in(won)
    if won is not None and chips is None:
        raise HandError("result", "won must be a number of chips")
    players = (match.agents[seats[0]], match.agents[seats[1]])
    game = f"{match.game} {match.spot}" if match.spot else match.game
    key = f"{game} {match.agents} {match.seed} {number}" if number is not None and match.seed is not None else ""
    key = str(entry.get("key", key))
    if match.game != "holdem" and match.rules is None:
        return GameHand(match.game, players, _moves(entry.get("moves")), chips, key, place, match.spot)
    betting, cards = entry.get("betting"), entry.get("cards")
    if not isinstance(betting, str) or not isinstance(cards, str):
        raise HandError("format", "a hand of hold'em needs its betting and its cards")
    rules = _own_rules(entry["rules"]) if "rules" in entry else match.rules
    if rules is None:
        raise HandError("stakes", "stacks and blinds are missing")
    hand = hand_of_line(rules, betting, cards, chips, ACPC, match.deck)
    return HoldemHand(players, rules, *hand, str(entry.get("currency", "")), key, place, match.deck)


def _own_rules(entry: Any) -> BettingRules:
    if not isinstance(entry, Mapping) or set(entry) != set(_RULES):
        raise HandError("stakes", f"rules need {', '.join(_RULES)}")
    stacks, blinds, ante, least, unit = (entry[name] for name in _RULES)
    pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in (stacks, blinds))
    whole = pairs and all(_is_index(x, 10**15) for x in (*stacks, *blinds, ante, least))
    fine = whole and isinstance(unit, int | float) and 0 < unit < 1e9
    if not fine or not 0 < blinds[1] <= blinds[0] or min(stacks) <= ante:
        raise HandError("stakes", "rules need stacks, blinds, ante and least bet in whole smallest chips")
    return BettingRules(tuple(stacks), blinds=tuple(blinds), ante=ante, min_bet=least, unit=unit)


def _moves(entry: Any) -> tuple[tuple[int, str | None], ...]:
    if not isinstance(entry, list) or len(entry) > _MOST_MOVES:
        raise HandError("format", f"a hand needs moves, at most {_MOST_MOVES:,}")
    for move in entry:
        fine = isinstance(move, list) and len(move) == 2 and move[0] in (0, 1, CHANCE) and not isinstance(move[0], bool)
        if not fine or not isinstance(move[1], str | None):
            raise HandError("format", "a move is who acts (0, 1, or 2 for chance) and a text; null hides it")
    return tuple((who, text) for who, text in entry)


def _is_index(value: Any, size: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size


def first_line(game: str, agents: Sequence[str], about: Mapping[str, Any]) -> str:
    """The line about a match."""
    return json.dumps({**MARK, "version": VERSION, "game": game, "agents": list(agents), **about})


def move_line(number: int, players: Sequence[int], moves: Sequence[tuple[int, str | None]], won: float) -> str:
    """The line of a hand of any game but hold'em."""
    return json.dumps({"hand": number, "players": list(players), "moves": [list(move) for move in moves], "won": won})


def hand_line(number: int, hand: HoldemHand, agents: Sequence[str], *, own_rules: bool = True) -> str:
    """The line of a hand of hold'em. own_rules: whether to write its stacks and blinds."""
    entry: dict[str, Any] = {
        "hand": number, "players": [agents.index(name) for name in hand.players], "betting": line_text(hand),
        "cards": cards_text(hand.holes, hand.board), "won": hand.won,
    }  # fmt: skip
    if own_rules:
        entry["rules"] = {name: getattr(hand.rules, name) for name in _RULES}
    entry |= {name: value for name, value in (("currency", hand.currency), ("key", hand.key)) if value}
    return json.dumps(entry)
