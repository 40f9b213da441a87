"""A plan store is asked for one branch at a time: whatever measures, reports, solves again or saves gives the same numbers
from a store that keeps no array of a whole tree."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import LookAhead, Resolution, SolvedSpot, Spot, Stop, Strategy, load
from counterplay.blueprints.report import measure_resolution, optimal_continuation, ses_bounds
from counterplay.blueprints.resolve import StreetSubtrees, parts_of
from counterplay.blueprints.resolve_subtrees import resolve_subtrees, resolve_together
from counterplay.blueprints.resolved_blueprint import Baseline, BlueprintInputs, ResolveSettings
from counterplay.lookahead.search import Search
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.spots.solution import load_spot, node_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.responses.street_lookahead import StreetResponder
from counterplay.subgames import plan_store
from counterplay.subgames.plan_store import Root
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust
from tests.support.branch_plans import BranchPlans, Tally
from tests.support.covering import covering
from tests.support.public_trees import toy

SEEDS = (0.3, 2.1)


def arrays_of(plans: BranchPlans) -> ArraySpotPlans:
    """The same strategies, as arrays."""
    first, second = (
        None if part is None else Strategy(part.tree, part.behaviour(np.arange(part.tree.size)) * part.tree.real)
        for part in plans.parts
    )
    return ArraySpotPlans(plans.tree.subgame, (first, second), plans.tree)


def largest_branch(game: SpotGame) -> int:
    """Sequences of the street that the spot begins with, or of a board of the next one; never all of them."""
    whole = min(tree.sequences for tree in game.trees)
    return whole // 3


@pytest.fixture(scope="module")
def game() -> SpotGame:
    return SpotGame("toy", toy(3, "turn", "a", hands=8), 10.0, 0.01)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each branch is put in alone; else some wait, and are put in together."""
    monkeypatch.setattr(plan_store, "_MOST_WAITING", 0)


@pytest.fixture
def both(game: SpotGame) -> tuple[BranchPlans, ArraySpotPlans]:
    """The store without arrays, and the one with them."""
    lazy = BranchPlans.of(game.tree, *SEEDS)
    return lazy, arrays_of(lazy)


def test_measures_branch_by_branch_are_those_of_arrays(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans]
) -> None:
    lazy, arrays = both
    for player in (0, 1):
        assert lazy.value(player) == pytest.approx(arrays.value(player), abs=1e-12)
        assert lazy.best_value(player) == pytest.approx(arrays.best_value(player), abs=1e-12)
    assert lazy.value(0) == pytest.approx(-lazy.value(1), abs=1e-12)
    assert lazy.gap() == pytest.approx(arrays.gap(), abs=1e-12)
    assert lazy.tally.largest <= largest_branch(game)


def test_roots_of_a_subtree_ask_for_their_branch_alone(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans]
) -> None:
    for seat in (0, 1):
        for piece in StreetSubtrees(game, parts_of(game, 1), seat):
            assert piece is not None
            lazy, arrays = (Root(piece, plans) for plans in both)
            for name in ("weight", "range", "values", "gifts"):
                np.testing.assert_allclose(getattr(lazy, name), getattr(arrays, name), atol=1e-12, err_msg=name)
    assert both[0].tally.largest <= largest_branch(game)


def again(game: SpotGame, plans: Any, model: Any, seat: int, way: ResolveSettings) -> Resolution:
    """The river solved again, and measured."""
    known = BlueprintInputs(plans, seat, model)
    found = resolve_subtrees(StreetSubtrees(game, parts_of(game, 1), seat), known, way)
    return measure_resolution(Baseline.of(game), known, found, way, {"at": "round", "seed": 0})


@pytest.mark.parametrize("seat", [0, 1])
def test_responses_and_mixtures_are_those_of_arrays(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans], seat: int
) -> None:
    """Also of an opponent who is bound at some hands."""
    tree = game.trees[1 - seat]
    lanes = np.arange(tree.lanes)
    trust = LaneTrust().put(lanes[lanes % 3 > 0], (lanes % 3)[lanes % 3 > 0] / 2.0)
    found = []
    for plans in both:
        answer = plans.best_response(seat)
        mixed = plans.mixed(seat, answer, 0.3)
        bound = plans.bound(1 - seat, BranchRestriction(plans.behaviour(1 - seat), trust))
        held = bound.best_response(1 - seat)
        chips = [answer.value(seat), mixed.value(seat), mixed.best_value(1 - seat), held.value(1 - seat)]
        assert chips[0] == pytest.approx(plans.best_value(seat), abs=1e-12)
        assert chips[3] == pytest.approx(bound.best_value(1 - seat), abs=1e-12)
        assert chips[3] < plans.best_value(1 - seat)
        found.append(chips)
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert both[0].tally.largest <= largest_branch(game)


@pytest.mark.parametrize("beside", [False, True])
def test_a_spot_is_solved_around_decisions_that_stand(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans], beside: bool
) -> None:
    """By the full gadget and by the optimal continuation: both stores come as near to one value as they say."""
    branches = [*filter(None, StreetSubtrees(game, parts_of(game, 1), 0))]
    found = [plans.solved(0, branches, "cfr+", Stop(iterations=150), beside=beside) for plans in both]
    (lazy, one), (arrays, two) = found
    assert max(one.gap, two.gap) < 0.001 * game.pot
    assert lazy.best_value(1) == pytest.approx(arrays.best_value(1), abs=one.gap + two.gap)
    before = truncate(game.tree, 0).pairs(0)[1]
    kept = [np.array_equal(plans.behaviour(0)[before], both[0].behaviour(0)[before]) for plans in (lazy, arrays)]
    assert kept == [not beside] * 2
    assert lazy.tally.largest <= largest_branch(game)


def test_all_boards_at_once_and_the_optimal_continuation_take_a_store_without_arrays(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans]
) -> None:
    parts, way = parts_of(game, 1), ResolveSettings(LookAhead(gadget="full"), stop=Stop(iterations=150))
    branches = [*filter(None, StreetSubtrees(game, parts, 1))]
    lazy, arrays = (resolve_together(BlueprintInputs(plans, 1, None), branches, way, len(parts)) for plans in both)
    risk = partial(Baseline.of(game).exploitability, player=1)
    assert risk(lazy.plans) == pytest.approx(risk(arrays.plans), abs=lazy.gap + arrays.gap)
    best = optimal_continuation(game, both[0], 1, branches)
    assert risk(best) <= risk(lazy.plans) + lazy.gap + arrays.gap
    assert both[0].tally.largest <= largest_branch(game)


@pytest.mark.parametrize(
    ("gadget", "seat"), covering(["unsafe", "resolving", "max-margin", "reach-max-margin", "ses"], [0, 1])
)
def test_a_blueprint_without_arrays_is_solved_again_and_reported(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans], gadget: str, seat: int
) -> None:
    """For SES also beside a mixture of the blueprint with a best response to the model."""
    alpha = 0.5 if gadget == "ses" else 0.0
    look = LookAhead(gadget="max-margin" if alpha else gadget)
    way = ResolveSettings(look, alpha, solver="cfr+", stop=Stop(iterations=20))
    model = BranchPlans.of(game.tree, 4.2, 4.7)
    lazy, arrays = (
        again(game, plans, opponent, seat, way) for plans, opponent in zip(both, (model, arrays_of(model)), strict=True)
    )
    for name, value in arrays.facts.items():
        if isinstance(value, float) and name != "seconds":
            assert lazy.facts[name] == pytest.approx(value, abs=1e-9), name
    assert lazy.states == arrays.states > 0
    assert both[0].tally.largest <= largest_branch(game)
    assert model.tally.largest <= largest_branch(game)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_bounds_of_ses_are_read_branch_by_branch(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans], seat: int
) -> None:
    """Of the blueprint, the model, the refined strategy and the least exploitable one."""
    others = [BranchPlans.of(game.tree, first, second) for first, second in ((4.2, 4.7), (1.1, 0.4), (2.6, 3.5))]
    way, base = ResolveSettings(LookAhead(gadget="max-margin"), 0.1), Baseline("toy", 0.0)
    pieces = [*filter(None, StreetSubtrees(game, parts_of(game, 1), seat))]
    found = []
    for plans, more in ((both[0], others), (both[1], [arrays_of(one) for one in others])):
        model, refined, best = more
        found.append(ses_bounds(base, BlueprintInputs(plans, seat, model), refined, best, pieces, way))
    assert vars(found[0]) == pytest.approx(vars(found[1]), abs=1e-9)
    assert max(one.tally.largest for one in (both[0], *others)) <= largest_branch(game)


@pytest.mark.parametrize(("seat", "gadget"), covering([0, 1], ["resolving", "max-margin"]))
def test_a_street_is_looked_ahead_board_by_board(
    game: SpotGame, both: tuple[BranchPlans, ArraySpotPlans], gadget: str, seat: int
) -> None:
    search = Search(LookAhead("round", gadget=gadget), solver="cfr+", stop=Stop(iterations=20))
    chains = [StreetResponder(game, seat, search, None) for _ in both]
    for chain, plans in zip(chains, both, strict=True):
        chain.plans = plans  # type: ignore[assignment]
        chain.solve(1)
    for piece in StreetSubtrees(game, parts_of(game, 1), seat):
        assert piece is not None
        decided = piece.pairs(seat)[1]
        lazy, arrays = (chain.plans.behaviour(seat)[decided] for chain in chains)
        np.testing.assert_allclose(lazy, arrays, atol=1e-12)
    assert both[0].tally.largest <= largest_branch(game)


@pytest.fixture(scope="module")
def turn() -> SpotGame:
    return load(Spot("Qs Jh 2h 8d", "QQ,KTs,76s", "JJ,AQs,65s", 100, 200, "a", raises=1))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["", "x", "a", "x a", "x x 3c", "x x 3c x", "x x 3c a"])
def test_a_node_is_reported_from_its_branch(turn: SpotGame, path: str) -> None:
    assert turn.spot is not None
    lazy = BranchPlans.of(turn.tree, *SEEDS)
    both = [SolvedSpot(turn.spot, turn.tree, plans, {}) for plans in (lazy, arrays_of(lazy))]  # type: ignore[arg-type]
    first, second = (node_of(one, one.find(path)) for one in both)
    for name in ("probabilities", "ranges", "values", "action_values", "equities", "means", "shares"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), atol=1e-9, err_msg=name)
    assert sum(first.means) == pytest.approx(first.pot, abs=1e-9)
    assert lazy.tally.largest <= largest_branch(turn)


def test_a_spot_without_arrays_is_saved(turn: SpotGame, tmp_path: Path) -> None:
    assert turn.spot is not None
    lazy = BranchPlans.of(turn.tree, *SEEDS)
    SolvedSpot(turn.spot, turn.tree, lazy, {}).save(tmp_path / "lazy.spot")  # type: ignore[arg-type]
    found, arrays = load_spot(tmp_path / "lazy.spot"), arrays_of(lazy)
    for player in (0, 1):
        np.testing.assert_allclose(found.plans.reach(player)[:], arrays.reach(player), atol=1e-6)
    assert found.facts["exploitability"] == pytest.approx(0.5 * arrays.gap()[0], abs=1e-9)
    assert lazy.tally.largest <= largest_branch(turn)


def test_a_lock_is_put_into_its_nodes_alone(turn: SpotGame) -> None:
    assert turn.spot is not None
    lazy = BranchPlans.of(turn.tree, *SEEDS)
    both = [SolvedSpot(turn.spot, turn.tree, plans, {}) for plans in (lazy, arrays_of(lazy))]  # type: ignore[arg-type]
    first, second = (lock_nodes(one, Leaks.from_text('at "a": fold 70%\nat "x": always bet')) for one in both)
    assert first.nodes == second.nodes
    assert len(first.nodes) == 2
    runs, hands = turn.tree.runs[1], np.arange(turn.tree.boards.layers[0].places)
    for node in first.nodes:
        for child in turn.tree.betting.children(node):
            ours, theirs, before = (
                plans.behaviour(1)[int(runs.start[child]) + hands] for plans in (first.plans, second.plans, lazy)
            )
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
            assert np.abs(ours - before).max() > 0.1
    for free in (True, False):
        held = [
            one.solved.plans.bound(1, one.restriction(elsewhere_free=free)).best_value(1) for one in (first, second)
        ]
        assert held[0] == pytest.approx(held[1], abs=1e-9)
    assert lazy.tally.largest <= largest_branch(turn)


def test_a_tally_counts_what_is_asked_at_once(game: SpotGame) -> None:
    lazy = BranchPlans(game.tree, BranchPlans.of(game.tree, *SEEDS).parts, Tally())
    lazy.reach(0)[np.arange(7)]
    lazy.behaviour(1)[np.arange(5)]
    assert lazy.tally.largest == 7
    with pytest.raises(AssertionError, match="slice"):
        lazy.reach(0)[:]
    assert lazy.values_at(0, PublicNode()).shape == (8,)
