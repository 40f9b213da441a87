"""Random hands through a betting tree."""

from __future__ import annotations

import random

from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Kind, Legal, call, deal, fold, raise_to

BLINDS = ((1, 2), (5, 10), (2, 4), (3, 7))


def _choose(rng: random.Random, can: Legal) -> int | str:
    """A random action: "fold", "call", or an amount, often the least or the most."""
    luck = rng.random()
    if luck < 0.12 and can.fold:
        return "fold"
    if luck < 0.55 or not can.most:
        return "call"
    most = can.most if rng.random() < 0.3 else can.least
    return rng.choice(
        (can.least, rng.randint(can.least, can.most), rng.randint(can.least, min(can.most, 2 * can.least)), most)
    )


def _act(rules: BettingRules, state: BettingState, action: int | str) -> BettingState:
    if isinstance(action, int):
        return raise_to(rules, state, action)
    return fold(rules, state) if action == "fold" else call(rules, state)


def _dealt(rules: BettingRules, state: BettingState) -> BettingState:
    return deal(rules, state) if state.kind is Kind.DEAL else state


def _check_end(state: BettingState, won: float) -> None:
    """The payoff of player 0 elsewhere is what both players matched, or nothing."""
    matched = state.put[0]
    assert state.put == (matched, matched)
    if state.kind is Kind.SHOWDOWN:
        assert won in (matched, -matched, 0)
    else:
        assert won == (matched if state.kind is Kind.FOLD1 else -matched)
