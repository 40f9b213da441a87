"""Reasons why hands were skipped where a text such as `hands:FILE,player=NAME` makes a model of the others.

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
_logged = set[str]()


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
