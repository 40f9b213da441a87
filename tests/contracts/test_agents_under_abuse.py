"""Agents are never at a loss for a move: models that fail, observations that do not follow, wrong texts."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.agent import UniformAgent
from counterplay.agents.worlds.histories import CompiledSearch
from tests.support.search_agents import MERGED, assembled, hands, load, made, odd, one_sentence, pure, searching


class Watched:
    """An agent whose every policy is looked at before it acts; now and then it is asked nonsense."""

    def __init__(self, agent: Any, harms: list[Callable[[Any], None]], rng: random.Random) -> None:
        self.seat, self.agent, self.harms, self.rng = agent.seat, agent, harms, rng

    def new_hand(self) -> None:
        self.agent.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        self.rng.choice(self.harms)(self.agent)
        odds = self.agent.policy(observation)
        assert list(odds) == list(legal or ())
        assert all(0.0 <= share <= 1.0 for share in odds.values())
        assert sum(odds.values()) == pytest.approx(1.0)
        return str(self.agent.act(observation, legal))


def fails(*_: Any) -> Any:
    """A model or a value function that fails."""
    raise KeyError("the dog ate it")


def fails_at_times(infoset: str, actions: Sequence[str]) -> dict[str, float]:
    """A model that fails at some infosets, and is wrong at others."""
    if zlib.crc32(infoset.encode()) % 3 == 0:
        fails()
    share = 1.0 / len(actions) if zlib.crc32(infoset.encode()) % 3 == 1 else float("nan")
    return dict.fromkeys(actions, share)


def no_number(_: Any) -> float:
    return float("nan")


def abuses(game: cp.GameTree, seat: int, rng: random.Random) -> list[Callable[[Any], None]]:
    """What may befall an agent before a move."""
    labels = game.trees[seat].labels.infosets

    def nonsense(agent: Any) -> None:
        with pytest.raises(cp.InputError, match="no infoset") as caught:
            agent.act(rng.choice(["", "what?", "\N{SNOWMAN}" * 3]))
        one_sentence(caught.value)

    def elsewhere(agent: Any) -> None:
        observation = rng.choice(labels)
        if isinstance(agent, CompiledSearch):
            agent.act(observation)
            return
        try:
            agent.policy(observation)
        except cp.InputError as error:
            one_sentence(error)

    def taking(source: Any) -> Callable[[Any], None]:
        def take(agent: Any) -> None:
            agent.model = source

        return take

    other = 1 - seat
    models = [fails, fails_at_times, "uniform", "nobody", 7, None]
    return [nonsense, elsewhere, lambda _: None, *map(taking, [*models, pure(game, other)])]


def victims(spec: str, seat: int) -> list[Any]:
    """Agents of all kinds, with budgets and value functions that do not help."""
    game, uniform = load(spec), "uniform"
    none, brief = cp.Stop(iterations=0), cp.Stop(iterations=8)
    model = pure(game, 1 - seat)
    found = [
        searching(spec, seat, model, p=1.0, stop=brief),
        searching(spec, seat, model, p=0.5, stop=brief),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="resolving"),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="max-margin", leaf=odd),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="reach-max-margin"),
        searching(spec, seat, model, p=0.5, stop=none),
        searching(spec, seat, model, p=0.5, stop=cp.Stop(seconds=0.0)),
        searching(spec, seat, model, p=0.5, stop=brief, leaf=fails),
        searching(spec, seat, model, p=0.5, stop=brief, leaf=no_number),
        searching(spec, seat, uniform, p=0.5, stop=brief, leaf=odd, way=True),
        searching(spec, seat, uniform, p=0.5, stop=brief, leaf=no_number, way=True),
        searching(spec, seat, uniform, p=0.5, stop=none, leaf=odd, way=True),
    ]
    for agent in found[::2]:
        agent.remember = False
    return found


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("spec", "count"),
    [("kuhn", 100), (MERGED, 60), ("goofspiel:4", 60)]
    + [pytest.param(spec, 700, marks=pytest.mark.slow) for spec in ("kuhn", MERGED, "goofspiel:4")],
)
def test_many_hands_of_abuse(spec: str, count: int) -> None:
    """Whatever befalls it, an agent plays every hand to its end, legally, with probabilities that are numbers."""
    game, rng = load(spec), random.Random(f"abuse {spec}")
    for seat in (0, 1):
        agents, harms = victims(spec, seat), abuses(game, seat, rng)
        for number in range(count // 2):
            victim = Watched(agents[number % len(agents)], harms, rng)
            hands(game, victim, 1, UniformAgent(1 - seat, number), seed=number)
        for agent in agents:
            assert agent.log


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"stop": cp.Stop(iterations=0)}, "no budget for public state"),
        ({"stop": cp.Stop(seconds=0.0)}, "no budget for public state"),
        ({"leaf": fails}, "nothing is planned, uniform play: the value function fails failed: KeyError"),
        ({"leaf": no_number}, "returned something that is not a number"),
    ],
)
@pytest.mark.parametrize("way", [False, True])
def test_the_log_says_what_went_wrong(words: dict, line: str, way: bool) -> None:
    """Without a budget the plan of before stands, which is uniform play at first; without a value too, or, where the whole
    game is in memory, exact values and no model. The log says so."""
    agent = searching(MERGED, 0, "uniform", p=0.5, way=way, **{"leaf": odd, **words})
    agent.new_hand()
    exact = "leaf" in words and not way
    assert (set(agent.policy("J").values()) == {0.5}) != exact
    assert any(line in one for one in agent.log)
    assert any("solved with exact values" in one for one in agent.log) == exact


@pytest.mark.parametrize("source", [fails, fails_at_times, "nobody", 7, None])
def test_a_model_that_is_none_is_refused(source: Any) -> None:
    """The earlier model is kept, and the log says so; at the start it is rejected in one sentence."""
    agent = searching("kuhn", 0, "uniform", p=0.5)
    agent.model = source
    assert agent.model == "uniform"
    assert "the new model is refused, the previous one stays" in agent.log[-1]
    with pytest.raises(cp.InputError) as caught:
        searching("kuhn", 0, source, p=0.5)
    one_sentence(caught.value)


def test_a_model_that_fails_on_the_way_is_left() -> None:
    """In a game that is expanded on the way a model may fail late: the rest of the hand is played without, and logged."""
    agent = searching(MERGED, 1, fails_at_times, p=0.5, leaf=odd, way=True)
    hands(load(MERGED), agent, 6)
    assert any("in the rest of this hand there is no model" in line for line in agent.log)


def test_an_opponent_who_leaves_the_model_is_met_safely() -> None:
    """Where the model never comes, the look-ahead is solved as if there were none, and the log says so."""
    game = load("kuhn")
    tree = game.trees[1]
    never = cp.Strategy.from_table(tree, {infoset: {"Pass": 1.0, "Bet": 0.0} for infoset in tree.labels.infosets})
    agent = searching("kuhn", 0, never, p=0.9, solver="lp")
    agent.new_hand()
    agent.policy("2")
    agent.policy("2pb")
    assert any("the model never reaches" in line for line in agent.log)


def test_an_observation_that_does_not_follow_is_taken_as_it_is() -> None:
    """The agent says that it could not be there, and plays on."""
    agent = searching("kuhn", 0, None)
    agent.new_hand()
    agent.policy("1")
    agent.act("2pb")
    assert any("'2pb' does not follow from what was observed" in line for line in agent.log)


def test_the_model_may_change_between_moves_and_between_hands() -> None:
    """What was decided in the hand stays; the rest, and the next hand, are those of the new model."""
    game = load("goofspiel:4")
    first, second = "random:1", "random:2"
    text = "cdrnr:p=0.9,depth=1,solver=lp,to="
    agent, other = (made("goofspiel:4", text + name) for name in (first, second))
    agent.new_hand()
    root = game.trees[0].labels.infosets[0]
    decided = agent.policy(root)
    agent.model = second
    assert agent.policy(root) == decided
    agent.new_hand()
    np.testing.assert_allclose(assembled(game, agent).plan, assembled(game, other).plan, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("cdrrn:p=1,to=uniform", "cdrrn"),
        ("cdbr", "needs a model"),
        ("cdrnr:p=0.5", "needs a model"),
        ("cdbr:to=nobody", "'nobody'"),
        ("cdbr:to=nomod:fn", "cannot import 'nomod'"),
        ("cdbr:to=missing.json", "missing.json"),
        ("cdbr:depth=0,to=uniform", "depth .* not '0'"),
        ("cdbr:depth=x,to=uniform", "depth .* not 'x'"),
        ("cdrnr:to=uniform", "either p or max_exploitability"),
        ("cdrnr:p=0.5,max_exploitability=1,to=uniform", "either p or max_exploitability"),
        ("cdrnr:p=2,to=uniform", "p must be .* not '2'"),
        ("cdrnr:p=nan,to=uniform", "'nan'"),
        ("cdrnr:p=-0.1,to=uniform", "'-0.1'"),
        ("cdrnr:max_exploitability=x,to=uniform", "max_exploitability .* 'x'"),
        ("cdbr:p=1,to=uniform", "cdbr has no option 'p'"),
        ("resolve:to=uniform", "no option 'to'"),
        ("resolve:width=3", "no option 'width'"),
        ("resolve:iterations=1.5", "iterations .* '1.5'"),
        ("resolve:iterations=-1", "iterations .* '-1'"),
        ("resolve:seconds=-1", "seconds .* '-1'"),
        ("resolve:gap=x", "gap .* 'x'"),
        ("resolve:memory=x", "memory .* 'x'"),
        ("resolve:remember=maybe", "remember .* 'maybe'"),
        ("resolve:gadget=door", "'door'"),
        ("resolve:solver=magic", "'magic'"),
        ("resolve:leaf=magic", "'magic'"),
        ("resolve:leaf=cfr:0", "cfr: iterations below the limit must be"),
        ("resolve:leaf=rollout:x", "rollout: samples must be a whole number"),
        ("resolve:expand=way", "has no exact values"),
        ("resolve:expand=some", "expand is"),
        ("cdrnr:p=0.5,expand=way,leaf=rollout:2,to=nash", "'nash' needs all of"),
        ("cdbr-ne:depth=1,to=uniform", "needs either p"),
        ("rnr:p=0.5", "needs a model"),
        ("rnr:p=0.5,depth=3,to=uniform", "no option 'depth'"),
    ],
)
def test_wrong_texts_are_refused(text: str, culprit: str) -> None:
    """One sentence that names the culprit."""
    with pytest.raises(cp.InputError, match=culprit) as caught:
        made("kuhn", text)
    one_sentence(caught.value)
