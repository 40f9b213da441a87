"""The agent that searches while it plays is as good as its offline strategy, also in a game expanded on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.factory import make_agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.gametree.compile.levels import Depth
from counterplay.measure.openspiel_bots import BotAgent, openspiel_bot
from tests.support.covering import covering
from tests.support.search_agents import MERGED, assembled, hands, load, made, odd, pure, searching
from tests.support.seats import seats_in_turn

GADGETS = ["full", "trimmed", "resolving", "max-margin", "reach-max-margin"]


@pytest.mark.parametrize("trust", [(0.5,), pytest.param((0.0, 1.0), marks=pytest.mark.slow)], ids=["p", "ends"])
@pytest.mark.parametrize(
    ("gadget", "spec"),
    [
        *covering(GADGETS, ["kuhn", "goofspiel:3"]),
        *(pytest.param(gadget, spec, marks=pytest.mark.slow) for spec in ("goofspiel:4", MERGED) for gadget in GADGETS),
    ],
)
def test_offline_and_online_agree(spec: str, trust: tuple[float, ...], gadget: str) -> None:
    """The strategy assembled from an agent's decisions is that of `respond` per state, wherever the agent gets."""
    game = load(spec)
    for seat in (0, 1):
        model = cp.opponent(game, "random:3", player=1 - seat)
        for p in trust:
            words = {"method": "cdrnr", "p": p, "depth": 1, "gadget": gadget}
            offline = cp.respond(game, model, **words, solve="per-state", solver="lp")
            agent = made(spec, f"cdrnr:p={p},depth=1,gadget={gadget},solver=lp,to=random:3", seat)
            online = assembled(game, agent)
            np.testing.assert_allclose(online.plan, offline.strategy.plan, atol=1e-6)
            found = cp.evaluate(game, online, against=model)
            assert found.gain == pytest.approx(offline.gain, abs=1e-6 * game.span)
            assert found.exploitability == pytest.approx(offline.exploitability, abs=1e-6 * game.span)


@pytest.mark.parametrize("gadget", ["full", "trimmed"])
def test_offline_and_online_agree_over_a_portfolio(gadget: str) -> None:
    """There the trimmed gadget is another one than the full."""
    game, portfolio = load("liars_dice:1,3"), "portfolio:uniform;nash"
    model = cp.opponent(game, "random:3", player=1)
    words = {"method": "abd", "p": 0.4, "depth": 2, "gadget": gadget, "leaf": portfolio}
    offline = cp.respond(game, model, **words, solve="per-state", solver="lp")
    agent = made(game.name, f"abd:p=0.4,depth=2,gadget={gadget},solver=lp,leaf={portfolio},to=random:3", 0)
    np.testing.assert_allclose(assembled(game, agent).plan, offline.strategy.plan, atol=1e-6)


class Pair:
    """Two agents in one seat, of whom both must want the same; the first one's choice counts."""

    def __init__(self, first: Any, second: Any) -> None:
        self.seat, self.both = first.seat, (first, second)

    def new_hand(self) -> None:
        for one in self.both:
            one.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        first, second = (one.policy(observation) for one in self.both)
        assert list(first) == list(second) == list(legal or ())
        assert first == pytest.approx(second, abs=1e-9)
        taken = [one.act(observation, legal) for one in self.both]
        assert taken[0] == taken[1]
        return taken[0]


@pytest.mark.parametrize(
    ("gadget", "spec"),
    [
        *covering(GADGETS, ["kuhn", "goofspiel:4", MERGED]),
        *(pytest.param(gadget, "liars_dice:1,3", marks=pytest.mark.slow) for gadget in GADGETS),
    ],
)
def test_a_game_expanded_on_the_way_is_the_same_game(spec: str, gadget: str) -> None:
    """With the same value function, an agent that expands the game on the way plays as one that has it in memory."""
    for depth, p in ((1, 0.0), (2, 0.5), (1, 1.0)):
        words = {"depth": Depth.of(depth), "p": p, "gadget": gadget, "leaf": odd}
        seat, model = depth % 2, "uniform" if p else None
        pair = Pair(*(searching(spec, seat, model, way=way, **words) for way in (False, True)))
        hands(load(spec), pair, 6)
        assert not any("not solved" in line for one in pair.both for line in one.log)


@pytest.mark.parametrize(("gadget", "spec"), covering(["resolving", "max-margin"], ["kuhn", "goofspiel:4"]))
def test_a_game_expanded_on_the_way_with_nested_solves(spec: str, gadget: str) -> None:
    """The same where what lies beyond the limit is solved, which expands it to its end."""
    for depth, p in ((1, 0.0), (2, 0.5)):
        words = {"depth": Depth.of(depth), "p": p, "gadget": gadget, "leaf": "cfr:20"}
        seat, model = depth % 2, "uniform" if p else None
        pair = Pair(*(searching(spec, seat, model, way=way, **words) for way in (False, True)))
        hands(load(spec), pair, 4)
        assert not any("not solved" in line for one in pair.both for line in one.log)


def test_nested_solves_behind_the_full_gadget_of_a_game_expanded_on_the_way() -> None:
    """The full gadget's border goes all around the path; some of it was expanded, which the nested solve must bear."""
    agent = searching(MERGED, 0, None, way=True, gadget="full", leaf="cfr:20")
    hands(load(MERGED).rules, agent, 12)
    assert not [line for line in agent.log if "not solved" in line]


def test_rounds_of_a_game_expanded_on_the_way() -> None:
    """Leduc has rounds, also for an agent that has not yet reached the end of one."""
    agent = searching(MERGED, 0, None, way=True, depth=Depth.of("round"), leaf=odd)
    hands(load(MERGED).rules, agent, 2)


@pytest.mark.parametrize("value", ["rollout:2", "sampled:2:uniform", "cfr:3"])
def test_a_game_that_does_not_fit_is_expanded_on_the_way_where_values_allow_it(value: str) -> None:
    """And is then not listed; values that need all of it are refused."""
    ground = PlayableGame("goofspiel:4", memory=1e-6)
    make = partial(cp.agent, ground, f"cdrnr:p=0,depth=1,leaf={value},iterations=3,to=uniform", 0)
    if value.startswith("cfr"):
        with pytest.raises(cp.InputError, match="memory"):
            make()
    else:
        sides = [
            lambda seat: None if seat else make(),
            lambda seat: cp.agent(ground, "uniform", seat) if seat else None,
        ]
        played = cp.match(ground.rules, *sides, 2)
        assert played.hands == 2
    assert "compiled" not in vars(ground)


def test_a_game_without_rounds_is_refused_each_time() -> None:
    """What was rejected once is rejected again."""
    for _ in range(2):
        with pytest.raises(cp.InputError, match="kuhn has no rounds"):
            searching("kuhn", 0, None, depth=Depth.of("round"))


@pytest.mark.parametrize(
    "spec", ["kuhn", "goofspiel:3", *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("goofspiel:4", MERGED))]
)
def test_safety_where_the_model_never_comes(spec: str) -> None:
    """The bound on exploitability, gain · p / (1 - p), also holds for a model that comes almost nowhere: a fallback
    re-solves what was planned, so that no opponent gets more than before, and the model never gets there."""
    game = load(spec)
    tiny, fallbacks = 1e-6 * game.span, 0
    for seat, p in ((0, 0.3), (1, 0.7)):
        for seed in range(1, 13 if spec == "kuhn" else 3):
            model = pure(game, 1 - seat, seed)
            agent = searching(spec, seat, model, p=p, solver="lp")
            found = cp.evaluate(game, assembled(game, agent), against=model)
            fallbacks += sum("the model never reaches" in line for line in agent.log)
            assert found.gain is not None
            assert found.gain >= -tiny
            assert found.exploitability <= found.gain * p / (1.0 - p) + tiny
    assert fallbacks > 0


@pytest.mark.parametrize("gadget", ["full", "resolving", "max-margin", "reach-max-margin"])
def test_resolving_without_a_model_is_an_equilibrium(gadget: str) -> None:
    """An agent without a model cannot be exploited, whatever its gadget."""
    for spec, seat in (("kuhn", 0), ("goofspiel:4", 1)):
        agent = searching(spec, seat, None, gadget=gadget, solver="lp")
        assert cp.evaluate(load(spec), assembled(load(spec), agent)).exploitability <= 1e-7


def test_an_agent_is_an_openspiel_bot_and_plays_one() -> None:
    """OpenSpiel's loop plays it against OpenSpiel's bot, and our loop plays it against that bot."""
    pyspiel = pytest.importorskip("pyspiel")
    game = cp.load("openspiel:kuhn_poker")
    theirs = pyspiel.load_game("kuhn_poker")
    for seat in (0, 1):
        agent = make_agent.agent(game, "cdrnr:p=0.5,depth=1,solver=lp,to=uniform", seat)
        bot = pyspiel.make_uniform_random_bot(1 - seat, 5)
        both = [openspiel_bot(agent, game), bot] if seat == 0 else [bot, openspiel_bot(agent, game)]
        for number in range(20):
            won = pyspiel.evaluate_bots(theirs.new_initial_state(), both, number)
            assert sum(won) == 0.0
        assert len(hands(game, agent, 20, BotAgent(bot, 1 - seat))) == 20
        assert agent.hands == 40


def histories(rules: Any) -> list[tuple[Any, list[tuple[int, str, str]], float, tuple[str, ...]]]:
    """All states with a player to act: the moves (who, infoset, action) before, chance's probability, what all saw."""
    found, todo = [], [(rules.root(), [], 1.0, ())]
    while todo:
        state, moves, odds, seen = todo.pop()
        who = rules.player(state)
        if who == cp.TERMINAL:
            continue
        if who != cp.CHANCE:
            found.append((state, moves, odds, seen))
        shares = rules.chance(state) if who == cp.CHANCE else None
        for i, action in enumerate(rules.actions(state)):
            name = rules.action_name(state, action)
            move = (who, "" if who == cp.CHANCE else rules.infoset(state, who), name)
            hidden = who == cp.CHANCE and not seen and len(moves) < 2  # the private cards
            shown = seen if hidden else (*seen, f"{who} {name}")
            todo.append((rules.child(state, action), [*moves, move], odds * (shares[i] if shares else 1.0), shown))
    return found


@pytest.mark.parametrize(("spec", "seat"), covering(["kuhn", MERGED], [0, 1]))
def test_beliefs_are_those_of_bayes(spec: str, seat: int) -> None:
    """The other's infosets, by chance, the own strategy and the model, among all histories that look alike to everybody."""
    game, rules = load(spec), load(spec).rules
    agent = made(spec, "cdrnr:p=0.5,depth=1,solver=lp,to=random:3", seat)
    own, model = assembled(game, agent), cp.opponent(game, "random:3", player=1 - seat)
    strategies = (own, model) if seat == 0 else (model, own)
    groups: dict[tuple[str, ...], dict[str, float]] = {}
    where: dict[str, tuple[str, ...]] = {}
    for state, moves, odds, seen in histories(rules):
        for who, infoset, action in moves:
            if who != cp.CHANCE:
                odds *= strategies[who].probabilities(infoset)[action]
        text = rules.infoset(state, 1 - seat)
        group = groups.setdefault(seen, {})
        group[text] = group.get(text, 0.0) + odds
        where[rules.infoset(state, seat)] = seen
    checked = 0
    for observation, seen in where.items():
        total = sum(groups[seen].values())
        if total > 1e-9:
            wanted = {text: share / total for text, share in groups[seen].items()}
            assert agent.belief(observation) == pytest.approx(wanted, abs=1e-9)
            checked += 1
    assert checked > len(where) // 4
    with pytest.raises(cp.InputError, match="no infoset 'x'"):
        agent.belief("x")


OFFLINE = ["cdbr", "cdrnr:p=0.5", "cdrnr:p=0.5,gadget=max-margin", "resolve", "ses:alpha=0.5"]


@pytest.mark.parametrize(
    ("text", "spec", "seat"),
    [*product(OFFLINE, ["kuhn"], [0, 1]), *seats_in_turn(product(OFFLINE, [MERGED]))],
)
def test_an_agent_plays_the_offline_strategy_at_every_infoset(text: str, spec: str, seat: int) -> None:
    """Also where its own play never comes, and where the model, which is certain of some actions in Leduc, does not."""
    game, source = load(spec), "s1" if spec == MERGED else "random:3"
    head, _, rest = text.partition(":")
    words = dict(word.split("=") for word in rest.split(",") if word)
    model = "" if head == "resolve" else f",to={source}"
    agent = cp.agent(game, f"{head}:depth=1,solver=lp" + (f",{rest}" if rest else "") + model, seat)
    numbers = {key: value if key == "gadget" else float(value) for key, value in words.items()}
    offline = cp.respond(
        game, cp.opponent(game, source, 1 - seat), method=head, depth=1, solve="per-state", solver="lp", **numbers
    )
    for infoset in game.trees[seat].labels.infosets:
        agent.new_hand()
        assert agent.policy(infoset) == pytest.approx(offline.strategy.probabilities(infoset), abs=1e-6), infoset
