"""What is in hand histories: hands, players, stacks, streets, showdowns, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from counterplay.opponents.histories.hand_record import REASONS, HoldemHand, LeftOut
from counterplay.opponents.histories.read_hands import Hands
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind


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
        left_out: hands left out, by reason.
        reports: the first hands left out, each with file, line and reason.
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

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def summarise(found: Hands, reports: int = 10) -> HandSummary:
    """The counts. reports: the most hands left out that are listed one by one."""
    holdem = found.holdem
    stacks = sorted(effective_stack(hand) for hand in holdem)
    spread = (stacks[0], stacks[len(stacks) // 2], stacks[-1]) if stacks else None
    games = Counter([_stakes(hand) for hand in holdem] + [hand.game for hand in found.others])
    ended = Counter(STREETS[hand.line.steps[-1].state.street] for hand in holdem if hand.line.steps)
    return HandSummary(
        hands=len(found.hands),
        players=dict(found.players().most_common()),
        games=dict(games.most_common()),
        stacks=spread,
        streets={street: ended[street] for street in STREETS if ended[street]},
        showdowns=sum(hand.line.end.kind is Kind.SHOWDOWN for hand in holdem),
        shown=(sum(bool(hole) for hand in holdem for hole in hand.holes), 2 * len(holdem)),
        tables=dict(sorted(Counter(len(hand.players) for hand in found.tables).items())),
        left_out=_reasons(found.left_out),
        reports=tuple(str(one) for one in found.left_out[:reports]),
        skipped=found.skipped,
    )


def effective_stack(hand: HoldemHand) -> float:
    """The smaller stack in big blinds."""
    return min(hand.rules.stacks) / max(hand.rules.blinds)


def _stakes(hand: HoldemHand) -> str:
    big, small = (hand.rules.chips(units) for units in hand.rules.blinds)
    return f"hold'em {small:g}/{big:g}{' ' + hand.currency if hand.currency else ''}"


def _reasons(out: tuple[LeftOut, ...]) -> dict[str, int]:
    found = Counter(one.reason for one in out)
    return {REASONS[name]: count for name, count in found.most_common()}
