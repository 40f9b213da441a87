"""Values by what the rules say of public states: equal descriptions are equal games, and the game need not be in memory.

The exact values of the linear program are the witness; the network comes from a committed file: no test here needs torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import SolvedValue
from counterplay.games import make_game
from counterplay.gametree.build.step_states import states_at
from counterplay.gametree.compile.levels import Depth
from counterplay.learning.learn_public_value import (
    PublicLookAhead,
    PublicSettings,
    PublicValues,
    described,
    drawn_places,
    drawn_ranges,
    whole_below,
)
from counterplay.networks.border_states import borders_of
from counterplay.networks.network import KIND
from counterplay.networks.value_network import load_public_network, public_rows, save_public_network
from counterplay.subgames.cut_game import Border
from tests.support.archives import parts_of, sealed
from tests.support.search_agents import searching

LEDUC = Path(__file__).parent.parent / "files" / "leduc-public.cpn"


@pytest.fixture(scope="module")
def leduc() -> cp.GameTree:
    return cp.load("leduc")


@pytest.mark.parametrize(
    ("spec", "depth", "descriptions"),
    [
        ("leduc", "round", 3),
        ("leduc:merged=true", "round", 3),
        ("leduc:4,3,cap=1", "round", 2),
        ("leduc", "1", 4),
        ("liars_dice:1,4", "1", 7),
        ("liars_dice:2,2,wild=false", "2", 6),
        ("goofspiel:4", "2", 6),
        ("kuhn:4", "1", 1),
        ("battleships:2,2,1x1,shots=2", "1", 1),
        ("battleships:2,2,1x1,shots=2", "4", 24),
        ("battleships:1,3,1x1/1x1,shots=1,placing=ships", "2", 1),
    ],
)
def test_public_states_of_equal_numbers_have_equal_exact_values(spec: str, depth: str, descriptions: int) -> None:
    """At equal ranges by private number, where the same private numbers occur."""
    border = borders_of(cp.load(spec), Depth.of(depth))[0]
    found, rng = public_rows(border), np.random.default_rng(0)
    rows = found.rows
    used = [rows.spread(i, np.ones(border.sizes[i])) for i in (0, 1)]
    same = np.unique(np.concatenate([found.numbers, *used], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    assert same.max() + 1 == descriptions
    drawn = [rng.random((descriptions, width))[same] for width in rows.widths]
    held = [rows.collect(i, drawn[i]) for i in (0, 1)]
    cfvs = SolvedValue().at(border)(*held)
    claims = (rows.spread(0, cfvs[0]) * rows.spread(0, held[0])).sum(axis=1) / rows.chance
    for one in range(descriptions):
        assert np.ptp(claims[same == one]) < 1e-7


def test_a_partly_expanded_game_has_the_values_of_the_whole(leduc: cp.GameTree) -> None:
    """Along drawn paths of a game that is expanded on the way, the network says what it says in memory."""
    whole, rng = borders_of(leduc, Depth.of("round"))[0], np.random.default_rng(1)
    rules: Any = leduc.rules
    value, names = cp.NetworkValue(str(LEDUC)), {}
    for state in np.unique(whole.public).tolist():
        alone = Border.at(leduc, whole.histories[whole.public == state])
        names[rules.public(leduc.state(int(alone.histories[0])))] = alone
    seen = 0
    for place in [place for _ in range(4) for place in drawn_places(rules, Depth.of("round"), rng)]:
        if place.beside is None:
            continue
        here = place.border
        other = names[rules.public(here.game.state(int(here.histories[0])))]
        assert here.sizes == other.sizes
        orders = [np.argsort(_texts(rules, one, i)) for one in (here, other) for i in (0, 1)]
        ranges = [rng.random(size) for size in here.sizes]
        moved = [_moved(ranges[i], orders[i], orders[2 + i]) for i in (0, 1)]
        found, wanted = value.at(here)(*ranges), value.at(other)(*moved)
        for i in (0, 1):
            assert _moved(found[i], orders[i], orders[2 + i]) == pytest.approx(wanted[i], abs=1e-7)
        seen += 1
    assert seen >= 3


def _texts(rules: Any, border: Border, player: int) -> np.ndarray:
    """(size,) the text of each infoset of a border."""
    first = np.unique(border.known[player], return_index=True)[1]
    states = states_at(rules, border.game.histories, border.histories[first])
    return np.array([rules.infoset(state, player) for state in states])


def _moved(numbers: np.ndarray, order: np.ndarray, to: np.ndarray) -> np.ndarray:
    out = np.empty_like(numbers)
    out[to] = numbers[order]
    return out


@pytest.mark.parametrize(("spec", "depth"), [("kuhn:4", "1"), ("liars_dice:1,3", "1"), ("goofspiel:3", "2")])
def test_a_look_ahead_over_exact_values_finds_the_exact_value(spec: str, depth: str) -> None:
    """From every public state of a path, of a game that is expanded on the way."""
    rules, rng = make_game(spec), np.random.default_rng(2)
    for place in drawn_places(rules, Depth.of(depth), rng):
        border, whole = place.border, whole_below(place.border, 10**5)
        look = PublicLookAhead.below(border, Depth.of(depth), 10**5, 300)
        assert whole is not None
        ranges = drawn_ranges(border, rng, 1)[0]
        weight = float((border.chance * ranges[0][border.known[0]] * ranges[1][border.known[1]]).sum())
        found, exact = look.over(SolvedValue(100))(*ranges), SolvedValue().at(whole)(*ranges)
        ours = 0.5 * (ranges[0] @ found[0] - ranges[1] @ found[1])
        assert ours == pytest.approx(float(ranges[0] @ exact[0]), abs=0.02 * weight)


def test_what_is_too_large_is_not_solved() -> None:
    """Liar's dice with two dice of six faces has some 10^9 histories; late bids leave few."""
    rules, rng = make_game("liars_dice:2,6"), np.random.default_rng(0)
    fits = [whole_below(place.border, 5_000) is not None for place in drawn_places(rules, Depth.of(1), rng)]
    assert not fits[0]
    assert fits[-1]
    assert fits == sorted(fits)


def test_samples_are_solutions_by_private_number() -> None:
    settings = PublicSettings("kuhn:4", "1", samples=10, solver="cfr+:300")
    found = PublicValues(settings)
    rng = np.random.default_rng(4)
    places = [place for _ in range(9) for place in drawn_places(make_game("kuhn:4"), found.depth, rng)]
    drawn = next(place for place in places if place.beside is not None)
    whole = whole_below(drawn.border, 100)
    assert whole is not None
    ranges = drawn_ranges(whole, np.random.default_rng(5), 4)
    samples = described(whole, SolvedValue().at(whole), ranges)
    numbers, width = make_game("kuhn:4").value_sizes
    assert samples.inputs.shape[1] == numbers + 2 * width
    shares = samples.inputs[:, numbers:]
    assert shares.sum(axis=1) == pytest.approx(2.0, abs=1e-5)
    assert (shares * samples.targets).sum(axis=1) == pytest.approx(0.0, abs=1e-5)


def test_the_committed_network_is_nearly_as_good_as_one_of_a_game_in_memory(leduc: cp.GameTree) -> None:
    """It is smaller, and learned from a tenth of the samples; claims cancel by construction."""
    found = cp.value_error(leduc, f"net:{LEDUC}", "round", samples=5)
    assert found.gap < 1e-6
    assert found.mean < 0.05
    assert LEDUC.stat().st_size < 40_000
    answer = cp.respond(
        leduc, cp.opponent(leduc, "uniform", 1), cp.CDRNR(p=1.0, look=cp.LookAhead("round", f"net:{LEDUC}"))
    )
    assert answer.gain > 0.95 * 2.173


def test_a_saved_network_reads_back_bit_for_bit(tmp_path: Path) -> None:
    save_public_network(tmp_path / "again.cpn", load_public_network(LEDUC))
    assert (tmp_path / "again.cpn").read_bytes() == LEDUC.read_bytes()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn", "the network was learned in leduc, not in kuhn"),
        ("leduc:2,2", "the network was learned in leduc, not in leduc:2"),
    ],
)
def test_a_network_is_refused_in_another_game(spec: str, message: str) -> None:
    border = borders_of(cp.load(spec), Depth.of(1))[0]
    with pytest.raises(cp.InputError, match=message):
        cp.NetworkValue(str(LEDUC)).at(border)


def test_a_network_is_refused_where_nothing_was_learned(leduc: cp.GameTree) -> None:
    """One level ahead a look-ahead stops before the card, too."""
    with pytest.raises(cp.InputError, match="this look-ahead stops at public states unlike those"):
        cp.NetworkValue(str(LEDUC)).at(borders_of(leduc, Depth.of(1))[0])


@pytest.mark.parametrize("facts", [{"widths": [7]}, {"widths": [7, 8]}, {"widths": [6, 6]}, {"widths": None}])
def test_damaged_networks_are_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    old, arrays = parts_of(LEDUC)
    path = tmp_path / "damaged.cpn"
    sealed(path, KIND, {**old, **facts}, arrays)
    with pytest.raises(cp.InputError, match="is damaged"):
        load_public_network(path)


def test_rules_that_describe_nothing_are_refused_in_one_sentence() -> None:
    with pytest.raises(cp.InputError, match="have no function public_numbers, which describes public states"):
        _ = make_game("rps").value_sizes
    border = Border.at(cp.load("goofspiel:3"), np.zeros(1, np.int64))
    assert public_rows(border).rows.widths == (6, 6)


def test_an_agent_of_a_game_expanded_on_its_way_decides_as_one_in_memory() -> None:
    """Both ask the network at the card, where the game expanded so far ends."""
    first, other = (searching("leduc", 0, depth="round", leaf=f"net:{LEDUC}", way=way) for way in (False, True))
    for infoset in ("Js", "Qh", "Kh"):
        for agent in (first, other):
            agent.new_hand()
        assert other.policy(infoset) == pytest.approx(first.policy(infoset), abs=1e-6)
