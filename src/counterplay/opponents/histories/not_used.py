"""What is said of hands that were not used where a text such as `hands:FILE,player=NAME` makes a model of the others.

The lines go to the logger `counterplay.hands`, each once in a process; it prints them to stderr unless the program has set
up logging, and `logging.getLogger("counterplay.hands").setLevel("ERROR")` turns them off.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping

from counterplay.errors import escaped
from counterplay.opponents.histories.hand_record import REASONS
from counterplay.opponents.histories.read_hands import Hands

_log = logging.getLogger("counterplay.hands")
_said = set[str]()


def left_out_line(found: Hands) -> str:
    """How many hands are not used, why, and the first that a reader left out by file and line, and how many files of folders
    are no hand histories; "" if all are used."""
    parts, reasons = [], Counter(REASONS[one.reason] for one in found.left_out).most_common()
    if found.tables:
        reasons.append(("of more than two players", len(found.tables)))
    if reasons:
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
        first = f"; the first: {escaped(str(found.left_out[0]))}" if found.left_out else ""
        parts.append(f"left out: {told}{first}")
    if found.skipped:
        parts.append(f"skipped: {len(found.skipped):,} of the files, the first: {escaped(found.skipped[0])}")
    return "; ".join(parts)


def say_left_out(found: Hands) -> None:
    """Say what readers left out, if anything."""
    if line := left_out_line(found):
        _say(line)


def say_use(player: str, used: str, not_counted: Mapping[str, int], mapped: int = 0, bets: int = 0) -> None:
    """Say what a model is made of, where hands of the player were not counted or bets were changed.

    Args:
        player: name.
        used: what the model is made of.
        not_counted: hands, or rests of hands, for which the game has no use, by reason.
        mapped: how many bets became others, since the game's betting tree does not have them.
        bets: of how many.
    """
    parts = [f"{mapped:,} of {bets:,} bets mapped to sizes of the tree"] if mapped else []
    if left := ", ".join(f"{count:,} {reason}" for reason, count in not_counted.items() if count):
        parts.append(f"not counted: {left}")
    if parts:
        _say(f"{escaped(player)}: {'; '.join([used, *parts])}")


def _say(line: str) -> None:
    if line not in _said:
        _said.add(line)
        _log.warning(line)
