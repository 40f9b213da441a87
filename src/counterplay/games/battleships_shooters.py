"""Players of battleships who place uniformly and prefer some cells to shoot at, as rules (see `games.policy`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.games.battleships_state import PLACED, SHOT, SHOTS
from counterplay.games.kernel_rules import State, rule
from counterplay.games.ship_placements import WORD, bits, place_of
from counterplay.games.spec_text import cell_name, share_of


class Shooter(NamedTuple):
    """Places uniformly; shoots uniformly at the preferred cells (a mask of two words), at the others with probability
    `share` while both kinds are left, and at the others once no preferred cell is left.
    """

    low: int
    high: int
    share: float


@rule
def _left(policy: Any, rules: Any, state: State, first: bool) -> Any:
    """The preferred or the other cells that have not been shot at."""
    shot = SHOT + 2 * (state[SHOTS] & 1)
    cells = rules.rows * rules.columns
    low = (1 << min(cells, WORD)) - 1 & ~state[shot]
    high = (1 << max(cells - WORD, 0)) - 1 & ~state[shot + 1]
    if first:
        return low & policy.low, high & policy.high
    return low & ~policy.low, high & ~policy.high


@rule
def weigh(policy: Any, rules: Any, state: State, legal: Any, n: int, odds: Any) -> None:
    placing = state[PLACED + 1] < rules.stages
    low, high = _left(policy, rules, state, True)
    firsts = bits(low) + bits(high)
    others = n - firsts
    share = policy.share if firsts > 0 else 1.0
    for k in range(n):
        word, bit = (low, legal[k]) if legal[k] < WORD else (high, legal[k] - WORD)
        odds[k] = 1.0 if placing else (1.0 - share) / max(firsts, 1) if word >> bit & 1 else share / max(others, 1)


@rule
def pick(policy: Any, rules: Any, state: State, u: float) -> Any:
    if state[PLACED + 1] < rules.stages:
        return -1
    low, high = _left(policy, rules, state, True)
    share = policy.share
    if share > 0.0 or low | high == 0:
        other, top = _left(policy, rules, state, False)
        if other | top == 0:
            share = 0.0
        elif low | high == 0 or u < share:
            low, high = other, top
            u = u if policy.share == 0.0 or u >= share else u / share
            share = 0.0
        u = (u - share) / (1.0 - share)
    first = bits(low)
    k = int(u * (first + bits(high)))
    return place_of(low, k) if k < first else WORD + place_of(high, k - first)


def policy(rules: Any, text: str) -> Shooter | None:
    """`uniform`; `even` and `odd`: the cells of one colour of a chessboard first, that of A1 being even;
    `last:CELL[,SHARE]`: that cell only when no other is left, or with probability SHARE at every shot.
    """
    names = [cell_name(row, column) for row in range(rules.rows) for column in range(rules.columns)]
    head, _, rest = text.partition(":")
    cell, comma, number = rest.partition(",")
    if text == "uniform":
        first = [True] * len(names)
    elif text in ("even", "odd"):
        first = [sum(divmod(k, rules.columns)) % 2 == ("even", "odd").index(text) for k in range(len(names))]
    elif head != "last":
        return None
    elif cell not in names:
        raise InputError(f"{text}: the board of {rules.rows} by {rules.columns} has no cell '{cell}'")
    else:
        first = [name != cell for name in names]
    mask = sum(1 << k for k, chosen in enumerate(first) if chosen)
    return Shooter(mask % (1 << WORD), mask >> WORD, share_of(text, number) if comma else 0.0)
