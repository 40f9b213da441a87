"""Look-aheads with value functions in large spots, whose plans stand in a store: the numbers of arrays.

Portfolios are of biased strategies: a random one is drawn node by node in a store, and is another one there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, Stop, Strategy
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.subtrees.street_limit import Below, solves_beyond, truncate
from counterplay.solvers.minimiser import minimiser
from tests.support.stored_spots import SPOTS, TURN, large_from

STORED, ARRAYS = 0, 1 << 60
TEXTS = [
    "cdbr:leaf=equity", "cdrnr:p=0.5,leaf=equity", "cdbr:leaf=cfr:5", "cdrnr:p=0.5,leaf=dcfr:5",
    "resolve:gadget=full,leaf=cfr:4", "cdbr:leaf=portfolio:uniform",
    "abd:p=1,leaf=portfolio:uniform;bias:bet=3:uniform",
    "abd:p=0.5,leaf=portfolio:uniform|bias:fold=3:uniform;bias:bet=3:uniform",
    "resolve:gadget=full,leaf=portfolio:uniform;bias:bet=3:uniform",
    "abd:p=0.4,gadget=max-margin,leaf=portfolio:uniform;bias:bet=3:uniform;bias:fold=3:uniform",
]  # fmt: skip


def measured(name: str, text: str, seat: int) -> list[float]:
    """Chips against the model and against a best responder, and the largest gap of a look-ahead."""
    game = cp.load(SPOTS[name])
    model = cp.opponent(game, "bias:fold=3:uniform", 1 - seat)
    head, _, words = text.partition(":")
    answer = cp.respond(game, model, f"{head}:depth=round,{words}", solver="dcfr", stop=Stop(iterations=6))
    return [answer.value_against_model, cp.evaluate(game, answer.strategy).worst_case, answer.gap]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(pytest.param("turn", text, marks=[pytest.mark.slow] * (text in TEXTS[7::2])) for text in TEXTS),
        *(pytest.param("flop", text, marks=pytest.mark.slow) for text in (*TEXTS[1:6:2], TEXTS[8])),
    ],
)
def test_look_aheads_with_values_are_those_of_arrays(name: str, text: str) -> None:
    """Iteration by iteration in float64 storage, in both seats."""
    seat = TEXTS.index(text) % 2
    with large_from(ARRAYS):
        arrays = measured(name, text, seat)
    with large_from(STORED, "double"):
        stored = measured(name, text, seat)
    assert stored == pytest.approx(arrays, abs=1e-10 * TURN.pot)


@pytest.mark.parametrize(
    ("name", "street"), [("turn", 0), ("flop", 1), pytest.param("flop", 0, marks=pytest.mark.slow)]
)
def test_claims_between_ranges_are_those_of_arrays(name: str, street: int) -> None:
    """At any two ranges that a strategy leads to: CFVs of best responses to averages, of hands that are held."""
    part, held = _border(name, street)
    ends: list[Any] = [part, replace(part, precision="double")]
    assert isinstance(solves_beyond(ends[0]), Below)
    found = [_claims(end, held, 4) for end in ends]
    largest = max(abs(one).max() for one in found[0])
    for player in (0, 1):
        live = held[player] > 0.0
        assert found[1][player][live] == pytest.approx(found[0][player][live], abs=1e-12 * largest)


@pytest.mark.parametrize("precision", ["single", "half"])
def test_in_less_precision_claims_bound_the_same_value(precision: str) -> None:
    """Rounding decides ties, and so other averages are as good: what both players claim holds the value from above and from
    below, as closely as in arrays."""
    part, held = _border("turn", 0)
    bounds = []
    for end in (part, replace(part, precision=precision)):
        claims = _claims(end, held, 150)
        bounds.append((-float(held[1] @ claims[1]), float(held[0] @ claims[0])))
    (low, high), (lower, higher) = bounds
    assert low <= high
    assert lower <= high + 1e-6
    assert low <= higher + 1e-6
    assert higher - lower <= high - low + 1e-3 * TURN.pot


def _border(name: str, street: int) -> tuple[Any, list[Any]]:
    """The part of a spot up to the end of a street, and both players' ranges there by random plans."""
    spot = SPOTS[name]
    part = truncate(public_tree(spot.betting, spot.cards), street)
    draws, nodes = np.random.default_rng(street), np.searchsorted(part.nodes, part.deals).tolist()
    return part, [_random_plan(part, i, draws)[part.places(part.runs[i], nodes)] for i in (0, 1)]


def _claims(end: Any, held: list[Any], iterations: int) -> list[Any]:
    """Both players' claims; what was solved before is forgotten."""
    below, solved = solves_beyond(end), None
    for scale in (0.5, 1.0):
        for player in (0, 1):
            below.enter(player, scale * held[player])
        solved = below.solve(minimiser("dcfr"), iterations)
    return [below.claim(player, solved) for player in (0, 1)]


def _random_plan(part: Any, player: int, draws: np.random.Generator) -> Any:
    """A plan of the part, dealt from the range, that reaches some borders with probability 0."""
    runs, boards = part.runs[player], part.whole.boards
    tree = runs.tree
    weights = draws.random(tree.size) * (draws.random(tree.size) > 0.1)
    behaviour = Strategy.from_plan(tree, weights).behaviour
    given = runs.given(boards.cards.weights[player][boards.layers[0].hand])
    return given.played(tree, behaviour)


def test_what_takes_arrays_below_the_limit_is_refused_in_one_sentence() -> None:
    with large_from(STORED):
        game = cp.load(TURN)
        model = cp.opponent(game, "uniform")
        for text, name in (("lp", "lp"), ("pcfr+:5", r"pcfr\+")):
            with pytest.raises(InputError, match=f"below the limit is solved by iterations of .*, not by {name}"):
                cp.respond(game, model, f"cdrnr:p=0.5,depth=round,leaf={text}")
        agent = cp.agent(game, "cdrnr:p=0.5,leaf=equity,iterations=4,to=uniform", 0)
        assert sum(agent.policy("x x 8c | AcKc").values()) == pytest.approx(1.0)
