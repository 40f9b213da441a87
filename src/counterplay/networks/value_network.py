"""Learned values at the borders of a game: both players' ranges in, both players' CFVs out; of a game in memory by the kind
of a public state, of others by the rules' numbers of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, AnyArray
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.step_states import states_at
from counterplay.networks.border_states import BorderRows, BorderStates
from counterplay.networks.network import NUMBERING, PUBLIC, VALUE, Network, opened_network, read_layers, write_network
from counterplay.subgames.cut_game import Border

_LEAST = 1e-30
"""A range that sums to less is taken for uniform."""


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """A network of the values at all borders of one depth of a game.

    Its input is the kind of a public state and both ranges there, each scaled to sum 1; its output is both players' CFVs,
    divided by the other's mass, by chance's probability of the state and by the scale of the kind. Half the surplus of
    both claims is subtracted from every CFV, so that the claims cancel.

    Attributes:
        depth: of the look-aheads, as text.
        scale: (kinds,) unit of the outputs.
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
    """Write a network of values (`.cpn`). Whole numbers take as few bytes as hold them: they are most of a small file."""
    states = net.states
    arrays: dict[str, AnyArray] = {"histories": states.histories, "kinds": states.kinds}
    for player in (0, 1):
        arrays[f"infosets{player}"] = states.infosets[player]
        arrays[f"places{player}"] = states.places[player]
        arrays[f"homes{player}"] = states.homes[player]
    arrays["swaps"] = states.swaps
    short = {name: x.astype(np.int16 if x.max(initial=0) < 1 << 15 else np.int32) for name, x in arrays.items()}
    facts = {"game": net.game, "depth": net.depth, "about": net.about}
    write_network(path, VALUE, net.network, facts, {**short, "scale": net.scale})


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
    fits = _fits(states) and len(network.biases[0]) == len(scale) == states.count
    if not (
        fits
        and network.weights[0].shape[0] == network.weights[-1].shape[1] == sum(states.widths)
        and np.isfinite(scale).all()
    ):
        raise InputError(f"{path} is damaged: its public states do not fit its layers")
    return ValueNetwork(str(facts.get("game")), str(facts.get("depth")), states, scale, network, about)


def _fits(states: BorderStates) -> bool:
    """Return whether the numbering is one: states ascending, every infoset with a place in a state."""
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


MOST_PRIVATE = 1024
"""Private numbers of a player: a network has an input and an output for each."""


class PublicRows(NamedTuple):
    """A border's public states, one a row, each of its own kind, and (rows, numbers) what the rules say of them."""

    rows: BorderRows
    numbers: F32


class FoldedRows(NamedTuple):
    """A border's rows, and the network with what the rules say of each row in its first biases."""

    rows: BorderRows
    network: Network


@dataclass(frozen=True, eq=False)
class PublicNetwork:
    """A network of values whose input are the rules' numbers of a public state and both ranges by private numbers.

    Ranges are scaled to sum 1, and CFVs divided by the other's mass, by chance's probability of the state, and by `scale`;
    half the surplus of both claims is subtracted from every CFV, so that the claims cancel.

    Attributes:
        depth: of the look-aheads, as text.
        widths: private numbers of both players.
        seen: (2, numbers) the least and the largest of each number of the rules among the samples.
        scale: unit of the outputs, in chips.
        network: (numbers + widths) inputs, (widths) outputs.
    """

    game: str
    depth: str
    widths: tuple[int, int]
    seen: F32
    scale: float
    network: Network
    about: dict[str, Any]

    def rows(self, border: Border) -> FoldedRows:
        """The rows of a border, in any part of the game.

        Raises:
            InputError: another game, or public states unlike those that were learned.
        """
        name = getattr(border.game.rules, "name", border.game.name)
        if name != self.game:
            raise InputError(f"the network was learned in {self.game}, not in {name}")
        rows, numbers = public_rows(border)
        weights, biases = self.network.weights, self.network.biases
        count = numbers.shape[1]
        if rows.widths != self.widths or count + sum(self.widths) != len(weights[0]):
            raise InputError(
                "the rules of the game describe public states in other numbers than those that were learned"
            )
        if (numbers < self.seen[0]).any() or (numbers > self.seen[1]).any():
            raise InputError(
                f"the network was learned at depth {self.depth} of {self.game}, and this look-ahead stops at public states "
                "unlike those, or before the rounds of learning came so far"
            )
        first = numbers @ weights[0][:count] + biases[0]
        return FoldedRows(rows, Network((weights[0][count:], *weights[1:]), (first, *biases[1:])))

    def values(self, rows: FoldedRows, range0: F64, range1: F64) -> tuple[F64, F64]:
        """CFVs (size,) of both players at a border."""
        return network_values(rows.network, rows.rows, rows.rows.chance * self.scale, range0, range1)


def public_rows(border: Border) -> PublicRows:
    """The rows of a border, by the rules' own numbers.

    Raises:
        InputError: the game is not written as rules, these do not say what networks of values need, or they number two
            infosets of a public state alike.
    """
    rules, game = described_rules(border.game.rules), border.game
    width = rules.value_sizes[1]
    names, first, state = np.unique(border.public, return_index=True, return_inverse=True)
    numbers = [rules.public_numbers(named) for named in states_at(rules, game.histories, border.histories[first])]
    at = []
    for player in (0, 1):
        heads = np.unique(border.known[player], return_index=True)[1]
        known = states_at(rules, game.histories, border.histories[heads])
        private = np.array([rules.private_number(at_head, player) for at_head in known], np.int64)
        places = state[heads] * width + private
        if private.min() < 0 or private.max() >= width or len(np.unique(places)) < len(places):
            raise InputError(
                f"{rules.name}: private_number must tell the infosets of a public state apart, below {width}"
            )
        at.append(places)
    chance = np.bincount(state, border.chance, len(names)).astype(np.float64)
    swaps = np.zeros((0, len(names), 2 * width), np.int64)
    rows = BorderRows(np.arange(len(names)), (at[0], at[1]), (width, width), chance, swaps)
    return PublicRows(rows, np.array(numbers, np.float32))


def described_rules(rules: Any) -> FastGame:
    """The rules of a game whose public states are described in numbers.

    Raises:
        InputError: the game is not written as rules, or these do not describe public states.
    """
    if not isinstance(rules, FastGame):
        raise InputError(f"{rules.name} is not written as rules, which describe public states to a network of values")
    width = rules.value_sizes[1]
    if width > MOST_PRIVATE:
        raise InputError(
            f"{rules.name}: a player may know {width:,} different things, and a network of values takes at most "
            f"{MOST_PRIVATE:,}"
        )
    return rules


def save_public_network(path: Path, net: PublicNetwork) -> None:
    """Write a network of values (`.cpn`)."""
    facts = {"game": net.game, "depth": net.depth, "widths": list(net.widths), "about": net.about}
    arrays = {"scale": np.array([net.scale], np.float32), "seen": net.seen}
    write_network(path, PUBLIC, net.network, facts, arrays)


def load_public_network(path: str | Path) -> PublicNetwork:
    """A network of values, as `opened_network` reads it."""
    with opened_network(path, PUBLIC) as (archive, about):
        facts, network = archive.facts, read_layers(archive)
        scale = float(archive.array("scale", (1,))[0])
        seen = archive.array("seen", (2, None)).astype(np.float32)
    widths = facts.get("widths")
    if not (
        isinstance(widths, list) and len(widths) == 2 and all(type(width) is int and width > 0 for width in widths)
    ):
        raise InputError(f"{path} is damaged: it does not say how many private numbers there are")
    fits = network.weights[-1].shape[1] == sum(widths) == len(network.weights[0]) - seen.shape[1]
    fits = fits and len(network.biases[0]) == 1
    if not (fits and np.isfinite(scale)):
        raise InputError(f"{path} is damaged: its layers do not fit")
    return PublicNetwork(
        str(facts.get("game")), str(facts.get("depth")), (widths[0], widths[1]), seen, scale, network, about
    )
