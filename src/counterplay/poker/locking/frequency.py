"""Hands that take an action with a given frequency: those that lose the least EV under the reference solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.locking.frequency_text import AT_LEAST, AT_MOST, EXACTLY, LESS, MORE

Group = tuple[int, ...]


class Frequency(NamedTuple):
    """Frequency of a group of actions: a share and its relation to the frequency, or a factor on the present one."""

    group: Group
    share: float | None
    factor: float | None = None
    relation: str = EXACTLY


def apply_frequencies(
    rows: F64,
    orders: Sequence[Frequency],
    weights: F64,
    worth: F64,
    strength: F64,
    strong: Sequence[bool],
    *,
    evenly: bool = False,
) -> F64:
    """(n, actions) the rows of n hands after the orders, which apply one after the other; actions without an order keep
    their proportions. weights: (n,) of the range. worth: (n, actions) value of each action to each hand, in any unit;
    rounded, so that ties are exact. strength: (n,) breaks ties between hands. strong: (actions,) whether ties go to strong
    hands first, or to weak ones. evenly: every hand takes the share, not the range as a whole."""
    table = rows.copy()
    for order_of in orders:
        if order_of.factor is not None:
            table[:, list(order_of.group)] *= order_of.factor
    total = table.sum(axis=1, keepdims=True)
    table = np.where(total > 0.0, table / np.where(total > 0.0, total, 1.0), rows)
    later = [order for order in orders if order.share is not None and order.group]
    free = [a for a in range(rows.shape[1]) if not any(a in order.group for order in later)]
    for k, order_of in enumerate(later):
        rest = free + [a for after in later[k + 1 :] for a in after.group]
        here = list(order_of.group)
        now = table[:, here].sum(axis=1)
        if evenly:
            wanted = _asked(order_of, now)
        else:
            share = float(_asked(order_of, np.array([weights @ now / weights.sum()]))[0])
            other = worth[:, rest].max(axis=1) if rest else np.zeros(len(rows))
            sign = 1.0 if strong[here[0]] else -1.0
            order = np.lexsort((-sign * strength, other - worth[:, here].max(axis=1)))
            wanted = allocate_share(now, table[:, rest].sum(axis=1), weights, share, order)
        # So much on the actions `here`, and what remains on `rest`, both in the proportions of before.
        together = table[:, here + rest].sum(axis=1)
        wanted = np.minimum(wanted, together) if rest else together
        for columns, mass in ((here, wanted), (rest, together - wanted)):
            if columns:
                now = table[:, columns].sum(axis=1)
                best = np.eye(len(columns))[worth[:, columns].argmax(axis=1)]
                with np.errstate(divide="ignore", invalid="ignore"):
                    parts = np.where(now[:, None] > 1e-12, table[:, columns] / now[:, None], best)
                table[:, columns] = parts * mass[:, None]
    return table


def allocate_share(now: F64, room: F64, weights: F64, share: float, order: I64) -> F64:
    """(n,) the frequency of each hand at an action that a share of the range takes. now: (n,) present frequencies. room:
    (n,) possible increases. weights: (n,) weights of the range. share: share of the range."""
    out = now.copy()
    lacking = share * float(weights.sum()) - float(weights @ now)
    if lacking < 0.0:
        order, room = order[::-1], now
    mass = (weights * room)[order]
    before = np.cumsum(mass) - mass
    need = abs(lacking) - before
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(np.where(mass > 0.0, need / mass, np.where(need > 0.0, 1.0, 0.0)), 0.0, 1.0)
    out[order] += np.copysign(part * room[order], lacking)
    return out


def _asked(order: Frequency, now: F64) -> F64:
    """The frequencies that an order asks for, from the present ones."""
    share = order.share or 0.0
    asked = {
        EXACTLY: np.full(now.shape, share),
        AT_LEAST: np.maximum(now, share),
        AT_MOST: np.minimum(now, share),
        MORE: np.minimum(now + share, 1.0),
        LESS: np.maximum(now - share, 0.0),
    }
    return asked[order.relation]
