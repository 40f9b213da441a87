"""What the file of a model from hands has beside a blueprint: counts of rows, weights and the digest of the prior."""

from __future__ import annotations

from math import prod

import numpy as np

from counterplay.archive import Archive
from counterplay.arrays import I64, AnyArray
from counterplay.errors import InputError
from counterplay.poker.whole_game.blueprints.blueprint import ObservedRows
from counterplay.poker.whole_game.holdem import Facts, HoldemGame, short_text
from counterplay.poker.whole_game.strategy import BucketedStrategy

FACT = "observed"
_WEIGHTS, _SEEN = "weights", "seen"
_LAST, _MOST = 3, 2**16
PARTS = {_WEIGHTS} | {f"{_SEEN}{player}_{street}" for player in (0, 1) for street in range(_LAST + 1)}


def contents(game: HoldemGame, observed: ObservedRows) -> tuple[Facts, dict[str, AnyArray]]:
    """Facts and arrays; of the counts a row for each decision, (decisions, lanes), since its actions have the same."""
    facts = {FACT: {"prior": observed.prior, "hands": observed.hands}}
    arrays: dict[str, AnyArray] = {_WEIGHTS: observed.weights}
    for player, side in enumerate(game.sides):
        for street in range(game.last + 1):
            table = _table(observed.counts, player, street)
            arrays[f"{_SEEN}{player}_{street}"] = table[side.decisions[street][:, 2]]
    return facts, arrays


def read(game: HoldemGame, archive: Archive, facts: Facts, play: BucketedStrategy) -> ObservedRows | None:
    """The evidence in a file; None if it is no model from hands."""
    told = facts.get(FACT)
    if told is None:
        return None
    shape = archive.shape(_WEIGHTS)
    if len(shape) != 2 or prod(shape) > _MOST:
        raise InputError("its weights are no table of a tilt")
    weights = archive.array(_WEIGHTS, shape).astype(np.float64)
    if not (weights >= 0.0).all():
        raise InputError("its weights are no factors")
    early, late = list[AnyArray](), list[list[list[AnyArray]]]()
    for street in range(game.last + 1):
        pair = []
        for player, side in enumerate(game.sides):
            like, rows = _table(play, player, street), side.decisions[street]
            kept = archive.array(f"{_SEEN}{player}_{street}", (len(rows), like.shape[1]))
            if not (kept >= 0.0).all():
                raise InputError("its counts are below 0")
            pair.append(_spread(kept, rows, like.shape))
        if street:
            sizes = play.buckets.sizes_on(street)
            late.append([np.split(table, np.cumsum(sizes)[:-1], axis=1) for table in pair])
        else:
            early = pair
    counts = BucketedStrategy(play.buckets, (early[0], early[1]), tuple((one[0], one[1]) for one in late))
    return ObservedRows(counts, weights, short_text(told, "prior"), int(told["hands"]))


def _table(play: BucketedStrategy, player: int, street: int) -> AnyArray:
    """(sequences, lanes of all blocks) of a player on a street."""
    return np.concatenate(play.tables[street - 1][player], axis=1) if street else play.preflop[player]


def _spread(kept: AnyArray, decisions: I64, shape: tuple[int, ...]) -> AnyArray:
    """(sequences, lanes) the row of each decision at all of its actions."""
    out = np.zeros(shape, kept.dtype)
    for row, (_, _, first, count) in zip(kept, decisions.tolist(), strict=True):
        out[first : first + count] = row
    return out
