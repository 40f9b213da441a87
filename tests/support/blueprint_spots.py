"""Places in games for re-solving a blueprint, known and random, with what is told of the blueprint there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import counterplay as cp
from counterplay.subgames.cut import Cut, Place, subgames_at
from tests.support import theorems, witness
from tests.support.random_games import (
    KINDS,
    MatchUp,
    match_ups,
    random_table,
)

EXACT = 1e-6
slack = partial(theorems.slack, share=EXACT)
SPOTS = [
    ("kuhn", "moves:1", False),
    ("goofspiel:4", "moves:2", False),
    ("goofspiel:4", "moves:2", True),
    ("liars_dice:1,3", "moves:1", False),
    ("ggse_fig1", "moves:1", False),
    ("ggse_fig5", "moves:0", False),
    ("ggse_fig8", "moves:1", False),
    ("ggse_fig11", "moves:0", False),
]
BLUEPRINTS = ["uniform", "random:3", "cfr+:4", "nash"]


def pieces_of(game: cp.GameTree, seat: int, at: str, declared: bool = False) -> list[Cut]:
    return subgames_at(game, Place.of(at, declared), seat)


def of(game: cp.GameTree, table: witness.Table, player: int = 0) -> cp.Strategy:
    return cp.Strategy.from_table(game.trees[player], table)


def signed(seat: int, chips: float) -> float:
    return chips if seat == 0 else -chips


def weights_of(piece: Cut, mine: cp.Strategy) -> np.ndarray:
    """Chance's and the resolver's reach of each of the opponent's augmented infosets at the top, one history at a time."""
    out, game = np.zeros(piece.size), piece.game
    for history, known in zip(piece.top.histories.tolist(), piece.top.known[piece.opponent].tolist(), strict=True):
        out[known] += game.histories.reach[history] * mine.plan[game.sequences[piece.resolver][history]]
    return out


@dataclass(frozen=True)
class Spot:
    """Random game, both parts of a blueprint, a place that the game has."""

    rules: Any
    game: cp.GameTree
    seat: int
    mine: cp.Strategy
    theirs: cp.Strategy
    place: Place

    @property
    def pieces(self) -> list[Cut]:
        return subgames_at(self.game, self.place, self.seat)


@st.composite
def spots(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Spot:
    """Random games at one of their places; games in which no player knows the number of moves are skipped."""
    match: MatchUp = draw(match_ups())
    rules, game, seat = match.rules, match.game, match.seat
    table = random_table(rules, seat, draw(st.sampled_from(kinds)), draw(st.integers(0, 10**6)))
    found = []
    for text in ("moves:1", "moves:2", "moves:3", "moves:0", "round"):
        try:
            pieces = pieces_of(game, seat, text)
        except cp.InputError:
            continue
        if np.sum([piece.root >= 0 for piece in pieces], axis=0).max() <= 1:  # else see below
            found.append(Place.of(text))
    assume(found)
    return Spot(rules, game, seat, of(game, table, seat), match.model, draw(st.sampled_from(found)))


def two_states(first: float, second: float) -> witness.Table:
    """H with these probabilities, in state 1 and in states 2 and 3."""
    return {"state 1": {"H": first, "T": 1.0 - first}, "state 2 or 3": {"H": second, "T": 1.0 - second}}


def example(game: cp.GameTree, figure: int) -> tuple[cp.Strategy, str]:
    """The blueprint that the printed numbers need, and the place."""
    if figure == 1:
        return of(game, {"guess": {"F": 0.5, "H": 0.5, "T": 0.0}}), "moves:1"
    if figure == 8:
        return of(game, {"reply": {"R": 1.0, "P": 0.0, "S": 0.0}}), "moves:1"
    return of(game, two_states(0.0, 0.5 if figure == 5 else 0.25)), "moves:0"


def weighted_prior(pieces: list[Cut]) -> dict[str, float]:
    """Some odds for a prior from a file, 0 and 1 among them."""
    names = list(dict.fromkeys(name for piece in pieces for name in piece.names()))
    return {name: (3 * i) % 5 / 4 for i, name in enumerate(names)}


ENTRY = dict.fromkeys(("0p", "1p", "2p", "0b", "1b", "2b"), 1.0)
"""What the opponent may know at the tops of Kuhn poker after one move."""
