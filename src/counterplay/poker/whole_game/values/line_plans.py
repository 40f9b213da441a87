"""Strategies on the last street laid out for the kernels: flat by bundle of lines, lane and position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.showdown.line_sweeps import lay_out_plan
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.treeplex.memory import zeros_of


class LineTerms(NamedTuple):
    """What a player earns by bundle: (terms, 3) of each its bundle, position of the player and position whose probability
    counts; (terms, width) chips."""

    places: AnyArray
    chips: AnyArray


class PlanBundle(NamedTuple):
    """A bundle of lines as it is laid out: how many positions it takes, and arguments of `lay_out_plan`."""

    positions: int
    sequences: AnyArray
    decisions: AnyArray
    places: AnyArray
    chips: AnyArray


def plan_bundles(lines: LineBundles, side: int, terms: LineTerms, positions: Iterable[int]) -> list[PlanBundle]:
    """The bundles of a player's plan, those for which there are positions."""
    found = []
    for b, (bundle, count) in enumerate(zip(lines.bundles, positions, strict=False)):
        own = terms.places[:, 0] == b
        sequences = np.array([[-1] * lines.width, *filled_rows(bundle.sequences[side], lines.width)])
        decisions = np.array([(above + 1, first + 1, n) for above, first, n in bundle.decisions[side]], np.int64)
        found.append(
            PlanBundle(
                count, sequences, decisions.reshape(-1, 3), np.ascontiguousarray(terms.places[own]),
                np.ascontiguousarray(terms.chips[own]),
            )
        )  # fmt: skip
    return found


def lay_out(by_lane: AnyArray, bundles: list[PlanBundle]) -> AnyArray:
    """Flat by bundle, lane and position, in the precision of the chips: products of a player's probabilities times them.

    Args:
        by_lane: (lanes, sequences) probabilities.
        bundles: from `plan_bundles`.
    """
    lanes, width, kind = len(by_lane), 1, by_lane.dtype
    if bundles:
        width, kind = bundles[0].sequences.shape[1], bundles[0].chips.dtype
    out, at = zeros_of((sum(one.positions for one in bundles) * width * lanes,), kind), 0
    for one in bundles:
        size = one.positions * width * lanes
        into, scratch = out[at : at + size].reshape(lanes, one.positions, width), np.ones(one.sequences.shape, kind)
        lay_out_plan(by_lane, one.sequences, one.decisions, scratch, one.places, one.chips, into)
        at += size
    return out


def filled_rows(rows: Iterable[list[int]], width: int) -> list[list[int]]:
    """Rows of sequences, of lines that a bundle has not -1."""
    return [row + [-1] * (width - len(row)) for row in rows]
