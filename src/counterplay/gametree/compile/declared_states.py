"""Declared public states: a game's own partition, in terms of the finest public states, which are computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from counterplay.arrays import I32
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.replay_kernels import states_at
from counterplay.gametree.compile.compile import GameTree


def declared_states(game: GameTree) -> I32:
    """(public_states,) the number of the declared public state that holds each public state of the game.

    Declared states are numbered from 0 by first visit. `public`, a method that the game must have, is called at one
    history of each public state; equal texts are one declared state."""
    public = getattr(game.rules, "public", None)
    if public is None:
        raise InputError(f"{game.name} declares no public states: it has no method public(state)")
    numbers: dict[str, int] = {}
    known = game.histories.info[0]
    inner = np.flatnonzero(known >= 0)
    first = inner[np.unique(game.public[0][known[inner]], return_index=True)[1]]
    states: Iterable[Any] = game.states(first)
    if isinstance(game.rules, FastGame):
        states = states_at(game.rules, game.histories, first)
    return np.array([numbers.setdefault(public(state), len(numbers)) for state in states], np.int32)
