"""Agents, matches between them, and OpenSpiel's bots."""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import counterplay as cp
from counterplay import Agent, MatchResult, OpponentModel, SearchBot, match
from counterplay.agents import REGISTRY
from counterplay.agents.agent import UniformAgent
from counterplay.agents.factory import agent_factory, make_agent
from counterplay.agents.records import AgentRecord
from counterplay.agents.worlds.histories import ListedAgent
from counterplay.measure.match import AfterHand, deal
from counterplay.measure.openspiel_bots import BotAgent, openspiel_bot
from counterplay.measure.play_hand import Hand, play_hand
from counterplay.opponents.model import MODELS
from counterplay.texts.grammar import split_words
from counterplay.texts.readers import Share
from tests.support.games import Coin
from tests.support.interrupts import interrupted


def sides(game: Any, a: str, b: str, seed: int = 0) -> tuple[Callable[[int], Agent], Callable[[int], Agent]]:
    """The makers of two agents by their texts."""
    ground = agent_factory.PlayableGame(game)
    return lambda seat: make_agent.agent(ground, a, seat, seed, 0), lambda seat: make_agent.agent(
        ground, b, seat, seed, 1
    )


def pure(game: cp.GameTree, seed: int) -> Callable[[int], Agent]:
    """A maker of agents that take one action at each infoset, chosen at random before the match."""

    def choose(infoset: str, actions: Sequence[str]) -> dict[str, float]:
        taken = random.Random(f"{seed} {infoset}").choice(actions)
        return {action: float(action == taken) for action in actions}

    return lambda seat: ListedAgent(cp.opponent(game, choose, seat), seed)


def timeless(result: MatchResult) -> dict[str, Any]:
    clocks = ("seconds", "decisions_per_second", "slowest_ms")
    return {name: value for name, value in result.facts.items() if name not in clocks}


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "goofspiel:3", "liars_dice:1,3"])
def test_a_pure_strategy_against_itself_wins_exactly_nothing(game_of, spec: str) -> None:
    game = game_of(spec)
    result = match(game, pure(game, 5), pure(game, 5), 60, seed=2)
    assert result.mean == 0.0
    assert result.interval == (0.0, 0.0)
    assert result.decisions[0] == result.decisions[1] > 0


@pytest.mark.parametrize(("spec", "hands"), [
    ("kuhn", 1500), ("leduc", 1000), ("goofspiel:4", 500),
    *(pytest.param(*long, marks=pytest.mark.slow) for long in (("kuhn", 8000), ("leduc", 6000), ("goofspiel:4", 3000))),
])  # fmt: skip
def test_a_long_match_agrees_with_the_exact_value(game_of, spec: str, hands: int) -> None:
    game, texts = game_of(spec), ("random:3", "random:8,0.3")
    result = match(game, *sides(game, *texts), hands, seed=1)
    exact = 0.0
    for seat in (0, 1):
        mine, other = cp.opponent(game, texts[0], seat), cp.opponent(game, texts[1], 1 - seat)
        exact += 0.5 * float(game.payoff.product(seat, other.plan) @ mine.plan)
    assert result.interval is not None
    error = (result.interval[1] - result.mean) / 1.96
    assert 0.0 < error < 0.1 * game.span
    assert abs(result.mean - exact) <= 4.0 * error


def test_a_match_in_one_seat(kuhn) -> None:
    """Every hand has a deal of its own, A sits in one seat, and the mean is that seat's value."""
    texts, seats, deals = ("random:3", "random:8,0.3"), set[int](), list[Any]()
    both = sides(kuhn, *texts)

    def only(side: int, seat: int) -> Callable[[int], Agent | None]:
        return lambda asked: both[side](asked) if asked == seat else None

    def keep(number: int, seat: int, hand: Hand) -> None:
        del number
        seats.add(seat)
        deals.append(hand.moves[:2])

    result = match(kuhn, only(0, 1), only(1, 0), 3000, seed=1, after=AfterHand(keep=keep))
    mine, other = cp.opponent(kuhn, texts[0], 1), cp.opponent(kuhn, texts[1], 0)
    exact = float(kuhn.payoff.product(1, other.plan) @ mine.plan)
    assert result.interval is not None
    assert abs(result.mean - exact) <= 4.0 * (result.interval[1] - result.mean) / 1.96
    assert any(one != two for one, two in zip(deals[::2], deals[1::2], strict=True))
    assert (seats, result.seat, match(kuhn, *both, 2).seat) == ({1}, 1, None)
    with pytest.raises(cp.InputError, match="no seat is left"):
        match(kuhn, only(0, 1), only(1, 1), 2)
    with pytest.raises(cp.InputError, match="AIVAT takes a match in both seats"):
        match(kuhn, only(0, 1), only(1, 0), 2, aivat=lambda *_: pytest.fail("no correction is made"))


def test_equal_seeds_give_equal_results(leduc) -> None:
    first, again, other = (match(leduc, *sides(leduc, "cfr+:5", "uniform", seed), 80, seed=seed) for seed in (3, 3, 4))
    assert timeless(first) == timeless(again)
    assert first.mean != other.mean


def test_speeds_belong_to_the_right_side(kuhn) -> None:
    class Slow(UniformAgent):
        def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
            time.sleep(0.002)
            return super().act(observation, legal)

    result = match(kuhn, lambda seat: Slow(seat, 1), lambda seat: UniformAgent(seat, 2), 20)
    assert result.slowest_ms[0] > 2.0
    assert result.decisions_per_second[0] < 500.0 < result.decisions_per_second[1]


def test_two_sides_of_one_seed_do_not_draw_alike() -> None:
    game = cp.load("matching_pennies")
    make_a, make_b = sides(game, "uniform", "uniform")
    table_of_two = (make_a(0), make_b(1))
    same = sum(play_hand(game, table_of_two, deal(0, k)).utility > 0 for k in range(400))
    assert 140 < same < 260


def test_mirrored_hands_have_the_same_deal(leduc) -> None:
    agents = (UniformAgent(0, 1), UniformAgent(1, 2))
    first, second = (play_hand(leduc, agents, deal(7, 3)).moves for _ in range(2))
    assert first[:2] == second[:2]
    assert first[0][0] == cp.CHANCE


def test_an_odd_last_hand_counts_only_in_the_speeds(kuhn) -> None:
    even, odd = (match(kuhn, *sides(kuhn, "nash", "uniform"), hands) for hands in (10, 11))
    assert (odd.mean, odd.interval) == (even.mean, even.interval)
    assert odd.hands == 11
    assert sum(odd.decisions) > sum(even.decisions)
    single = match(kuhn, *sides(kuhn, "nash", "uniform"), 1)
    assert abs(single.mean) >= 1.0
    assert single.interval is None


class Interrupted(UniformAgent):
    """A player who is interrupted by Ctrl-C."""

    def __init__(self, seat: int, after: int) -> None:
        super().__init__(seat, 1)
        self.left = after

    def new_hand(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_the_finished_pairs(kuhn) -> None:
    def other(seat: int) -> Agent:
        return UniformAgent(seat, 2)

    result = match(kuhn, lambda seat: Interrupted(seat, 3 if seat else 99), other, 100)
    assert (result.hands, result.interrupted) == (6, True)
    with pytest.raises(KeyboardInterrupt):
        match(kuhn, lambda seat: Interrupted(seat, 0), other, 100)


def test_progress_is_told_of_hands_and_mean(kuhn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterplay.measure.match._PAUSE", 0.0)
    told: list[tuple[int, float]] = []
    result = match(kuhn, *sides(kuhn, "nash", "uniform"), 10, progress=lambda *words: told.append(words))
    assert [hands for hands, _ in told] == [2, 4, 6, 8, 10]
    assert told[-1][1] == pytest.approx(result.mean)


def test_illegal_actions_name_agent_action_and_observation(kuhn) -> None:
    class Cheat(UniformAgent):
        name = "cheat"

        def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
            return "Peek"

    agents = (UniformAgent(0, 1), Cheat(1, 1))
    with pytest.raises(cp.InputError, match=r"cheat in seat 1 answered 'Peek' at '\d[pb]', where .* Pass, Bet"):
        play_hand(kuhn, agents, deal(0, 0))


def test_matches_refuse_no_hands_and_wrong_seats(kuhn) -> None:
    with pytest.raises(cp.InputError, match="at least 1 hand, not 0"):
        match(kuhn, *sides(kuhn, "uniform", "uniform"), 0)
    with pytest.raises(cp.InputError, match="made for seat 0, not 1"):
        match(kuhn, lambda _: UniformAgent(0, 1), lambda seat: UniformAgent(seat, 1), 2)


WRONG: list[tuple[str, Callable[..., Any], str]] = [
    ("child", lambda *_: {}["dog"], "the rules failed with KeyError"),
    ("chance", lambda *_: [0.5, 0.6], r"the chance probabilities at the start are \[0.5, 0.6\] and do not sum to 1"),
    ("chance", lambda *_: [1.0], r"the chance probabilities at the start are \[1.0\] for 2 actions"),
    ("chance", lambda *_: [-0.5, 1.5], r"the chance probabilities .* \[-0.5, 1.5\], and -0.5 is negative"),
    ("player", lambda _, state: 5 if state else cp.CHANCE, "the player after '.*' is 5, not 0, 1, chance or terminal"),
    ("player", lambda *_: None, "the player at the start is None, not 0, 1, chance or terminal"),
    ("actions", lambda _, state: [] if state else ["heads", "tails"], "there are no actions at the infoset 'guess'"),
    ("utility", lambda *_: float("nan"), "the utility of a hand is nan"),
    ("action_name", lambda *_: "x", "two actions at the infoset 'guess'"),
]


@pytest.mark.parametrize(("method", "body", "reason"), WRONG)
def test_wrong_rules_are_named(method: str, body: Callable[..., Any], reason: str) -> None:
    game = type("Wrong", (Coin,), {method: body})()
    with pytest.raises(cp.InputError, match=f"coin: {reason}"):
        match(game, *sides(game, "uniform", "uniform"), 20)


def test_options_of_an_agent() -> None:
    text = "cdrnr:p=0.5,depth=1,gadget=full,to=observed:20,7:cfr+:10,current"
    wanted = {"p": "0.5", "depth": "1", "gadget": "full", "to": "observed:20,7:cfr+:10,current"}

    def parse(text: str) -> dict[str, str]:
        return split_words(text, text.partition(":")[2]).options

    assert parse(text) == wanted
    assert parse("cdrnr") == {}
    assert parse("cdrnr:to=a=b,c") == {"to": "a=b,c"}
    bracketed = {"leaf": "portfolio:bias:a=1,b=2:x;y", "p": "1", "to": "z[,"}
    assert parse("abd:leaf=[portfolio:bias:a=1,b=2:x;y],p=1,to=z[,") == bracketed
    assert parse("abd:leaf=sampled:9,3:x;y,p=1") == {"leaf": "sampled:9,3:x;y", "p": "1"}


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("=1", "'=1' is not key=value"),
        ("p=,to=uniform", "no value after 'p='"),
        ("p=1,to=", "no value after 'to='"),
        ("p=1,p=2", "duplicate option 'p'"),
        (",", "'' is not key=value"),
        ("p=1,,q=2", "'' is not key=value"),
        ("leaf=[a,b", "'.a,b' has no closing bracket"),
        ("leaf=[a]b,p=1", "'.a.b,p=1' has no closing bracket"),
        ("leaf=[],p=1", "no value after 'leaf='"),
    ],
)
def test_wrong_options_are_named(rest: str, reason: str) -> None:
    with pytest.raises(cp.InputError, match=re.escape(f"'cdrnr:{rest}': ") + reason):
        SearchBot.from_text(f"cdrnr:{rest}")


def test_agents_that_compute_can_be_added(kuhn, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple] = []

    @dataclass(frozen=True)
    class Thinker(AgentRecord):
        HEAD = "thinker"
        p: Annotated[float, Share(keyed=True)]
        to: Annotated[OpponentModel, MODELS.nested(keyed=True)]

    def make(asked: Thinker, ground: make_agent.PlayableGame, seat: int, seed: int, draws: int) -> Agent:
        calls.append((ground.compiled is kuhn, seat, str(asked), seed, draws))
        return UniformAgent(seat, draws)

    monkeypatch.setitem(REGISTRY, "thinker", Thinker)
    monkeypatch.setitem(agent_factory.MAKERS, Thinker, make)
    for side in (0, 1):
        assert make_agent.agent(kuhn, "thinker:p=1,to=nash", 1, seed=7, side=side).seat == 1
    assert [call[:4] for call in calls] == [(True, 1, "thinker:p=1,to=nash", 7)] * 2
    assert calls[0][4] != calls[1][4]


def test_uniform_play_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_factory, "load", lambda *_, **__: pytest.fail("compiled"))
    ground = agent_factory.PlayableGame("goofspiel:13")
    assert match(ground.rules, *sides(ground.source, "uniform", "uniform"), 4).decisions == (48, 48)


def test_agents_say_what_they_lack(kuhn) -> None:
    with pytest.raises(cp.InputError, match="player must be 0 or 1, not 2"):
        make_agent.agent(kuhn, "uniform", 2)
    with pytest.raises(cp.InputError, match="no agent 'nonsense'"):
        make_agent.agent(kuhn, "nonsense", 0)
    with pytest.raises(cp.InputError, match="memory limit"):
        make_agent.agent("goofspiel:13", "nash", 0)
    with pytest.raises(cp.InputError, match="legal actions"):
        UniformAgent(0, 1).act("Js")
    with pytest.raises(cp.InputError, match="no infoset 'Js'"):
        make_agent.agent(kuhn, "nash", 0).act("Js")


@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker"])
def test_agents_as_openspiel_bots(name: str) -> None:
    """Equilibrium bots of both seats, run by OpenSpiel, win the value of the game."""
    pyspiel = pytest.importorskip("pyspiel")
    game = cp.load(f"openspiel:{name}")
    bots = [openspiel_bot(make_agent.agent(game, "nash", seat), game) for seat in (0, 1)]
    assert [bot.player_id() for bot in bots] == [0, 1]
    root = game.rules.root()
    won = [pyspiel.evaluate_bots(root.clone(), bots, k)[0] for k in range(3000)]
    mean = sum(won) / len(won)
    error = math.sqrt(sum((x - mean) ** 2 for x in won)) / len(won)
    assert abs(mean - cp.solve(game).value) <= 4.0 * error


@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker"])
def test_openspiel_bots_as_agents(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = cp.load(f"openspiel:{name}")
    model = [cp.opponent(game, "uniform", seat) for seat in (0, 1)]
    nash = cp.solve(game).strategies
    exact = 0.5 * sum(float(game.payoff.product(s, model[1 - s].plan) @ nash[s].plan) for s in (0, 1))
    result = match(
        game,
        lambda seat: ListedAgent(nash[seat], seat + 5),
        lambda seat: BotAgent(pyspiel.make_uniform_random_bot(seat, 3 + seat), seat),
        3000,
    )
    assert result.interval is not None
    assert abs(result.mean - exact) <= 4.0 * (result.interval[1] - result.mean) / 1.96


def test_a_bot_hears_of_every_action_that_is_not_its_own() -> None:
    pyspiel = pytest.importorskip("pyspiel")

    class Listener(pyspiel.Bot):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[int] = []

        def restart(self) -> None:
            self.heard = []

        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            assert state.current_player() == player_id != 1
            self.heard.append(action)

        def step(self, state: Any) -> int:
            own = [step.action for step in state.full_history() if step.player != 1]
            assert self.heard == own
            return int(state.legal_actions()[-1])

    game = agent_factory.PlayableGame("openspiel:leduc_poker").rules
    agents = (UniformAgent(0, 1), BotAgent(Listener(), 1))
    assert sum(play_hand(game, agents, deal(0, k)).decisions[1] for k in range(20)) > 20


def test_bots_need_openspiel_games(kuhn) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    with pytest.raises(cp.InputError, match="loaded as openspiel"):
        openspiel_bot(UniformAgent(0, 1), kuhn)
    agents = (BotAgent(pyspiel.make_uniform_random_bot(0, 1), 0), UniformAgent(1, 1))
    with pytest.raises(cp.InputError, match="loaded as openspiel"):
        play_hand(kuhn, agents, deal(0, 0))

    class Wild(pyspiel.Bot):
        def restart(self) -> None: ...

        def inform_action(self, state: Any, player_id: int, action: int) -> None: ...

        def step(self, state: Any) -> int:
            return 77

    with pytest.raises(cp.InputError, match="Wild in seat 0 took the illegal action 77"):
        play_hand(
            agent_factory.PlayableGame("openspiel:kuhn_poker").rules,
            (BotAgent(Wild(), 0), UniformAgent(1, 1)),
            deal(0, 0),
        )


def test_the_match_command(run) -> None:
    code, out, err = run("match", "kuhn", "nash", "uniform", "--hands", "40")
    assert (code, err) == (0, "")
    for words in ("kuhn: nash (A) against uniform (B)", "95 % interval", "decisions per second", "slowest decision"):
        assert words in out
    facts = json.loads(run("match", "kuhn", "nash", "uniform", "--hands", "40", "--seed", "3", "--json")[1])
    assert facts["agents"] == ["nash", "uniform"]
    assert (facts["hands"], facts["seed"], facts["interrupted"]) == (40, 3, False)
    assert facts["interval"][0] < facts["mean"] < facts["interval"][1]
    assert "unknown" in run("match", "kuhn", "nash", "uniform", "--hands", "2")[1]


def test_a_game_too_large_to_compile_can_be_played(run) -> None:
    words = ("match", "battleships:5,5,2x2/2x2", "uniform", "uniform", "--hands", "2", "--memory", "0.001")
    assert run(*words)[0] == 0


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (("match", "kuhn", "nonsense", "uniform"), "nonsense"),
        (("match", "nonsense", "uniform", "uniform"), "nonsense"),
        (("match", "kuhn", "uniform", "uniform", "--hands", "0"), "at least 1 hand"),
        (("match", "kuhn", "uniform", "uniform", "--hands", "x"), "--hands"),
        (("match", "kuhn", "uniform", "uniform", "--memory", "0"), "--memory"),
        (("match", "goofspiel:13", "uniform", "nash"), "goofspiel:13"),
        (("match", "kuhn", "uniform"), "AGENT_B"),
        (("match", "kuhn", "missing.json", "uniform"), "missing.json"),
        (("play", "kuhn"), "--against"),
        (("play", "kuhn", "--against", "nonsense"), "nonsense"),
        (("play", "kuhn", "--against", "uniform", "--seat", "2"), "--seat"),
        (("play", "kuhn", "--against", "uniform", "--hands", "0"), "--hands"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_end_with_code_2(run, words: tuple[str, ...], culprit: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert culprit in err
    assert "Traceback" not in err


def test_ctrl_c_ends_a_match_with_its_result(tmp_path: Path) -> None:
    ended = interrupted(["match", "kuhn", "uniform", "uniform", "--hands", "1000000000"], 3.0, tmp_path)
    assert ended.code == 0, ended.err
    assert "95 % interval" in ended.out
    assert "best so far" in ended.err
