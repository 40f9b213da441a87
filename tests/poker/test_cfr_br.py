"""CFR-BR inside public chance sampling: an iteration against a plain twin, and the least exploitable strategy by linear
program."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

from counterplay import InputError
from counterplay.card_abstraction.blind import Blind
from counterplay.card_abstraction.card_abstraction import CardAbstraction, OneLane, StreetBuckets, lossless
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import ModelMixture, uniform
from counterplay.poker.whole_game.values.measure import measure
from tests.support.sampling_twin import SamplingTwin, check_tables, set_regrets, terminal_payoffs
from tests.support.whole_games import assert_same_tables

EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))


@cache
def game(last: str, stack: int = 9, sizes: str = "50%, a") -> HoldemGame:
    deck = NINE if last == "river" else EIGHT
    return holdem_game(holdem(stack, blinds=(1, 2), last=last), sizes, deck=deck, dtype=np.float64)


class BlindOnLastStreet:
    """Lossless lanes, but for the last street, where all hands are played alike."""

    name = "blind on the last street"

    def __init__(self, here: HoldemGame) -> None:
        self._fine, self._coarse, self._last = lossless(here.boards), OneLane(here.boards.classes), here.last
        self.preflop = self._fine.preflop

    def _on(self, street: int) -> CardAbstraction:
        return self._coarse if street == self._last else self._fine

    def sizes_on(self, street: int) -> Any:
        return self._on(street).sizes_on(street)

    def lanes_on(self, board: Board) -> tuple[int, Any]:
        return self._on(board.street).lanes_on(board)


@pytest.mark.parametrize("last", ["flop", "turn", "river"])
def test_iterations_are_those_of_the_plain_twin(last: str) -> None:
    here = game(last)
    buckets = make_buckets(here.boards, EMD((5, 4, 6)[: here.last])) if here.last > 1 else lossless(here.boards)
    solver, random = (
        PublicSampling(SamplingProblem(here, buckets, seed=3), exact=True, threads=2),
        np.random.default_rng(0),
    )
    twin = SamplingTwin(solver)
    set_regrets(solver, twin, lambda shape: 1e4 * random.random(shape))
    for t in (1, 2, 3):
        twin.iterate_against_responses(t)
    solver.sample(3)
    check_tables(solver, twin)


@pytest.mark.parametrize(("count", "left"), [(1000, 30.0), pytest.param(30_000, 8.0, marks=pytest.mark.slow)])
def test_it_comes_to_the_least_exploitable_strategy_of_its_buckets(count: int, left: float) -> None:
    here = game("flop", 9, "a")
    classes = here.boards.classes
    lanes = {flop.cards: flop.up for flop in here.flops}
    buckets = StreetBuckets(np.arange(classes, dtype=np.uint32), (lanes,), (classes,), "the hand before the flop")
    least = sum(least_response_value(here, player) for player in (0, 1)) / 2 * here.milli
    solver, plain = (PublicSampling(SamplingProblem(here, buckets, seed=1), exact=exact) for exact in (True, False))
    solver.sample(count)
    plain.sample(200)
    assert least <= measure(here, solver.average()).exploitability <= least + left
    assert measure(here, plain.average()).exploitability > least + 200.0


def least_response_value(here: HoldemGame, player: int) -> float:
    """What a best response in real cards earns at least against a player who sees no flop: a linear program, over the
    player's plan and the values of the other's sequences."""
    flops, side, foe = here.boards, here.sides[player], here.sides[1 - player]
    classes, entries = flops.classes, len(side.entries[1])
    number: dict[Any, int] = {}
    rows: list[tuple[dict[int, float], float, bool]] = []

    def at(*key: int) -> int:
        return number.setdefault(key, len(number))

    def equal(terms: dict[int, float], value: float = 0.0, *, most: bool = False) -> None:
        rows.append((terms, value, most))

    for c in range(classes):  # the player's plan: street, sequence, lane
        equal({at(0, 0, c): 1.0}, 1.0)
        for e in range(entries):
            equal({at(1, e, c): 1.0, at(0, int(side.entries[1][e]), c): -1.0})
    for street in (0, 1):
        for _, before, first, count in side.decisions[street].tolist():
            for c in range(classes):
                parts = {at(street, k, c): 1.0 for k in range(first, first + count)}
                equal({**parts, at(street, before, c): -1.0})
    worth: dict[Any, dict[int, float]] = {}  # values of the other's sequences: board, sequence, hand
    for k, board in enumerate([flops.root, *here.flops]):
        for theirs, ours, pays in terminal_payoffs(here, 1 - player, board):
            for h, j in zip(*np.nonzero(pays), strict=True):
                place = at(int(k > 0), theirs, int(board.up[j]) if k else int(j))
                terms = worth.setdefault((k, ours, int(h)), {})
                terms[place] = terms.get(place, 0.0) + float(pays[h, j]) * (1.0 if k else here.deals_after(0))
        decisions = foe.decisions[board.street].tolist()
        for d, (_, before, first, count) in enumerate(decisions):
            for h in range(len(board.hand)):
                best = at(2, k, d, h)
                worth.setdefault((k, before, h), {})[best] = 1.0
                for s in range(first, first + count):
                    equal({at(3, k, s, h): 1.0, best: -1.0}, most=True)
        for e in range(len(foe.entries[1]) if k else 0):
            for h in range(len(board.hand)):
                above = worth.setdefault((0, int(foe.entries[1][e]), int(board.up[h])), {})
                above[at(3, k, e, h)] = float(board.count)
    free = {at(3, *key) for key in worth} | {index for key, index in number.items() if key[0] > 1}
    for key, terms in worth.items():
        equal({at(3, *key): -1.0, **terms})
    known = {at(3, *key) for key in worth}
    for key, index in list(number.items()):
        if key[0] == 3 and index not in known:
            equal({index: 1.0})  # nothing is earned there
    goal = np.zeros(len(number))
    goal[[at(3, 0, 0, c) for c in range(classes)]] = 1.0

    def matrix(most: bool) -> tuple[Any, list[float]]:
        some = [(terms, value) for terms, value, kind in rows if kind == most]
        cells = [(r, c, x) for r, (terms, _) in enumerate(some) for c, x in terms.items()]
        r, c, x = zip(*cells, strict=True)
        return coo_array((x, (r, c)), shape=(len(some), len(number))).tocsr(), [value for _, value in some]

    (upper, most), (same, values) = matrix(True), matrix(False)
    bounds = [(None, None) if k in free else (0.0, None) for k in range(len(number))]
    solved = linprog(goal, A_ub=upper, b_ub=most, A_eq=same, b_eq=values, bounds=bounds, method="highs")
    assert solved.status == 0
    return float(solved.fun) / here.deals


@pytest.mark.slow
def test_with_one_bucket_on_the_river_plain_sampling_gets_worse_and_cfr_br_better() -> None:
    here = game("river", 4, "a")
    found = []
    for exact in (False, True):
        solver = PublicSampling(SamplingProblem(here, BlindOnLastStreet(here), seed=1), exact=exact)
        solver.sample(1500)
        found.append(measure(here, solver.average()).exploitability)
    assert found[1] < 0.8 * found[0]


def test_it_is_saved_resumed_and_the_same_with_any_threads(tmp_path: Any) -> None:
    here, file = game("turn", 4, "a"), tmp_path / "a.train"
    lanes = make_buckets(here.boards, Blind())
    whole = blueprint(here, lanes, method="cfr-br", iterations=9, seed=4)
    for iterations in (4, 9):
        some = blueprint(here, lanes, method="cfr-br", iterations=iterations, seed=4, training=file, threads=2)
    assert_same_tables(whole.play, some.play)
    with pytest.raises(InputError, match="another method"):
        blueprint(here, lanes, method="public", iterations=9, seed=4, training=file)


def test_it_takes_no_model() -> None:
    here = game("turn", 4, "a")
    with pytest.raises(InputError, match="no trust in a model"):
        PublicSampling(
            SamplingProblem(here, lossless(here.boards)), trust=ModelMixture(0, uniform(here), 0.5), exact=True
        )
