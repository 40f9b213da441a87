"""Learned values: what is learned once holds for all equal public states, and a network says what its arrays say.

The exact values of the linear program are the witness; networks come from committed files, so that no test here needs torch.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay import SolvedValue
from counterplay.gametree.compile.levels import Depth
from counterplay.networks.border_states import borders_of, number_states
from counterplay.networks.network import KIND, LEAK, Network
from counterplay.networks.value_network import load_value_network, save_value_network
from counterplay.subgames.cut_game import Border
from tests.support.archives import parts_of, sealed

FILES = Path(__file__).parent.parent / "files"
LEDUC = FILES.parent.parent / "examples" / "leduc.cpn"


@pytest.fixture(scope="module")
def leduc() -> cp.GameTree:
    return cp.load("leduc")


@pytest.mark.parametrize(
    ("spec", "depth", "states", "kinds", "swaps"),
    [("leduc", "round", 30, 3, 2), ("goofspiel:4", "2", 70, 21, 1), ("liars_dice:1,4", "1", 247, 28, 4)],
)
def test_public_states_of_one_kind_have_the_same_exact_values(
    spec: str, depth: str, states: int, kinds: int, swaps: int
) -> None:
    """Leduc has three games after the first round, one for each pot: suits and ranks are names. At equal ranges of the
    infosets that stand for each other the values are equal, and exchanging interchangeable ones changes nothing.
    """
    borders, rng = borders_of(cp.load(spec), Depth.of(depth)), np.random.default_rng(0)
    known = number_states(borders)
    assert (len(known.histories), known.count, len(known.swaps)) == (states, kinds, swaps)
    border = borders[0]
    rows, evaluate = known.rows(border), SolvedValue().at(border)

    def claims(ranges: np.ndarray) -> np.ndarray:
        held = [rows.collect(i, part) for i, part in enumerate(np.split(ranges, [rows.widths[0]], axis=1))]
        cfvs = evaluate(*held)
        return np.asarray((rows.spread(0, cfvs[0]) * rows.spread(0, held[0])).sum(axis=1) / rows.chance)

    ranges = rng.random((known.count, sum(rows.widths)))[rows.kinds]
    found = claims(ranges)
    for kind in np.unique(rows.kinds):
        assert np.ptp(found[rows.kinds == kind]) < 1e-7
    for swap in rows.swaps:
        assert claims(np.take_along_axis(ranges, swap, axis=1)) == pytest.approx(found, abs=1e-7)


def test_a_network_computes_its_layers() -> None:
    """Against the same in plain loops."""
    rng = np.random.default_rng(1)
    sizes = [(3, 4), (4, 5), (5, 2)]
    weights = tuple(rng.normal(size=size).astype(np.float32) for size in sizes)
    biases = tuple(rng.normal(size=size).astype(np.float32) for size in ((2, 4), (5,), (2,)))
    kinds, inputs = np.array([1, 0]), rng.random((2, 3), dtype=np.float32)
    found = Network(weights, biases).answer(kinds, inputs)
    for row in (0, 1):
        units = [float(x) for x in inputs[row]]
        for layer, weight in enumerate(weights):
            units = units if layer == 0 else [x if x > 0 else float(LEAK) * x for x in units]
            bias = biases[0][kinds[row]] if layer == 0 else biases[layer]
            units = [sum(x * float(w) for x, w in zip(units, column, strict=True)) for column in weight.T]
            units = [x + float(b) for x, b in zip(units, bias, strict=True)]
        assert found[row] == pytest.approx(units, rel=1e-4, abs=1e-5)


def test_claims_cancel_and_values_scale_with_the_ranges(leduc: cp.GameTree) -> None:
    """A CFV is linear in the other's mass and ignores its own player's; where the other never comes it is 0."""
    border, rng = borders_of(leduc, Depth.of("round"))[0], np.random.default_rng(2)
    evaluate = cp.NetworkValue(str(LEDUC)).at(border)
    ranges = [rng.random(size) for size in border.sizes]
    first, second = evaluate(*ranges)
    assert ranges[0] @ first + ranges[1] @ second == pytest.approx(0.0, abs=1e-6)
    more = evaluate(3.0 * ranges[0], ranges[1])
    assert more[0] == pytest.approx(first, abs=1e-6)
    assert more[1] == pytest.approx(3.0 * second, abs=1e-5)
    assert not evaluate(0.0 * ranges[0], ranges[1])[1].any()


def test_the_committed_network_is_as_good_as_its_file_says(leduc: cp.GameTree) -> None:
    net = load_value_network(LEDUC)
    told = net.about["errors"]
    found = cp.value_error(leduc, f"net:{LEDUC}", "round", samples=5, seed=net.about["seed"] + 1)
    assert found.gap < 1e-6
    assert found.mean < 1.2 * told["mean"]
    assert found.worst < 1.2 * told["worst"]
    assert LEDUC.stat().st_size < 200_000


@pytest.mark.parametrize("p", [0.0, *(pytest.param(p, marks=pytest.mark.slow) for p in (0.5, 1.0))])
def test_a_network_exploits_as_exact_values_do(leduc: cp.GameTree, p: float) -> None:
    """By the default number of iterations."""
    model = cp.opponent(leduc, "uniform")
    exact = cp.respond(leduc, model, "cdrnr", p=p, depth="round")
    learned = cp.respond(leduc, model, "cdrnr", p=p, depth="round", leaf=f"net:{LEDUC}")
    assert abs(learned.gain - exact.gain) < 0.02
    if p == 0.0:
        assert learned.exploitability < 0.010


def test_a_look_ahead_over_a_network_stops_where_it_is_asked_to(leduc: cp.GameTree) -> None:
    """At p = 0.5, where many responses are about as good, so that gain grows for long; at first it may fall."""
    model, value = cp.opponent(leduc, "uniform"), f"net:{LEDUC}"
    gains = [
        cp.respond(leduc, model, "cdrnr", p=0.5, depth="round", leaf=value, stop=cp.Stop(iterations=number)).gain
        for number in (10, 30, 100)
    ]
    assert max(gains[:2]) < gains[2] - 0.01


def test_a_saved_network_reads_back_bit_for_bit(tmp_path: Path) -> None:
    save_value_network(tmp_path / "again.cpn", load_value_network(LEDUC))
    assert (tmp_path / "again.cpn").read_bytes() == LEDUC.read_bytes()


def test_weights_of_16_bits_take_half_of_the_file_and_read_back(tmp_path: Path, leduc: cp.GameTree) -> None:
    """A weight changes by at most 2^-11 of itself, and values hardly."""
    net = load_value_network(LEDUC)
    half = replace(net, network=net.network.halved)
    save_value_network(tmp_path / "half.cpn", half)
    again = load_value_network(tmp_path / "half.cpn")
    assert (tmp_path / "half.cpn").stat().st_size < 0.6 * LEDUC.stat().st_size
    border = borders_of(leduc, Depth.of("round"))[0]
    ranges = [np.random.default_rng(4).random(size) for size in border.sizes]
    for one, two in zip(again.network.weights, net.network.weights, strict=True):
        assert one == pytest.approx(two, rel=2.0**-11, abs=1e-7)
    for one, two in zip(again.values(again.rows(border), *ranges), net.values(net.rows(border), *ranges), strict=True):
        assert one == pytest.approx(two, abs=0.005 * float(abs(two).max()))


def test_a_search_of_one_decision_asks_for_a_part_of_a_border(leduc: cp.GameTree) -> None:
    """Its limit has some of the public states, and gets the values that the whole border gets there."""
    border, rng = borders_of(leduc, Depth.of("round"))[0], np.random.default_rng(3)
    chosen = np.isin(border.public, np.unique(border.public)[[4, 11, 12]])
    part, value = Border.at(leduc, border.histories[chosen]), cp.NetworkValue(str(LEDUC))
    ranges = [rng.random(size) for size in border.sizes]
    inside = [np.isin(border.infosets[i], part.infosets[i]) for i in (0, 1)]
    few = value.at(part)(ranges[0][inside[0]], ranges[1][inside[1]])
    for i, cfvs in enumerate(value.at(border)(*ranges)):
        assert few[i] == pytest.approx(cfvs[inside[i]], abs=1e-6)


def test_a_network_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    path, kuhn = tmp_path / "net.cpn", cp.load("kuhn")
    path.write_bytes((FILES / "kuhn.cpn").read_bytes())
    value, border = cp.NetworkValue(str(path)), borders_of(kuhn, Depth.of(1))[0]
    value.at(border)
    path.write_bytes(LEDUC.read_bytes())
    with pytest.raises(cp.InputError, match="learned in leduc, not in kuhn"):
        value.at(border)


@pytest.mark.parametrize(
    ("spec", "depth", "sentence"),
    [
        ("kuhn", 1, "leduc.cpn does not fit: the network was learned in leduc, not in kuhn"),
        (
            "leduc",
            1,
            "leduc.cpn does not fit: the network was learned at depth round of leduc, and this look-ahead stops",
        ),
    ],
)
def test_a_network_is_refused_elsewhere(spec: str, depth: int, sentence: str) -> None:
    game = cp.load(spec)
    with pytest.raises(cp.InputError, match=sentence):
        cp.respond(game, cp.opponent(game, "uniform"), "cdbr", depth=depth, leaf=f"net:{LEDUC}")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"holds": "policy"}, "holds a network of kind 'policy', and value is needed"),
        ({"layers": 99}, "has no number of layers"),
        ({"places0": np.full(3, -1, np.int32)}, "its public states do not fit its layers"),
        ({"weight0": np.full((6, 24), np.nan, np.float32)}, "its layers do not fit"),
        ({"swaps": np.ones((1, 1, 1), np.int32)}, "its public states do not fit its layers"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    facts, arrays = parts_of(FILES / "kuhn.cpn")
    facts |= {name: one for name, one in change.items() if name in facts}
    arrays |= {name: one for name, one in change.items() if name in arrays}
    path = sealed(tmp_path / "odd.cpn", KIND, facts, arrays)
    with pytest.raises(cp.InputError, match=sentence):
        load_value_network(path)
