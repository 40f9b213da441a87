"""Every registered gadget, and one of one's own, in all worlds: enumerated games, spots, whole hold'em games
on flop, turn and river."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import counterplay as cp
from counterplay import LookAhead
from counterplay.gadgets import GADGETS
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import Root
from tests.support.gadget_suite import WORLDS, check_gadget, subtrees
from tests.support.public_trees import toy
from tests.support.seats import seats_in_turn


@dataclass(frozen=True)
class Bonus(cp.Gadget):
    """A gadget of one's own: declining pays less than the alternative value, so that more hands enter."""

    less: float = 0.0
    never_worse = True

    def entry(self, root: Root) -> Entry:
        """Follow, or decline for the alternative value less a share of the root's weight."""
        declines = (1 + 2 * np.arange(root.size)).astype(np.int32)
        paid = root.values - self.less * root.weight
        two = np.full(root.size, 2, np.int32)
        return Entry("bonus", two, declines + 1, declines, paid, declines=declines)


@pytest.mark.parametrize(
    ("name", "world", "seat"),
    seats_in_turn(
        (name, world)
        for name, kind in GADGETS.items()
        if not kind.keeps_path and not kind.contracts_path
        for world in WORLDS
    ),
)
def test_registered_gadgets(name: str, world: str, seat: int) -> None:
    check_gadget(GADGETS[name](), world, seat)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("world", ["enumerated", "spot"])
def test_the_path_gadget_where_the_path_is_in_memory(world: str, seat: int) -> None:
    check_gadget(GADGETS["path"](), world, seat)


@pytest.mark.parametrize("world", ["flop", "turn"])
def test_the_path_gadget_on_one_board_of_a_whole_game(world: str) -> None:
    subtree, known = next(subtrees(world, 0))
    with pytest.raises(cp.InputError, match="which the opponent shares among all boards"):
        resolve_subtree(subtree, Search(LookAhead(gadget="path")), known)


@pytest.mark.parametrize("world", WORLDS)
def test_a_gadget_of_ones_own(world: str) -> None:
    check_gadget(Bonus(), world, 0)


def test_the_full_gadget_where_it_is_sound() -> None:
    """State by state in enumerated games; in poker only all boards at once."""
    check_gadget(GADGETS["full"](), "enumerated", 1)
    for world in ("spot", "flop", "turn"):
        subtree, known = next(subtrees(world, 0))
        with pytest.raises(cp.InputError, match="not by the full gadget"):
            resolve_subtree(subtree, Search(LookAhead(gadget="full")), known)


@pytest.mark.parametrize("gadget", [*(kind() for kind in GADGETS.values() if not kind.fixes_range), Bonus()], ids=str)
@pytest.mark.parametrize("world", ["enumerated", "spot"])
def test_no_more_exploitable_than_the_blueprint(gadget: cp.Gadget, world: str) -> None:
    game, at = (
        (cp.load("kuhn"), "moves:1")
        if world == "enumerated"
        else (SpotGame("t", toy(2, "turn", "a"), 10.0, 0.01), "round")
    )
    found = cp.resolve(game, ("random:3", "random:4"), at, gadget=gadget, solver="lp")
    assert found.gadget == str(gadget)
    assert found.after <= found.before + 1e-7
