"""ABD at p = 1 in games that are not in memory: beliefs, the agent from its infoset, Battleships of any size."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from counterplay.agents.worlds.belief import Belief
from counterplay.games import make_game
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import policy_of
from counterplay.gametree.build.step_states import resample_hidden, step_states
from counterplay.lookahead.belief_search import BeliefSide, respond_to
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import actor
from tests.support.covering import covering
from tests.support.theorems import GameOf

BOARD = "battleships:5,5,2x2/2x2"
LARGE = "battleships:10,10,1x5/1x4/1x3/1x3/1x2"


def rules_of(spec: str) -> FastGame:
    game = make_game(spec)
    assert isinstance(game, FastGame)
    return game


def mixture(infoset: str, names: tuple[str, ...]) -> list[float]:
    """A model that depends on what it knows."""
    weight = [1.0 + (len(infoset) * (k + 3)) % 5 for k in range(len(names))]
    return [one / sum(weight) for one in weight]


@pytest.mark.parametrize(
    ("spec", "seat"),
    [
        *covering(["kuhn", "leduc:merged=true", "goofspiel:4", "battleships:1,3,1x1"], [0, 1]),
        *(pytest.param("liars_dice:1,3", seat, marks=pytest.mark.slow) for seat in (0, 1)),
    ],
)
def test_a_belief_is_what_bayes_says(game_of: GameOf, spec: str, seat: int) -> None:
    """On the way through random hands: the weights of the game's histories under chance and the model."""
    game = game_of(spec)
    rules: Any = game.rules
    model = cp.opponent(game, mixture, 1 - seat)
    table, stream = game.histories, random.Random(5)
    for _ in range(3):
        belief = Belief(rules, seat, actor(rules, mixture), 10_000, 0)
        history = 0
        while table.player[history] != TERMINAL:
            if table.player[history] == seat:
                text = rules.infoset(game.state(history), seat)
                assert belief.observe(text)
                same = np.flatnonzero((table.player == seat) & (table.info[seat] == table.info[seat][history]))
                weight = table.reach[same] * model.plan[game.sequences[1 - seat][same]]
                told = dict(zip((game.state(h).tobytes() for h in same), weight / weight.sum(), strict=True))
                found = {state.tobytes(): w for state, w in zip(belief.states, belief.weight, strict=True)}
                assert found == pytest.approx({key: w for key, w in told.items() if w > 0.0}, abs=1e-9)
            children = np.flatnonzero(table.parent == history)
            if table.player[history] == seat:
                pick = stream.randrange(len(children))
                belief.acted(pick)
            else:
                odds = (
                    table.reach[children]
                    if table.player[history] == CHANCE
                    else model.plan[game.sequences[1 - seat][children]]
                )
                pick = stream.choices(range(len(children)), odds)[0]
            history = int(children[pick])


@pytest.mark.parametrize(
    ("spec", "seat"), covering(["kuhn", "leduc:merged=true", "goofspiel:3", "battleships:1,3,1x1"], [0, 1])
)
def test_to_the_end_it_is_the_best_response(game_of: GameOf, spec: str, seat: int) -> None:
    """With a depth beyond the game nothing is sampled; asked along every way, the agent wins what a best response wins."""
    game = game_of(spec)
    rules: Any = game.rules
    model = cp.opponent(game, mixture, 1 - seat)
    best = cp.respond(game, model, method="br")
    root = Belief(rules, seat, actor(rules, mixture), 100_000, 0)
    side = BeliefSide(rules, seat, actor(rules, mixture), (actor(rules, "uniform"),))

    def won(state: Any, belief: Belief) -> float:
        """What the agent wins from a state on; the model and chance by their odds."""
        who = rules.player(state)
        if who == TERMINAL:
            return float(rules.utility(state)) * (1 if seat == 0 else -1)
        if who != seat:
            odds = rules.chance(state) if who == CHANCE else list(actor(rules, mixture).odds(rules, state).values())
            return sum(w * won(rules.child(state, a), belief) for a, w in zip(rules.actions(state), odds, strict=True))
        here = belief.copy()
        assert here.observe(rules.infoset(state, seat))
        chosen = int(respond_to(side, here.states, here.weight, 100, 1, 10**9, 0).actions.argmax())
        here.acted(chosen)
        return won(rules.child(state, rules.actions(state)[chosen]), here)

    assert won(rules.root(), root) == pytest.approx(best.value_against_model, abs=1e-9)


def test_the_look_ahead_is_that_of_the_game_in_memory(game_of: GameOf) -> None:
    """2x2 Battleships at depth 2: values of the placements by many samples, against those with exact continuations."""
    game = game_of("battleships:2,2,1x1")
    rules: Any = game.rules
    side = BeliefSide(rules, 0, actor(rules, "last:A1"), (actor(rules, "uniform"), actor(rules, "last:B2")))
    found = respond_to(side, rules.root()[None, :], np.ones(1), 2, 20_000, 10**9, 1)
    model = cp.opponent(game, "last:A1", 1)
    assert found.leaves == 16
    assert found.actions.argmax() == 0
    assert found.actions[0] == pytest.approx(1.0)  # nobody who is never shot at loses
    exact = cp.respond(game, model, method="abd", p=1.0, depth=2, leaf="portfolio:uniform;last:B2")
    assert exact.strategy.probabilities("start")["A1"] == 1.0
    assert (found.errors < 0.01).all()


def test_the_first_decision_on_5x5_is_the_corner() -> None:
    """Milec et al. 2025, section 6.5, with 10 samples for speed: two 2x2 ships, the opponent shoots at A1 last."""
    agent = cp.agent(make_game(BOARD), "abd:p=1,depth=1,leaf=sampled:10:uniform;even;odd,expand=way,to=last:A1", 0)
    worth = agent.values("start")  # type: ignore[attr-defined]
    assert len(worth) == 78
    for name, chips in worth.items():
        assert (chips > 1.0 - 1e-9) == ("A1" in name)
    assert "A1" in agent.act("start")


@pytest.mark.parametrize(
    ("spec", "depth"), covering(["leduc:merged=true", "goofspiel:4", "battleships:2,2,1x1"], [1, 2])
)
def test_depth_means_what_it_means_in_memory(game_of: GameOf, spec: str, depth: int) -> None:
    """The first decision of both agents, on the way and in memory, by so many samples that chance does not decide."""
    game = game_of(spec)
    model = "last:A1" if spec.startswith("battleships") else "uniform"
    text = f"abd:p=1,depth={depth},leaf=%s,%sto={model}"
    whole = cp.agent(game, text % ("portfolio:uniform", ""), 0)
    on_way = cp.agent(make_game(spec), text % ("sampled:4000:uniform", "expand=way,budget=900000000,"), 0)
    state, stream = game.rules.root(), random.Random(depth)
    while game.rules.player(state) != 0:
        state = game.rules.child(state, stream.choice(game.rules.actions(state)))  # type: ignore[arg-type]
    infoset = game.rules.infoset(state, 0)
    worth = on_way.values(infoset)  # type: ignore[attr-defined]
    chosen = max(whole.policy(infoset).items(), key=lambda item: item[1])[0]  # type: ignore[attr-defined]
    assert worth[chosen] == pytest.approx(max(worth.values()), abs=0.05 * game.span)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_hand_on_5x5(seat: int) -> None:
    """It wins every hand from who never hits A1 before the end; its belief shrinks to what fits."""
    game = make_game(BOARD)
    agent = cp.agent(game, "abd:p=1,depth=1,budget=1000000,leaf=sampled:2:uniform;even;odd,expand=way,to=last:A1", seat)
    other = cp.agent(game, "last:A1", 1 - seat)
    made = (lambda s: agent if s == seat else other, lambda s: other if s == 1 - seat else agent)
    hand = cp.match(game, *(lambda s, m=m: m(s) if m(s).seat == s else cp.agent(game, "uniform", s) for m in made), 1)
    assert hand.hands == 1
    assert not any("cannot be explained" in line for line in agent.log)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "most", "moves"),
    [("battleships:5,5,1x3/1x2", 20, 10), pytest.param(LARGE, 60, 26, marks=pytest.mark.slow)],
)
def test_large_boards_by_particles(spec: str, most: int, moves: int) -> None:
    """Some turns against an even shooter: the belief is thinned, stays full, and fits what was seen."""
    game = rules_of(spec)
    text = f"abd:p=1,depth=1,particles={most},budget=200000,leaf=sampled:1:uniform;even,to=even"
    agent = cp.agent(game, text, 0)
    policy = policy_of(game, "even")
    assert policy is not None
    state, stream = game.root(), random.Random(3)
    for _ in range(moves):
        if game.player(state) == 0:
            name = agent.act(game.infoset(state, 0))
            belief = agent._belief  # type: ignore[attr-defined]
        else:
            row = policy.odds(game, state)
            name = stream.choices(list(row), list(row.values()))[0]
        state = game.child(state, next(a for a in game.actions(state) if game.action_name(state, a) == name))
    assert belief.thinned
    assert len(belief.states) == most
    known = {game.infoset(one, 0) for one in belief.states}
    assert len(known) == 1
    told = agent.belief(game.infoset(state, 0)) if game.player(state) == 1 else {"": 1.0}  # type: ignore[attr-defined]
    assert sum(told.values()) == pytest.approx(1.0)


def test_moving_ships_keeps_every_result() -> None:
    game = rules_of("battleships:4,4,1x3/1x2,placing=ships")
    stream = random.Random(1)
    for _ in range(30):
        state = game.root()
        for _ in range(stream.randrange(4, 18)):
            if game.player(state) != TERMINAL:
                state = game.child(state, stream.choice(game.actions(state)))
        moved = resample_hidden(game, np.repeat(state[None, :], 20, 0), 0, 30, stream.getrandbits(30))
        assert {game.infoset(one, 0) for one in moved} == {game.infoset(state, 0)}
        assert {one.sum() for one in step_states(game, moved[:1]).states} if game.player(moved[0]) != TERMINAL else True


def test_where_the_model_cannot_explain_it_plays_on() -> None:
    """An opponent who does what the model never does: the agent says so and plays anything legal."""
    game = make_game("battleships:3,3,1x1")
    agent = cp.agent(game, "abd:p=1,depth=1,expand=way,leaf=sampled:3:uniform,to=last:A1", 1)
    state = game.root()
    for name in ("B2", agent.act("start"), "A1"):
        state = game.child(state, next(a for a in game.actions(state) if game.action_name(state, a) == name))
    names = [game.action_name(state, a) for a in game.actions(state)]
    assert agent.act(game.infoset(state, 1), names) in names
    assert any("cannot be explained by the model" in line for line in agent.log)  # type: ignore[attr-defined]
    with pytest.raises(cp.InputError, match="cannot follow"):
        agent.policy("nowhere")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abd:p=1,depth=round,expand=way,leaf=sampled:3:uniform,to=uniform", "the depth is a number of levels"),
        ("abd:p=1,depth=1,expand=way,gap=0.1,leaf=sampled:3:uniform,to=uniform", "gap does not apply"),
        ("abd:p=1,depth=1,expand=way,leaf=sampled:3:uniform,to=nash", "needs all of"),
        ("abd:p=1,depth=1,expand=way,leaf=sampled:3:nash,to=uniform", "needs all of"),
        ("abd:p=1,depth=1,expand=way,budget=0,leaf=sampled:3:uniform,to=uniform", "of at least 1"),
        ("abd:p=1,depth=1,expand=way,particles=x,leaf=sampled:3:uniform,to=uniform", "whole number"),
        ("cdbr:depth=1,budget=3,to=uniform", "no option 'budget'"),
    ],
)
def test_texts_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.agent(make_game("battleships:3,3,1x1"), text, 0)


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "goofspiel:4", "battleships:3,3,1x2/1x1,placing=ships"])
def test_unfolding_is_what_the_rules_say(spec: str) -> None:
    """Children, odds and observations of random states, against the plain members."""
    game, stream = rules_of(spec), random.Random(2)
    for _ in range(20):
        state = game.root()
        for _ in range(stream.randrange(6)):
            if game.player(game.child(state, game.actions(state)[0])) != TERMINAL:
                state = game.child(state, stream.choice(game.actions(state)))
        found = step_states(game, state[None, :], MODELS.parse("noise:0.5:uniform").policy(game), 0)
        who = game.player(state)
        np.testing.assert_array_equal(found.states, [game.child(state, a) for a in game.actions(state)])
        expected = (
            game.chance(state)
            if who == CHANCE
            else [1.0 / len(found.odds)] * len(found.odds)
            if who == 0
            else [1.0] * len(found.odds)
        )
        np.testing.assert_allclose(found.odds, expected)
