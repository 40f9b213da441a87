"""The library's own logs of matches, for every game: a first line about the match, then one JSON object a hand.

    {"counterplay": "hands", "version": 1, "game": "leduc", "agents": ["nash", "uniform"], "seed": 0}
    {"hand": 0, "players": [0, 1], "moves": [[2, "Deal:Jh"], [2, "Deal:Kh"], [0, "Call"], ...], "won": -1.0}

`players` are the indices of the agents in seats 0 and 1, `moves` who acted (2 is chance) and the text of the action, null
where it is hidden, `won` the chips of seat 0. The first line of a spot's log has its digest as `spot`. Hands of hold'em have
`betting` and `cards` instead of `moves`, as logs of the Annual Computer Poker Competition write them, and their own `rules`
where these are not the game's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.opponents.histories.acpc_log import cards_text, hand_of_line, line_text
from counterplay.opponents.histories.hand_history import check_length, json_object, json_rows, left_out
from counterplay.opponents.histories.hand_record import AnyHand, FileLine, GameHand, HandError, HoldemHand, LeftOut
from counterplay.opponents.histories.slumbot_hands import chips_in
from counterplay.poker.betting.line_notation import ACPC
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

MARK, VERSION = {"counterplay": "hands"}, 1
_MOST_MOVES = 4096
_RULES = ("stacks", "blinds", "ante", "min_bet", "unit")


class MatchLog:
    """The format."""

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
                    yield _hand(match, entry, place)
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


def _hand(match: _Match, entry: dict[str, Any], place: FileLine) -> AnyHand:
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
