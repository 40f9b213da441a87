"""Learned values of rivers of hold'em: both ranges by strength in, the value that betting adds to a showdown out.

A hand counts by its *strength*, the share of all hands of the deck that it beats on the board, at the two nearest of some
equally spaced knots. The value of a showdown without bets needs no network; only the rest is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, AnyArray
from counterplay.errors import InputError
from counterplay.networks.network import RIVER, Network, opened_network, read_layers, write_network

DEPTHS = 3
"""Inputs that say how deep the stacks are."""
_HALF = 0.5
"""Pots behind at which the outputs count half."""
_SHALLOW, _MOST_KNOTS = 1e-3, 512


class Strengths(NamedTuple):
    """The strengths of some hands. knot: (n,) the knot below each. share: (n,) how much of the way to the next one it
    is."""

    knot: I64
    share: F64
    knots: int

    @staticmethod
    def of(strength: F64, knots: int) -> Strengths:
        """Strengths (n,) from 0 to 1."""
        at = strength * (knots - 1)
        knot = np.minimum(at.astype(np.int64), knots - 2)
        return Strengths(knot, at - knot, knots)

    def collect(self, row: I64, rows: int, weights: F64) -> F64:
        """(rows, knots) the sums of weights (n,) of hands that belong to rows (n,)."""
        flat, size = row * self.knots + self.knot, rows * self.knots
        sums = np.bincount(flat, weights * (1.0 - self.share), size).astype(np.float64)
        sums[1:] += np.bincount(flat, weights * self.share, size)[:-1]
        return np.asarray(sums.reshape(rows, self.knots), np.float64)

    def spread(self, row: I64, numbers: AnyArray) -> F64:
        """(n,) numbers (rows, knots) at the strengths of hands that belong to rows (n,)."""
        flat, at = numbers.reshape(-1), row * self.knots + self.knot
        return np.asarray((1.0 - self.share) * flat[at] + self.share * flat[at + 1], np.float64)


@dataclass(frozen=True, eq=False)
class RiverNetwork:
    """A network of the values of rivers. bets: sizes of bets and raises on the river, as text. raises: most bets and
    raises; None without a cap."""

    bets: str
    raises: int | None
    deck: str
    network: Network
    about: dict[str, Any]

    @property
    def knots(self) -> int:
        """The number of knots."""
        return int(self.network.weights[-1].shape[1]) // 2

    def extra(self, shares: F32, depth: F64) -> F64:
        """(n, 2, knots) what betting adds to the value of a showdown, in pots; it cancels between the players but for
        cards that both hold.

        Args:
            shares: (n, 2, knots) both ranges, scaled to sum 1.
            depth: (n,) chips behind of the shorter stack, in pots.
        """
        flat = shares.reshape(len(shares), -1)
        extra = self.network.answer(np.zeros(len(flat), np.int64), river_inputs(flat, depth)) * weight_of(depth)
        extra -= 0.5 * np.einsum("ij,ij->i", extra, flat)[:, None]
        return np.asarray(extra.reshape(shares.shape), np.float64)


def weight_of(depth: F64) -> F32:
    """(n, 1) factor of the outputs: without chips behind nobody can bet."""
    return np.asarray(depth / (_HALF + depth), np.float32)[:, None]


def river_inputs(flat: F32, depth: F64) -> F32:
    """(n, 2 * knots + DEPTHS) the inputs of the network: shares (n, 2 * knots), and the depth in numbers near 1."""
    deep = np.maximum(depth, _SHALLOW)
    numbers = np.stack([0.25 * np.log(deep), deep / (1.0 + deep), np.minimum(deep, 1.0)], axis=1)
    return np.concatenate([flat, numbers], axis=1, dtype=np.float32)


def save_river_network(path: Path, net: RiverNetwork) -> None:
    """Write a network of rivers (`.cpn`)."""
    facts = {"bets": net.bets, "raises": net.raises, "deck": net.deck, "about": net.about}
    write_network(path, RIVER, net.network, facts)


def load_river_network(path: str | Path) -> RiverNetwork:
    """A network of rivers, as `opened_network` reads it."""
    with opened_network(path, RIVER) as (archive, about):
        facts, network = archive.facts, read_layers(archive)
    inputs, outputs = network.weights[0].shape[0], network.weights[-1].shape[1]
    fits = inputs == outputs + DEPTHS and outputs % 2 == 0 and 4 <= outputs <= 2 * _MOST_KNOTS
    raises = facts.get("raises")
    if not (fits and len(network.biases[0]) == 1 and (raises is None or type(raises) is int)):
        raise InputError(f"{path} is damaged: its layers do not fit a river")
    return RiverNetwork(str(facts.get("bets")), raises, str(facts.get("deck")), network, about)
