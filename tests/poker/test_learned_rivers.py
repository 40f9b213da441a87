"""Learned rivers: without a network they are showdowns, claims cancel, and a committed network is near exact solutions.

No test here needs torch: the network of 20 cards is a committed file.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay import SolvedValue, Spot, Stop
from counterplay.networks.network import Network
from counterplay.networks.river_network import DEPTHS, RiverNetwork, Strengths, load_river_network, save_river_network
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.spot_game import StoredSpotGame
from counterplay.poker.subtrees.street_limit import StreetEnd, truncate
from counterplay.value_functions.network_value import RiverShowdowns, RiverValue
from tests.support.stored_spots import large_from

RIVERS = Path(__file__).parent.parent / "files" / "rivers.cpn"
TURN = Spot("Qs Jh Td Ac", "KQs,JJ,AQ,KT", "AA,KJ,QTs,AJ", 100, 300, bets="100%, a", deck="T")


def end_of(spot: Spot) -> StreetEnd:
    return truncate(public_tree(spot.betting, spot.cards), 0)


def ranges_at(end: StreetEnd, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random ranges at every deal."""
    hands, rng = end.whole.boards.layers[0].hand, np.random.default_rng(seed)
    weights = end.whole.boards.cards.weights
    first, second = (np.tile(one[hands], len(end.deals)) * rng.random(end.sizes[0]) for one in weights)
    return first, second


def nothing(knots: int = 8, bets: str = "100%, a") -> RiverNetwork:
    """A network that adds nothing."""
    sizes = [2 * knots + DEPTHS, 4, 2 * knots]
    weights = tuple(np.zeros((a, b), np.float32) for a, b in pairwise(sizes))
    return RiverNetwork(
        bets, None, "T", Network(weights, (np.zeros((1, 4), np.float32), np.zeros(2 * knots, np.float32))), {}
    )


def test_without_a_network_rivers_are_showdowns() -> None:
    """Where nobody bets on the river the solved values are those of showdowns, hand by hand."""
    spot = replace(TURN, bets="100%, a; river: none")
    end = end_of(spot)
    ranges = ranges_at(end, 0)
    learned = RiverValue(nothing(bets=spot.bets)).at(end)(*ranges)
    for found, exact in zip(learned, SolvedValue.from_text("cfr+:2").at(end)(*ranges), strict=True):
        assert found == pytest.approx(exact, abs=1e-9)


def test_strengths_are_shares_of_hands_beaten() -> None:
    """Against counting, on the first river."""
    end = end_of(TURN)
    rivers, cards = RiverShowdowns(end), end.whole.boards.cards
    layer = end.whole.boards.layers[1]
    board, n = layer.boards[0], int(layer.first[1])
    live = [card for card in cards.deck if card not in board]
    every = cards.rank(board, np.array([(a, b) for a in live for b in live if a < b]))
    own = cards.rank(board, cards.hands[layer.hand[:n]])
    beaten = [(np.mean(every < rank) + np.mean(every <= rank)) / 2.0 for rank in own]
    assert rivers.strength[:n] == pytest.approx(beaten)


def test_claims_cancel_and_scale() -> None:
    end = end_of(TURN)
    evaluate = cp.NetworkValue(str(RIVERS)).at(end)
    ranges = ranges_at(end, 1)
    first, second = evaluate(*ranges)
    assert ranges[0] @ first + ranges[1] @ second == pytest.approx(0.0, abs=1e-9)
    more = evaluate(3.0 * ranges[0], ranges[1])
    assert more[0] == pytest.approx(first, abs=1e-6)
    assert more[1] == pytest.approx(3.0 * second, abs=1e-5)


def test_the_committed_network_is_nearer_than_showdowns() -> None:
    """Solved rivers are the witness; errors are those of hands, in chips times reach."""
    end = end_of(TURN)
    exact, learned, shown = (
        value.at(end)
        for value in (SolvedValue.from_text("dcfr:300"), cp.NetworkValue(str(RIVERS)), RiverValue(nothing()))
    )
    errors = np.zeros(2)
    for seed in range(3):
        ranges = ranges_at(end, seed)
        truth = exact(*ranges)
        for k, answer in enumerate((learned(*ranges), shown(*ranges))):
            errors[k] += sum(np.abs(one - other).sum() for one, other in zip(answer, truth, strict=True))
    assert errors[0] < 0.5 * errors[1]
    assert RIVERS.stat().st_size < 200_000


def test_a_look_ahead_stops_where_the_turn_ends() -> None:
    answer = cp.respond(TURN, cp.opponent(TURN, "uniform", 1), "cdrnr", p=0.5, depth="round", leaf=f"net:{RIVERS}")
    exact = cp.respond(TURN, cp.opponent(TURN, "uniform", 1), "cdrnr", p=0.5, depth="round")
    assert answer.gain > 0.8 * exact.gain


def test_a_large_spot_takes_the_network_too() -> None:
    """Where plans stand in a store the look-ahead is that of arrays, iteration by iteration."""

    def measured() -> list[float]:
        model, text = cp.opponent(TURN, "uniform", 1), f"cdrnr:p=0.5,depth=round,leaf=net:{RIVERS}"
        answer = cp.respond(TURN, model, text, solver="dcfr", stop=Stop(iterations=6))
        return [answer.value_against_model, cp.evaluate(TURN, answer.strategy).worst_case, answer.gap]

    with large_from(1 << 60):
        arrays = measured()
    with large_from(0, "double"):
        assert isinstance(cp.load(TURN), StoredSpotGame)
        assert measured() == pytest.approx(arrays, abs=1e-10 * TURN.pot)


def test_collecting_and_spreading_are_transposes() -> None:
    rng = np.random.default_rng(4)
    strengths = Strengths.of(rng.random(40), 7)
    row, weights, numbers = rng.integers(3, size=40), rng.random(40), rng.random((3, 7))
    assert (strengths.collect(row, 3, weights) * numbers).sum() == pytest.approx(
        weights @ strengths.spread(row, numbers)
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"bets": "50%"},
            "was learned with the bets .* and any number of raises on the river, and here they are others",
        ),
        ({"raises": 2}, "here they are others"),
        ({"rake": 0.05}, "was learned without a rake"),
        ({"board": "Qs Jh Td"}, "for rivers, where a turn ends, and here 3 cards are on the board"),
        (
            {"deck": "9", "oop": "KQs", "ip": "AA,KJ"},
            "was learned with the cards from T up, and this deck is another one",
        ),
    ],
)
def test_a_network_of_rivers_is_refused_elsewhere(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(cp.InputError, match=f"rivers.cpn does not fit: .*{sentence}"):
        cp.NetworkValue(str(RIVERS)).at(end_of(replace(TURN, **change)))


def test_kinds_of_networks_are_told_apart(tmp_path: Path) -> None:
    leduc = cp.load("leduc")
    with pytest.raises(cp.InputError, match="is of spots of hold'em, not of an enumerated game"):
        cp.respond(leduc, cp.opponent(leduc, "uniform"), "cdbr", depth="round", leaf=f"net:{RIVERS}")
    with pytest.raises(cp.InputError, match="is of an enumerated game, not of a spot"):
        cp.NetworkValue(str(RIVERS.parent / "kuhn.cpn")).at(end_of(TURN))
    save_river_network(tmp_path / "again.cpn", load_river_network(RIVERS))
    assert (tmp_path / "again.cpn").read_bytes() == RIVERS.read_bytes()
