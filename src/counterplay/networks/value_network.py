"""Learned values at the borders of a game: both players' ranges in, both players' CFVs out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.arrays import F32, F64, AnyArray
from counterplay.errors import InputError
from counterplay.networks.border_states import BorderRows, BorderStates
from counterplay.networks.network import NUMBERING, VALUE, Network, opened_network, read_layers, write_network
from counterplay.subgames.cut_shape import Border

_LEAST = 1e-30
"""A range that sums to less is taken for uniform."""


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """A network of the values at all borders of one depth of a game.

    Its input is the kind of a public state and both ranges there, each scaled to sum 1; its output is both players' CFVs,
    divided by the other's mass, by chance's probability of the state and by the scale of the kind. Half the surplus of
    both claims is subtracted from every CFV, so that the claims cancel.

    Attributes:
        game: name of the game.
        depth: of the look-aheads, as text.
        states: the public states it knows.
        scale: (kinds,) unit of the outputs.
        network: the network.
        about: how it was learned: seed, samples and errors.
    """

    game: str
    depth: str
    states: BorderStates
    scale: F32
    network: Network
    about: dict[str, Any]

    def rows(self, border: Border) -> BorderRows:
        """The rows of a border in the network.

        Raises:
            InputError: another game, or a border that was not learned.
        """
        if border.game.name != self.game:
            raise InputError(f"the network was learned in {self.game}, not in {border.game.name}")
        try:
            return self.states.rows(border)
        except InputError:
            raise InputError(
                f"the network was learned at depth {self.depth} of {self.game}, and this look-ahead stops elsewhere"
            ) from None

    def values(self, rows: BorderRows, range0: F64, range1: F64) -> tuple[F64, F64]:
        """CFVs (size,) of both players at a border."""
        return network_values(self.network, rows, rows.chance * self.scale[rows.kinds], range0, range1)


def network_values(network: Network, rows: BorderRows, unit: F64, range0: F64, range1: F64) -> tuple[F64, F64]:
    """CFVs (size,) of both players at a border; unit: (rows,) of the network's outputs, times chance's probability."""
    both = rows.spread(0, range0), rows.spread(1, range1)
    mass = both[0].sum(axis=1, keepdims=True), both[1].sum(axis=1, keepdims=True)
    shares = [normalised(rows, i, both[i], mass[i]) for i in (0, 1)]
    inputs, order = rows.turned(np.concatenate(shares, axis=1, dtype=np.float32))
    answer = network.answer(rows.kinds, inputs)
    answer -= 0.5 * np.einsum("ij,ij->i", answer, inputs)[:, None]
    cfvs = np.empty_like(answer)
    cfvs.reshape(-1)[order.reshape(-1)] = answer.reshape(-1)
    first, second = cfvs[:, : rows.widths[0]], cfvs[:, rows.widths[0] :]
    return rows.collect(0, first * (unit[:, None] * mass[1])), rows.collect(1, second * (unit[:, None] * mass[0]))


def normalised(rows: BorderRows, player: int, ranges: F64, mass: F64) -> F64:
    """(rows, width) ranges scaled to sum 1; uniform where nobody comes."""
    empty = mass[:, 0] < _LEAST
    if empty.any():
        used = rows.spread(player, np.ones(len(rows.at[player])))
        ranges, mass = ranges.copy(), mass.copy()
        ranges[empty] = used[empty]
        mass[empty] = used[empty].sum(axis=1, keepdims=True)
    return np.asarray(ranges / mass)


def save_value_network(path: Path, net: ValueNetwork) -> None:
    """Write a network of values (`.cpn`)."""
    states = net.states
    arrays: dict[str, AnyArray] = {"histories": states.histories, "kinds": states.kinds}
    for player in (0, 1):
        arrays[f"infosets{player}"] = states.infosets[player]
        arrays[f"places{player}"] = states.places[player]
        arrays[f"homes{player}"] = states.homes[player]
    arrays["swaps"] = states.swaps
    numbers = {name: _short(array) for name, array in arrays.items()}
    facts = {"game": net.game, "depth": net.depth, "about": net.about}
    write_network(path, VALUE, net.network, facts, {**numbers, "scale": net.scale})


def _short(numbers: AnyArray) -> AnyArray:
    """Whole numbers in as few bytes as hold them: they are most of a small network's file."""
    return numbers.astype(np.int16 if numbers.max(initial=0) < 1 << 15 else np.int32)


def load_value_network(path: str | Path) -> ValueNetwork:
    """A network of values, as `opened_network` reads it."""
    with opened_network(path, VALUE) as (archive, about):
        facts, network = archive.facts, read_layers(archive)
        numbers = {name: archive.array(name, (None,), "i").astype(np.int64) for name in NUMBERING}
        swaps = archive.array("swaps", (None, None, None), "i").astype(np.int64)
        scale = archive.array("scale", (None,)).astype(np.float32)
    states = BorderStates(
        numbers["histories"], numbers["kinds"], (numbers["infosets0"], numbers["infosets1"]),
        (numbers["places0"], numbers["places1"]), (numbers["homes0"], numbers["homes1"]), swaps,
    )  # fmt: skip
    net = ValueNetwork(str(facts.get("game")), str(facts.get("depth")), states, scale, network, about)
    if not (_fits(states) and _matches(net)):
        raise InputError(f"{path} is damaged: its public states do not fit its layers")
    return net


def _fits(states: BorderStates) -> bool:
    """Whether the numbering is one: states ascending, every infoset with a place in a state."""
    count = len(states.histories)
    fits = count > 0 and len(states.kinds) == count and bool((np.diff(states.histories) > 0).all())
    fits = fits and bool((np.diff(np.unique(states.kinds), prepend=-1) == 1).all())
    for infosets, places, homes in zip(states.infosets, states.places, states.homes, strict=True):
        fits = fits and len(infosets) == len(places) == len(homes) > 0
        fits = fits and bool((places >= 0).all() and (homes >= 0).all() and (homes < count).all())
        fits = fits and bool((infosets >= 0).all())
    wide = sum(states.widths) if fits else 0
    fits = fits and states.swaps.shape[1:] == (states.count, wide)
    return fits and bool((np.sort(states.swaps, axis=2) == np.arange(wide)).all())


def _matches(net: ValueNetwork) -> bool:
    """Whether the layers are of the numbering's sizes."""
    wide, weights, biases = sum(net.states.widths), net.network.weights, net.network.biases
    sizes = weights[0].shape[0] == weights[-1].shape[1] == wide
    kinds = len(biases[0]) == len(net.scale) == net.states.count
    return sizes and kinds and bool(np.isfinite(net.scale).all())
