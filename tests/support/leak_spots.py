"""Small solved spots of hold'em for leaks of an opponent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay import SolvedSpot
from counterplay.poker.betting.rules import spot as limits
from counterplay.poker.betting.tree import build
from counterplay.poker.locking.exploit_leak import LeakAnswer, exploit_leak
from counterplay.poker.locking.leak_match import LeakMatch, match_leak, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.ranges.range import Range

BLANK, RIVER = "Ks 8h 8d 4c 2s", "Qs Jh 2h 8d 3c"
TREE = build(limits("turn", 200, 900), "50%, 100%, a")
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "leaks"


def hand(text: str) -> int:
    return int(np.flatnonzero(Range.parse(text).weights)[0])


def locked(solved: SolvedSpot, text: str) -> NodeLock:
    return lock_nodes(solved, Leaks.from_text(text))


def answered(solved: SolvedSpot, text: str, **dials: Any) -> LeakAnswer:
    return exploit_leak(locked(solved, text), accuracy=0.002, **dials)


def told(text: str) -> list[list[LeakMatch]]:
    leaks = Leaks.from_text(text)
    return [match_leak(leak, TREE, opponent_of(leaks, TREE)) for leak in leaks.lines]
