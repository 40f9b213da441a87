"""Orders to do more of something after which a player does less of it than the equilibrium, since other orders change which
hands come there: each is told, and no other."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from counterplay import SolvedSpot, Spot, solve_spot
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.locking.strategy_diff import diff_strategies

RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,JJ,88,AQs,KQs,J8s,T9s,98s", "22+,AJs+,AKo,KQo,QJs,T9s", 200, 900, "50%,100%,a")  # type: ignore[arg-type]
LATER = 'at "x b100 r300": fold {}'
TOLD = re.compile(r"^line (\d+): despite '(.+)' it is ([\d.]+) % at (.+), not the equilibrium's ([\d.]+) %")


@pytest.fixture(scope="module")
def solved() -> SolvedSpot:
    return solve_spot(RIVER, percent_of_pot=0.3)


@pytest.mark.parametrize("order", ["+5%", "at least 10%", "x1.1"])
@pytest.mark.parametrize("before", ["bet 100 1%", "bet 100 90%", "check 90%", "bet 100 x2", "bet 100 -5%"])
def test_orders_that_others_turn_around_are_told(solved: SolvedSpot, order: str, before: str) -> None:
    """Against the changes that the report shows, which count both strategies' own ranges at the node."""
    lock = lock_nodes(solved, Leaks.from_text("\n".join(["opponent ip", LATER.format(order), f'at "x": {before}'])))
    found = {one.path: one for one in diff_strategies(solved, replace(solved, plans=lock.plans), 1)}
    change = found["check, bet 100, raise 300"]
    usual, now = (100.0 * float(rows[0]) for rows in (change.before, change.after))
    told = [match for line in lock.lowered if (match := TOLD.match(line))]
    assert len(told) == int(now < usual - 0.5)
    for one in told:
        assert (one[2], one[4]) == (f"fold {order}", change.path)
        assert (float(one[3]), float(one[5])) == pytest.approx((now, usual), rel=0.006)


def test_both_cases_occur(solved: SolvedSpot) -> None:
    """Who hardly ever bets bets what does not fold, whichever line comes first; alone the order does what it says."""
    later, first = LATER.format("+5%"), 'at "x": bet 100 1%'
    counts = []
    for lines in ([later, first], [later], [first, later]):
        lock = lock_nodes(solved, Leaks.from_text("\n".join(["opponent ip", *lines])))
        counts.append(sum(TOLD.match(line) is not None for line in lock.lowered))
    assert counts == [1, 0, 1]
