"""The agent that searches while it plays: as good as its offline strategy, repeatable, and never at a loss for a move."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.agent import UniformAgent
from counterplay.agents.agent_archive import KIND
from counterplay.agents.factory import make_agent
from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.search_agent import ContinualAgent
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead, Search
from counterplay.measure.match import deal
from counterplay.measure.openspiel_bots import BotAgent, openspiel_bot
from counterplay.measure.play_hand import Hand, play_hand
from tests.support.archives import parts_of, sealed

MERGED = "leduc:merged=true"


@cache
def load(spec: str) -> cp.GameTree:
    return cp.load(spec)


def made(spec: str, text: str, seat: int = 0, seed: int = 0) -> Any:
    """The agent of a text in a game that is loaded once."""
    return make_agent.agent(load(spec), text, seat, seed)


def searching(spec: str, seat: int = 0, model: Any = None, *, way: bool = False, seed: int = 0, **words: Any) -> Any:
    """An agent of its parts; `words` are those of `Search` and `LookAhead`."""
    game = load(spec)
    look = LookAhead(words.pop("depth", 1), words.pop("value", None), words.pop("gadget", None))
    search = Search(look, **{"stop": cp.Stop(iterations=30), "solver": "cfr+", **words})
    sight = ExpandingTracker(game.rules, seat, search) if way else CompiledTracker(game, seat, search)
    return ContinualAgent(sight, model, seed=seed)


def assembled(game: cp.GameTree, agent: ContinualAgent) -> cp.Strategy:
    """What the agent does at every infoset, each in a hand of its own."""
    rows = {}
    for infoset in game.trees[agent.seat].labels.infosets:
        agent.new_hand()
        rows[infoset] = agent.policy(infoset)
    return cp.Strategy.from_table(game.trees[agent.seat], rows)


def pure(game: cp.GameTree, player: int, seed: int = 5) -> cp.Strategy:
    """A model that takes one action at each infoset, so that it never comes to most."""

    def choose(infoset: str, actions: Sequence[str]) -> dict[str, float]:
        taken = random.Random(f"{seed} {infoset}").choice(actions)
        return {action: float(action == taken) for action in actions}

    return cp.opponent(game, choose, player)


def hands(game: Any, agent: Any, count: int, other: Any = None, seed: int = 0) -> list[Hand]:
    """Hands against somebody, by default a player of whom nothing can be expected."""
    other = other or UniformAgent(1 - agent.seat, 77)
    both = (agent, other) if agent.seat == 0 else (other, agent)
    return [play_hand(game, both, deal(seed, k)) for k in range(count)]


# Offline and online


@pytest.mark.parametrize("gadget", ["full", "resolving", "max-margin", "reach-max-margin"])
@pytest.mark.parametrize("trust", [(0.5,), pytest.param((0.0, 1.0), marks=pytest.mark.slow)], ids=["p", "ends"])
@pytest.mark.parametrize("spec", ["kuhn", "goofspiel:4", MERGED])
def test_offline_and_online_agree(spec: str, trust: tuple[float, ...], gadget: str) -> None:
    """The strategy assembled from an agent's decisions is that of `respond` per state, wherever it comes to."""
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


# A game expanded on the way


def odd(state: Any) -> float:
    """A value function of no sense, which tells states apart."""
    return zlib.crc32(np.asarray(state).tobytes()) % 1000 / 250.0 - 2.0


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


@pytest.mark.parametrize("gadget", ["full", "resolving", "max-margin", "reach-max-margin"])
@pytest.mark.parametrize("spec", ["kuhn", "goofspiel:4", MERGED, "liars_dice:1,3"])
def test_a_game_expanded_on_the_way_is_the_same_game(spec: str, gadget: str) -> None:
    """With one value function the agent that expands what it comes to plays as the one that has the game in memory."""
    for depth, p in ((1, 0.0), (2, 0.5), (1, 1.0)):
        words = {"depth": Depth.of(depth), "p": p, "gadget": gadget, "value": odd}
        seat, model = depth % 2, "uniform" if p else None
        pair = Pair(*(searching(spec, seat, model, way=way, **words) for way in (False, True)))
        hands(load(spec), pair, 6)
        assert not any("not solved" in line for one in pair.both for line in one.log)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
@pytest.mark.parametrize("spec", ["kuhn", "goofspiel:4"])
def test_a_game_expanded_on_the_way_with_nested_solves(spec: str, gadget: str) -> None:
    """The same where what lies beyond the limit is solved, which expands it to its end."""
    for depth, p in ((1, 0.0), (2, 0.5)):
        words = {"depth": Depth.of(depth), "p": p, "gadget": gadget, "value": "cfr:20"}
        seat, model = depth % 2, "uniform" if p else None
        pair = Pair(*(searching(spec, seat, model, way=way, **words) for way in (False, True)))
        hands(load(spec), pair, 4)
        assert not any("not solved" in line for one in pair.both for line in one.log)


def test_nested_solves_behind_the_full_gadget_of_a_game_expanded_on_the_way() -> None:
    """The full gadget's border goes all around the path; some of it was expanded, which the nested solve must bear."""
    agent = searching(MERGED, 0, None, way=True, gadget="full", value="cfr:20")
    hands(load(MERGED).rules, agent, 12)
    assert not [line for line in agent.log if "not solved" in line]


def test_rounds_of_a_game_expanded_on_the_way() -> None:
    """Leduc has rounds, also for an agent that has not yet come to the end of one."""
    agent = searching(MERGED, 0, None, way=True, depth=Depth.of("round"), value=odd)
    hands(load(MERGED).rules, agent, 2)


def test_a_game_without_rounds_is_refused_each_time() -> None:
    """What was refused once is refused again."""
    for _ in range(2):
        with pytest.raises(cp.InputError, match="kuhn has no rounds"):
            searching("kuhn", 0, None, depth=Depth.of("round"))


# Equal seeds, and agents put away


TEXTS = {
    "kuhn": "cdrnr:p=0.5,depth=1,to=random:3",
    MERGED: "cdrnr:p=0.5,depth=2,gadget=resolving,solver=lp,to=random:3",
    "goofspiel:4": "cdrnr:p=0.5,expand=way,value=rollout:5,iterations=40,to=uniform",
    "liars_dice:1,3": "resolve:expand=way,value=rollout:5,iterations=40,remember=no",
}


@pytest.mark.parametrize("spec", TEXTS)
def test_equal_seeds_play_alike(spec: str) -> None:
    """Hands depend on nothing but the seeds."""
    first, again, other = ([hand.moves for hand in hands(load(spec), made(spec, TEXTS[spec], 0, seed), 25)]
                           for seed in (4, 4, 5))  # fmt: skip
    assert first == again
    assert first != other


def no_model(_: str, actions: Sequence[str]) -> dict[str, float]:
    """A function as a model, of which no text tells where it is."""
    return dict.fromkeys(actions, 1.0 / len(actions))


class Restless:
    """An agent that is put away and taken up again before every move, and between hands."""

    def __init__(self, agent: Any, path: Path, **words: Any) -> None:
        self.seat, self.agent, self.path, self.words = agent.seat, agent, path, words

    def _again(self) -> None:
        self.agent.save(self.path)
        self.agent = cp.resume(self.path, **self.words)

    def new_hand(self) -> None:
        self._again()
        self.agent.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        self._again()
        return str(self.agent.act(observation, legal))


@pytest.mark.parametrize(
    ("spec", "seat"),
    [(spec, seat) for spec in TEXTS for seat in (0, 1)],
)
def test_a_saved_agent_goes_on_as_if_nothing_had_happened(spec: str, seat: int, tmp_path: Path) -> None:
    """Saved and resumed between any two moves, an agent plays the hands that it would have played."""
    game = load(spec)
    through, pausing = (made(spec, TEXTS[spec], seat, 3) for _ in range(2))
    words = {"game": game} if isinstance(through.sight, CompiledTracker) else {}
    restless = Restless(pausing, tmp_path / "agent.cpa", **words)
    assert [hand.moves for hand in hands(game, through, 12)] == [hand.moves for hand in hands(game, restless, 12)]
    assert list(through.log) == list(restless.agent.log)


def saved(path: Path, spec: str = "kuhn", text: str | None = None) -> Path:
    """The file of an agent in the middle of a hand."""
    agent = made(spec, text or TEXTS[spec])
    hands(load(spec), agent, 3)
    agent.save(path)
    return path


def one_sentence(error: BaseException) -> None:
    """A message for a person: one line, not empty."""
    assert str(error)
    assert "\n" not in str(error)


def test_files_that_are_no_agents_are_refused(tmp_path: Path) -> None:
    """Nothing, text, another archive, a strategy, half a file, another version, another game: one sentence each."""
    path = saved(tmp_path / "agent.cpa")
    whole = path.read_bytes()
    facts, arrays = parts_of(path)
    cp.opponent(load("kuhn"), "uniform").save(tmp_path / "model.cps")
    wrong = tmp_path / "wrong.cpa"
    for content in (b"hello", whole[: len(whole) // 2], (tmp_path / "model.cps").read_bytes()):
        wrong.write_bytes(content)
        with pytest.raises(cp.InputError, match=r"wrong\.cpa is not a saved agent") as caught:
            cp.resume(wrong)
        one_sentence(caught.value)
    with wrong.open("wb") as file:
        np.savez(file, behaviour=np.zeros(3))
    with pytest.raises(cp.InputError, match="is not a saved agent"):
        cp.resume(wrong)
    with pytest.raises(cp.InputError, match=r"cannot read .*missing\.cpa"):
        cp.resume(tmp_path / "missing.cpa")
    sealed(wrong, replace(KIND, format=99), facts, arrays)
    with pytest.raises(cp.InputError, match="a format that this version does not read"):
        cp.resume(wrong)
    with pytest.raises(cp.InputError, match="does not fit goofspiel:4"):
        cp.resume(path, game=load("goofspiel:4"))
    sealed(wrong, KIND, {**facts, "game": "no_game"}, arrays)
    with pytest.raises(cp.InputError, match="no_game"):
        cp.resume(wrong)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    """An empty file is no agent."""
    (tmp_path / "empty.cpa").write_bytes(b"")
    with pytest.raises(cp.InputError, match=r"empty\.cpa is not a saved agent"):
        cp.resume(tmp_path / "empty.cpa")


@pytest.mark.parametrize(
    "change",
    [{"seat": "x"}, {"agent": {"draw": [3, [1], None]}}, {"agent": {"hands": "x"}}, {"sight": {"last": "x"}}],
)
def test_damaged_facts_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    """Facts of another kind than an agent's are damage, and the file is named."""
    facts, arrays = parts_of(saved(tmp_path / "agent.cpa"))
    for key, new in change.items():
        facts[key] = {**facts[key], **new} if isinstance(new, dict) else new
    sealed(tmp_path / "agent.cpa", KIND, facts, arrays)
    with pytest.raises(cp.InputError, match=r"agent\.cpa is damaged"):
        cp.resume(tmp_path / "agent.cpa")


def test_a_model_that_cannot_be_saved_is_asked_for(tmp_path: Path) -> None:
    """Where the model is a function, which no file holds, resuming without it is refused in one sentence."""
    agent = searching("kuhn", 0, no_model, p=0.5, value="rollout:2", way=True)
    hands(load("kuhn"), agent, 2)
    agent.save(tmp_path / "agent.cpa")
    assert cp.resume(tmp_path / "agent.cpa", model=no_model).model is no_model
    with pytest.raises(cp.InputError, match="model") as caught:
        cp.resume(tmp_path / "agent.cpa")
    one_sentence(caught.value)


def test_flipped_bytes_are_survived(tmp_path: Path) -> None:
    """A file with a few wrong bytes is refused in one sentence, or does no harm."""
    whole, rng = saved(tmp_path / "agent.cpa").read_bytes(), random.Random(3)
    path = tmp_path / "wrong.cpa"
    for _ in range(60):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        try:
            hands(load("kuhn"), cp.resume(path), 1)
        except cp.InputError as error:
            one_sentence(error)


# Abuse


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


def broken(game: cp.GameTree, player: int, number: float) -> cp.Strategy:
    """A model that is none: this number wherever the player has a choice."""
    tree = game.trees[player]
    behaviour = np.where(tree.uniform() > 0.0, number, 0.0)
    behaviour[0] = 1.0
    return cp.Strategy(tree, behaviour)


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
        if isinstance(agent.sight, CompiledTracker):
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
    strategies = [pure(game, other), *(broken(game, other, number) for number in (float("nan"), -0.5, 3.0, 0.0))]
    return [nonsense, elsewhere, lambda _: None, *map(taking, models), *map(taking, strategies)]


def victims(spec: str, seat: int) -> list[Any]:
    """Agents of all kinds, with budgets and value functions that do not help."""
    game, uniform = load(spec), "uniform"
    none, brief = cp.Stop(iterations=0), cp.Stop(iterations=8)
    model = pure(game, 1 - seat)
    found = [
        searching(spec, seat, model, p=1.0, stop=brief),
        searching(spec, seat, model, p=0.5, stop=brief),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="resolving"),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="max-margin", value=odd),
        searching(spec, seat, model, p=0.5, stop=brief, gadget="reach-max-margin"),
        searching(spec, seat, model, p=0.5, stop=none),
        searching(spec, seat, model, p=0.5, stop=cp.Stop(seconds=0.0)),
        searching(spec, seat, model, p=0.5, stop=brief, value=fails),
        searching(spec, seat, model, p=0.5, stop=brief, value=no_number),
        searching(spec, seat, uniform, p=0.5, stop=brief, value=odd, way=True),
        searching(spec, seat, uniform, p=0.5, stop=brief, value=no_number, way=True),
        searching(spec, seat, uniform, p=0.5, stop=none, value=odd, way=True),
    ]
    for agent in found[::2]:
        agent.remember = False
    return found


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("spec", "count"), [("kuhn", 700), (MERGED, 150), ("goofspiel:4", 150)])
def test_a_thousand_hands_of_abuse(spec: str, count: int) -> None:
    """Whatever befalls it, an agent plays every hand to its end, legally, with probabilities that are numbers."""
    game, rng = load(spec), random.Random(f"abuse {spec}")
    for seat in (0, 1):
        agents, harms = victims(spec, seat), abuses(game, seat, rng)
        for number in range(count // 2):
            victim = Watched(rng.choice(agents), harms, rng)
            hands(game, victim, 1, UniformAgent(1 - seat, number), seed=number)
        for agent in agents:
            assert agent.log


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"stop": cp.Stop(iterations=0)}, "no budget for public state"),
        ({"stop": cp.Stop(seconds=0.0)}, "no budget for public state"),
        ({"value": fails}, "nothing is planned, every action alike: the value function fails failed: KeyError"),
        ({"value": no_number}, "returned something that is no number"),
    ],
)
@pytest.mark.parametrize("way", [False, True])
def test_the_log_says_what_went_wrong(words: dict, line: str, way: bool) -> None:
    """Without a budget the plan of before stands, which is uniform play at first; without a value too, or, where the whole
    game is in memory, exact values and no model. The log says so."""
    agent = searching(MERGED, 0, "uniform", p=0.5, way=way, **{"value": odd, **words})
    agent.new_hand()
    exact = "value" in words and not way
    assert (set(agent.policy("J").values()) == {0.5}) != exact
    assert any(line in one for one in agent.log)
    assert any("solved with exact values" in one for one in agent.log) == exact


@pytest.mark.parametrize("source", [fails, fails_at_times, "nobody", 7, None, *map(float, ("nan", "-0.5"))])
def test_a_model_that_is_none_is_refused(source: Any) -> None:
    """The model of before stays, the log says so; at the start it is refused in one sentence."""
    game = load("kuhn")
    if isinstance(source, float):
        source = broken(game, 1, source)
    agent = searching("kuhn", 0, "uniform", p=0.5)
    agent.model = source
    assert agent.model == "uniform"
    assert "the new model is refused, the one before stays" in agent.log[-1]
    with pytest.raises(cp.InputError) as caught:
        searching("kuhn", 0, source, p=0.5)
    one_sentence(caught.value)


@pytest.mark.parametrize("number", [3.0, 0.0])
def test_a_model_that_does_not_sum_to_one_is_refused(number: float) -> None:
    """Probabilities of an infoset that do not sum to 1 are no model."""
    agent = searching("kuhn", 0, "uniform", p=0.5)
    agent.model = broken(load("kuhn"), 1, number)
    assert "refused" in "".join(agent.log)


def test_a_model_that_fails_on_the_way_is_left() -> None:
    """In a game that is expanded on the way a model may fail late: the rest of the hand is played without, and logged."""
    agent = searching(MERGED, 1, fails_at_times, p=0.5, value=odd, way=True)
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
    assert any("the model never comes to" in line for line in agent.log)


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


# Safety


@pytest.mark.parametrize("spec", ["kuhn", "goofspiel:4", MERGED])
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
            fallbacks += sum("the model never comes to" in line for line in agent.log)
            assert found.gain is not None
            assert found.gain >= -tiny
            assert found.exploitability <= found.gain * p / (1.0 - p) + tiny
    assert fallbacks > 0


@pytest.mark.parametrize("gadget", ["full", "resolving", "max-margin", "reach-max-margin"])
def test_resolving_without_a_model_is_an_equilibrium(gadget: str) -> None:
    """An agent that trusts nobody cannot be exploited, whatever its gadget."""
    for spec, seat in (("kuhn", 0), ("goofspiel:4", 1)):
        agent = searching(spec, seat, None, gadget=gadget, solver="lp")
        assert cp.evaluate(load(spec), assembled(load(spec), agent)).exploitability <= 1e-7


# Memory


def growth(agent: Any, game: cp.GameTree, early: int, late: int) -> int:
    """Bytes that Python and NumPy hold more after `late` hands than after `early`."""
    other, held = UniformAgent(1 - agent.seat, 1), []
    hands(game, agent, early // 2, other)
    tracemalloc.start()
    try:
        for number in range(early // 2, late):
            hands(game, agent, 1, other, seed=number)
            if number + 1 in (early, late):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return held[1] - held[0]


@pytest.mark.parametrize("hands", [3000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow(hands: int) -> None:
    """After the first 1,000 hands an agent takes no more memory."""
    agent = searching("kuhn", 0, "uniform", p=0.5)
    assert growth(agent, load("kuhn"), 1000, hands) < 1 << 16


def test_memory_does_not_grow_where_every_hand_is_logged() -> None:
    """Nor where nothing is remembered, and the log is written to in each hand."""
    agent = searching("kuhn", 0, "uniform", p=0.5, stop=cp.Stop(iterations=0))
    agent.remember = False
    assert growth(agent, load("kuhn"), 1200, 2400) < 1 << 16
    assert len(agent.log) <= 1000


@pytest.mark.slow
@pytest.mark.parametrize("way", [False, True])
def test_memory_does_not_grow_in_leduc(way: bool) -> None:
    """The same with look-aheads, in memory and expanded on the way."""
    agent = searching(MERGED, 0, "uniform", p=0.5, way=way, value=odd, stop=cp.Stop(iterations=4))
    agent.remember = False
    assert growth(agent, load(MERGED), 100, 600) < 1 << 20


LARGE = """
import random, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from counterplay.agents.factory.make_agent import agent as make
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.agent import UniformAgent
from counterplay.measure.play_hand import play_hand
from counterplay.measure.match import deal
ground = PlayableGame(sys.argv[1])
for seat in (0, 1):
    agent = make(ground, sys.argv[2], seat)
    other = UniformAgent(1 - seat, 3)
    for number in range(3):
        play_hand(ground.rules, (agent, other) if seat == 0 else (other, agent), deal(1, number))
    print(*agent.log, sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["goofspiel:7", "liars_dice:2,4"])
@pytest.mark.parametrize("gadget", ["full", "resolving"])
def test_large_games_are_played_within_four_gib(spec: str, gadget: str) -> None:
    """Games that are expanded on the way are played legally, and every look-ahead is solved."""
    text = f"cdrnr:p=0.5,depth=1,gadget={gadget},expand=way,value=rollout:5,iterations=50,to=uniform"
    words = [sys.executable, "-c", LARGE, spec, text]
    done = subprocess.run(words, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "not solved" not in done.stdout


# OpenSpiel


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


# Texts


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
        ("resolve:value=magic", "'magic'"),
        ("resolve:value=cfr:0", "cfr: iterations below the limit must be"),
        ("resolve:value=rollout:x", "rollout: samples must be a whole number"),
        ("resolve:expand=way", "exact values are not known"),
        ("resolve:expand=some", "expand is"),
        ("cdrnr:p=0.5,expand=way,value=rollout:2,to=nash", "'nash' needs all of"),
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


# Beliefs


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


@pytest.mark.parametrize("spec", ["kuhn", MERGED])
@pytest.mark.parametrize("seat", [0, 1])
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


@pytest.mark.parametrize("spec", ["kuhn", MERGED])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", ["cdbr", "cdrnr:p=0.5", "cdrnr:p=0.5,gadget=max-margin", "resolve", "ses:alpha=0.5"])
def test_an_agent_plays_the_offline_strategy_at_every_infoset(spec: str, seat: int, text: str) -> None:
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
