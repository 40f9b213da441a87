"""Counts over hand histories: hands, players, stacks, streets, showdowns, and reasons why hands were skipped.

Where a text such as `hands:FILE,player=NAME` makes a model, lines about skipped hands go to the logger `counterplay.hands`,
each once in a process; it prints them to stderr unless the program has set up logging, and
`logging.getLogger("counterplay.hands").setLevel("ERROR")` turns them off.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterplay.errors import escaped
from counterplay.opponents.histories.hand_record import REASONS, HoldemHand
from counterplay.opponents.histories.read_hands import Hands
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind

_log = logging.getLogger("counterplay.hands")
_logged = set[str]()


@dataclass(frozen=True)
class HandSummary:
    """Counts over hands.

    Attributes:
        hands: hands read.
        players: hands of each player, most first.
        games: hands by game: blinds and currency of hold'em, the name of other games.
        stacks: least, median and largest effective stack in big blinds; None without hold'em.
        streets: hands of hold'em by the street in which they end.
        showdowns: hands shown down.
        shown: hands of cards that are known, of all that were dealt.
        tables: hands of more than two players, by number of seats; heads-up models do not use them.
        left_out: skipped hands, by reason.
        reports: the first skipped hands, each with file, line and reason.
        skipped: files of folders that are no hand histories, each with the reason.
    """

    hands: int
    players: dict[str, int]
    games: dict[str, int]
    stacks: tuple[float, float, float] | None
    streets: dict[str, int]
    showdowns: int
    shown: tuple[int, int]
    tables: dict[int, int]
    left_out: dict[str, int]
    reports: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def summarise(read: Hands, reports: int = 10) -> HandSummary:
    """The counts. reports: the most skipped hands that are listed one by one."""
    holdem = read.holdem
    stacks = sorted(min(hand.rules.stacks) / max(hand.rules.blinds) for hand in holdem)
    games = Counter([_stakes(hand) for hand in holdem] + [hand.game for hand in read.others])
    ended = Counter(STREETS[hand.line.steps[-1].state.street] for hand in holdem if hand.line.steps)
    reasons = Counter(one.reason for one in read.left_out).most_common()
    return HandSummary(
        hands=len(read.hands),
        players=dict(read.players().most_common()),
        games=dict(games.most_common()),
        stacks=(stacks[0], stacks[len(stacks) // 2], stacks[-1]) if stacks else None,
        streets={street: ended[street] for street in STREETS if ended[street]},
        showdowns=sum(hand.line.end.kind is Kind.SHOWDOWN for hand in holdem),
        shown=(sum(bool(hole) for hand in holdem for hole in hand.holes), 2 * len(holdem)),
        tables=dict(sorted(Counter(len(hand.players) for hand in read.tables).items())),
        left_out={REASONS[name]: count for name, count in reasons},
        reports=tuple(str(one) for one in read.left_out[:reports]),
        skipped=read.skipped,
    )


def _stakes(hand: HoldemHand) -> str:
    big, small = (hand.rules.chips(units) for units in hand.rules.blinds)
    return f"hold'em {small:g}/{big:g}{' ' + hand.currency if hand.currency else ''}"


def skipped_line(read: Hands) -> str:
    """The numbers of skipped hands by reason, the first of them by file and line, and how many files of folders are no hand
    histories; "" if all are used."""
    parts, reasons = [], Counter(REASONS[one.reason] for one in read.left_out).most_common()
    if read.tables:
        reasons.append(("of more than two players", len(read.tables)))
    if reasons:
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
        first = f"; the first: {escaped(str(read.left_out[0]))}" if read.left_out else ""
        parts.append(f"left out: {counts}{first}")
    if read.skipped:
        parts.append(f"skipped: {len(read.skipped):,} of the files, the first: {escaped(read.skipped[0])}")
    return "; ".join(parts)


def log_skipped(read: Hands) -> None:
    """Log which hands readers have skipped, if any."""
    _log_once(skipped_line(read))


def log_use(player: str, used: str, not_counted: Mapping[str, int], mapped: int = 0, bets: int = 0) -> None:
    """Log what a model of a player is made of, where hands were not counted or bets were mapped. not_counted: hands, or
    rests of hands, for which the game has no use, by reason. mapped: bets that the betting tree does not have."""
    parts = [f"{mapped:,} of {bets:,} bets mapped to sizes of the tree"] if mapped else []
    if left := ", ".join(f"{count:,} {reason}" for reason, count in not_counted.items() if count):
        parts.append(f"not counted: {left}")
    _log_once(f"{escaped(player)}: {'; '.join([used, *parts])}" if parts else "")


def _log_once(line: str) -> None:
    if line and line not in _logged:
        _logged.add(line)
        _log.warning(line)
