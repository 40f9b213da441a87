"""The path gadget: the opponent's whole path in as many decisions as it has places to branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead, PathGadget
from counterplay.blueprints.resolve import StreetSubtrees, parts_of
from counterplay.blueprints.resolve_subtrees import SubtreeSolves
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings
from counterplay.lookahead.resolver import Knowledge, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.solvers.best_response import best_response
from counterplay.subgames.cut import Cut, Place, cut, subgames_at
from counterplay.subgames.plan_store import ArrayPlans, Root
from tests.support.covering import covering
from tests.support.random_games import MatchUp, match_ups
from tests.support.spots import turn, turn_spot
from tests.support.theorems import FEW, SMALL, GameOf, slack, torn

NO_TURN = "turn: none; river: a"
"""Bets with which nobody has a decision before the river."""


def pieces(game: cp.GameTree, seat: int) -> Iterator[Cut]:
    """The subtrees at single public states, and one of two states together."""
    states = range(1, game.public_states)
    for chosen in [*([state] for state in states), list(states)[-2:]]:
        try:
            piece = cut(game, chosen, seat)
        except cp.InputError:
            continue
        if len(piece.top.histories) and piece.size:
            yield piece


@FEW
@given(match_ups(), st.integers(0, 96))
def test_a_best_response_wins_as_much_as_in_the_whole_game(match: MatchUp, seed: int) -> None:
    """Whatever the resolver plays inside, a best response to it is worth in the gadget game what it is worth in the whole
    game; and the entry has at most two decisions for each root."""
    if not torn(match.game):
        check_worth(match.game, match.seat, pieces(match.game, match.seat), seed, slack(match.game))


@FEW
@given(st.integers(0, 999), st.sampled_from([0, 1]), st.sampled_from(["a", "50%, a", NO_TURN]))
def test_so_it_does_in_spots_where_hands_are_dealt_from_a_range(seed: int, seat: int, bets: str) -> None:
    """The range is no choice: hands that are not in it, or in part, count with their weight on the way, too."""
    game = turn(seed, bets)
    check_worth(game, seat, filter(None, StreetSubtrees(game, parts_of(game, 1), seat)), seed, 1e-9 * game.pot)


def check_worth(game: Any, me: int, subtrees: Any, seed: int, room: float) -> None:
    """What a best response wins behind the gadget and in the whole game differs by this room at most."""
    fixed, inside = (cp.opponent(game, f"random:{seed + k}", player=me) for k in (0, 1))
    plans = ArrayPlans.of(game.subgame, fixed)
    for piece in subtrees:
        unit = float(piece.weight(fixed.plan).sum())
        if unit == 0.0:
            continue
        entry = PathGadget().entry(Root(piece, plans, unit=unit))
        assert len(entry.actions) <= 2 * piece.size
        problem = piece.gadget_game(entry, fixed.plan, unit)
        plan = problem.subgame.restrictions[me].played(problem.subgame.trees[me], problem.taken(me, inside.behaviour))
        small = best_response(problem.subgame, 1 - me, plan).value * unit
        spliced = cp.Strategy(game.trees[me], problem.splice(me, problem.taken(me, inside.behaviour), fixed.behaviour))
        large = best_response(game.subgame, 1 - me, spliced.plan).value
        assert abs(small - large) <= room


@pytest.mark.parametrize(
    ("game", "at"), [("leduc", "round"), ("goofspiel:4", "moves:4"), ("liars_dice:1,3", "moves:2")]
)
@pytest.mark.parametrize("p", [0.0, 0.4])
def test_it_finds_what_the_full_gadget_finds(game: str, at: str, p: float, game_of: GameOf) -> None:
    """At every single subgame the solutions behind the two gadgets are worth the same: from the model with probability p,
    and against a best response."""
    loaded, me = game_of(game), 1
    fixed, model = cp.opponent(loaded, "random:1", player=me), cp.opponent(loaded, "random:2", player=1 - me)
    known = Knowledge(ArrayPlans.of(loaded.subgame, fixed, model), model=ArrayPlans.of(loaded.subgame, fixed, model))
    for piece in list(subgames_at(loaded, Place.of(at), me))[:6]:
        worth = []
        for gadget in ("full", "path"):
            found = resolve_subtree(piece, Search(LookAhead(gadget=gadget), p=p), known)
            assert found is not None
            mine = cp.Strategy(fixed.tree, found.splice(me, fixed.behaviour))
            won = float(mine.plan @ loaded.subgame.leaves.product(me, model.plan))
            worth.append(p * won - (1.0 - p) * best_response(loaded.subgame, 1 - me, mine.plan).value)
        assert abs(worth[0] - worth[1]) <= slack(loaded)


@pytest.mark.parametrize(("spec", "seat"), covering(SMALL, [0, 1]))
def test_solved_jointly_it_has_the_bound_of_the_full_gadget(game_of: GameOf, spec: str, seat: int) -> None:
    """Exploitability is at most gain p/(1-p), and gain is not negative."""
    game = game_of(spec)
    model = cp.opponent(game, "random:2", player=1 - seat)
    for p in (0.0, 0.5):
        answer = cp.respond(game, model, method="cdrnr", p=p, depth=1, gadget="path")
        assert answer.gain >= -slack(game)
        assert (1.0 - p) * answer.exploitability <= p * answer.gain + slack(game)


def test_its_form_follows_from_what_is_hidden(game_of: GameOf) -> None:
    """Where hands are dealt each root has one decision, as behind the resolving gadget; where bids are chosen there is one
    decision over all roots, as behind max-margin."""
    for spec, at, dealt in (("leduc", "round", True), ("goofspiel:4", "moves:4", False)):
        game = game_of(spec)
        fixed = cp.opponent(game, "random:1", player=0)
        for piece in subgames_at(game, Place.of(at), 0):
            entry = PathGadget().entry(Root(piece, ArrayPlans.of(game.subgame, fixed)))
            assert entry.actions.tolist() == ([2] * piece.size if dealt else [piece.size + 1])


@pytest.mark.parametrize("words", [{"solve": "per-state"}, {"leaf": "rollout:5"}])
def test_it_is_refused_where_it_would_be_unsafe_or_unknown(words: dict[str, str], leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "uniform", player=1)
    with pytest.raises(cp.InputError, match="path gadget"):
        cp.respond(leduc, model, method="cdrnr", p=0.5, depth=1, gadget="path", **words)


@pytest.mark.parametrize(("game", "at"), [("leduc", "round"), ("goofspiel:4", "moves:2")])
def test_all_subgames_of_a_place_together_are_the_optimal_continuation(game: str, at: str, game_of: GameOf) -> None:
    loaded = game_of(game)
    fixed = cp.opponent(loaded, "cfr:5", player=0)
    states = {int(state) for piece in subgames_at(loaded, Place.of(at), 0) for state in piece.top.public}
    known = Knowledge(ArrayPlans.of(loaded.subgame, fixed))
    found = resolve_subtree(cut(loaded, states, 0), Search(LookAhead(gadget="path")), known)
    assert found is not None
    mine = cp.Strategy(fixed.tree, found.splice(0, fixed.behaviour))
    told = cp.resolve(loaded, "cfr:5", at, seat=0, solver="lp", continuation=True).continuation
    assert abs(cp.evaluate(loaded, mine).exploitability - told) <= slack(loaded)


@FEW
@given(st.integers(0, 999), st.sampled_from([0, 1]), st.sampled_from(["uniform", "random:1", "random:2,0.3", "cfr+:3"]))
def test_all_rivers_solved_one_after_the_other_are_never_worse(seed: int, seat: int, blueprint: str) -> None:
    """Each with the solutions before it: what the opponent loses elsewhere is spent once. The linear program is exact."""
    found = cp.resolve(turn(seed), blueprint, "round", seat=seat, gadget="path", solver="lp")
    assert found.after <= found.before + 1e-7


SPADES = cp.Spot("As Ks Qs 4c", "K8s:0.7", "K8s,AQs:0.5,98s", 100, 100, "a", raises=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spot", "seat", "blueprint"),
    [(turn_spot(), 0, "uniform"), (turn_spot(), 1, "cfr+:3"), (SPADES, 0, "cfr+:3"), (SPADES, 1, "random:2")],
)
def test_nor_are_all_rivers_of_a_deck_by_a_minimiser(spot: cp.Spot, seat: int, blueprint: str) -> None:
    """Up to the gap of every river's solution. Each alone, they are 2 chips worse in the third of these spots; with hands
    that the opponent could choose, 2.6 chips in the first."""
    found = cp.resolve(spot, blueprint, "round", seat=seat, gadget="path", stop=cp.Stop(iterations=1000))
    assert found.after <= found.before + found.states * found.gap < found.before + 0.05


@pytest.mark.parametrize("gadget", ["path", "full"])
def test_rivers_that_count_on_the_same_slack_wait_for_each_other(gadget: str) -> None:
    game = turn(3)
    known = BlueprintInputs.of(game.subgame, *(cp.opponent(game, "uniform", player) for player in (0, 1)))
    for name, together in ((gadget, False), ("reach-max-margin", True)):
        subtrees, way = StreetSubtrees(game, parts_of(game, 1), 0), ResolveSettings(LookAhead(gadget=name))
        waves = SubtreeSolves(subtrees, known, way, nested=False, seed=0).waves()
        assert len(waves) == (1 if together else len(subtrees))
