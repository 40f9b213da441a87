"""Agents that learn while they play: gifts are never overestimated, evidence is a fair bet, and hands reach the agents."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import match
from counterplay.agents.agent import Player
from counterplay.agents.learning.learning_agent import LearningAgent, RiskByGifts, TrustByEvidence, Wealth
from counterplay.agents.learning.studies import GiftBounds, ListedStudy
from counterplay.agents.records import AGENTS, MEAN, SURE, LearningBot
from counterplay.measure.match import AfterHand
from counterplay.opponents.counting.terminal_infosets import REVEALS, TerminalInfosets
from counterplay.solvers.best_response import best_response
from tests.support.commands import Runner
from tests.support.covering import covering
from tests.support.theorems import GameOf


def pure(game: cp.GameTree, player: int, seed: int) -> cp.Strategy:
    """A strategy with one action at every infoset."""
    return cp.opponent(game, f"random:{seed},0.0001", player)


def ends_of(game: cp.GameTree, strategies: tuple[cp.Strategy, cp.Strategy], rng: random.Random) -> int:
    """The place among all ends of a hand that is drawn from both strategies."""
    ends = TerminalInfosets(game, 0).ends
    odds = game.histories.reach[ends]
    for player in (0, 1):
        odds = odds * strategies[player].plan[game.sequences[player][ends]]
    return rng.choices(range(len(ends)), odds)[0]


@pytest.mark.parametrize(
    ("met", "reveal"),
    covering([("kuhn", 0, "random"), ("kuhn", 1, "nemesis"), ("leduc:2", 0, "switch")], REVEALS),
)
def test_the_expected_total_is_never_below_that_of_an_equilibrium(
    game_of: GameOf, met: tuple[str, int, str], reveal: str
) -> None:
    """Against any opponent, after every hand: the exact expectations of the strategies that were played, each against what
    the opponent played in this hand, add up to at least hands x value and the budget. Ganzfried and Sandholm 2015."""
    spec, seat, kind = met
    game, rng = game_of(spec), random.Random(7)
    sight, prior = TerminalInfosets(game, seat, reveal), cp.opponent(game, "uniform", 1 - seat)
    study = ListedStudy(game, seat, prior, LearningBot("gifts"))
    governor = study.begin()
    assert isinstance(governor, RiskByGifts)
    trust = governor.trust
    played = study.respond(prior, trust).strategy
    value, total, risked = cp.evaluate(game, played).game_value, 0.0, 0.0
    for hand in range(40):
        other = pure(game, 1 - seat, rng.randrange(5))
        if kind == "nemesis" or (kind == "switch" and hand >= 20):
            plan = best_response(game.subgame, 1 - seat, played.plan).behaviour
            other = cp.Strategy(other.tree, plan)
        total += float(game.payoff.product(seat, other.plan) @ played.plan) - value
        risked = max(risked, cp.evaluate(game, played).exploitability)
        both = (played, other) if seat == 0 else (other, played)
        label = int(sight.label[ends_of(game, both, rng)])
        governor.see(sight.ends[sight.groups.of(label)], prior, played)
        assert total >= governor.budget - 1e-7 * hand
        assert governor.budget >= -1e-7 * (hand + 1)
        if governor.trust != trust:
            trust = governor.trust
            played = study.respond(prior, trust).strategy
    assert (risked > 0.01) == (kind != "nemesis")


@given(st.integers(0, 1000))
def test_no_larger_gift_would_be_sure(kuhn: cp.GameTree, ours: int) -> None:
    """For every hand that may be seen, somebody plays it, best elsewhere, and gives exactly the least gift."""
    played = cp.opponent(kuhn, f"random:{ours}", 0)
    bounds, tree = GiftBounds(kuhn, played), kuhn.trees[1]
    best = best_response(kuhn.subgame, 1, played.plan).behaviour
    for reveal in REVEALS:
        sight = TerminalInfosets(kuhn, 0, reveal)
        for label in range(int(sight.label.max()) + 1):
            last = kuhn.sequences[1][sight.ends[sight.groups.of(label)]]
            at = int(last[np.argmin(bounds.losses[last])])
            behaviour = best.copy()
            while at > 0:  # the actions that were seen, for certain
                lane = int(tree.owner[at])
                behaviour[tree.owner == lane] = 0.0
                behaviour[at] = 1.0
                at = int(tree.arrays.parent[lane])
            other = cp.Strategy(tree, behaviour)
            worth = float(kuhn.payoff.product(0, other.plan) @ played.plan)
            gift = bounds.surplus(sight.ends[sight.groups.of(label)]) + bounds.exploitability
            assert worth == pytest.approx(cp.evaluate(kuhn, played).worst_case + gift, abs=1e-7)


@pytest.mark.parametrize("reveal", REVEALS)
@given(ours=st.integers(0, 1000), theirs=st.integers(0, 1000))
def test_gifts_on_average_are_what_any_opponent_gives(kuhn: cp.GameTree, reveal: str, ours: int, theirs: int) -> None:
    """Exactly over all hands, mixed opponents too: equal where all is shown, less where cards are hidden. Hand by hand this
    keeps the expected total at least at hands x value, whoever chooses the opponent and however."""
    played, other = cp.opponent(kuhn, f"random:{ours}", 0), cp.opponent(kuhn, f"random:{theirs}", 1)
    bounds, sight = GiftBounds(kuhn, played, MEAN), TerminalInfosets(kuhn, 0, reveal)
    odds = kuhn.histories.reach[sight.ends] * played.plan[kuhn.sequences[0][sight.ends]]
    odds = odds * other.plan[kuhn.sequences[1][sight.ends]]
    credit = [bounds.surplus(sight.ends[sight.groups.of(int(label))]) for label in sight.label]
    found = cp.evaluate(kuhn, played)
    given_away = float(kuhn.payoff.product(0, other.plan) @ played.plan) - found.game_value
    assert float(odds @ credit) <= given_away + 1e-7
    if reveal == "all":
        assert float(odds @ credit) == pytest.approx(given_away, abs=1e-7)


def test_gifts_on_average_allow_more_sooner(kuhn: cp.GameTree) -> None:
    """Of the same hands of a weak player."""
    budgets = []
    for credit in (SURE, MEAN):
        learner = cp.agent(kuhn, f"learn:gifts,credit={credit}", 0)
        match(kuhn, lambda seat, one=learner: one if seat == 0 else cp.agent(kuhn, "uniform", 1),
              lambda seat: cp.agent(kuhn, "random:6", seat), 100, 1)  # fmt: skip
        budgets.append(learner.governor.budget)
    assert budgets[1] > 2.0 * budgets[0] > 0.0


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_a_gift_is_at_most_what_any_opponent_gives(kuhn: cp.GameTree, ours: int, theirs: int) -> None:
    """For every pure opponent and every hand it can have: the value is at least worst case plus the least gift."""
    played, other = cp.opponent(kuhn, f"random:{ours}", 0), pure(kuhn, 1, theirs)
    bounds, sight = GiftBounds(kuhn, played), TerminalInfosets(kuhn, 0, "none")
    worth = float(kuhn.payoff.product(0, other.plan) @ played.plan)
    for end in np.flatnonzero(other.plan[kuhn.sequences[1][sight.ends]] > 0.5):
        ends = sight.ends[sight.groups.of(int(sight.label[end]))]
        assert worth >= cp.evaluate(kuhn, played).worst_case + bounds.surplus(ends) + bounds.exploitability - 1e-3


@pytest.mark.parametrize("reveal", REVEALS)
def test_the_bet_is_fair_if_the_opponent_plays_the_prior(kuhn: cp.GameTree, reveal: str) -> None:
    """The expected factor of the wealth over all hands is 1; if the model is right, its logarithm grows."""
    prior, model = (cp.opponent(kuhn, f"random:{seed}", 1).plan for seed in (1, 2))
    sight, own = TerminalInfosets(kuhn, 0, reveal), cp.Strategy.uniform(kuhn.trees[0]).plan
    base = kuhn.histories.reach[sight.ends] * own[kuhn.sequences[0][sight.ends]]
    by_prior, by_model = (
        np.bincount(sight.label, base * plan[kuhn.sequences[1][sight.ends]]) for plan in (prior, model)
    )
    steps = []
    for one, two in zip(by_model, by_prior, strict=True):
        wealth = Wealth()
        wealth.bet(one, two)
        steps.append(wealth.log_wealth)
    assert by_prior @ np.exp(steps) == pytest.approx(1.0)
    assert by_model @ np.array(steps) > 0.0


@given(st.integers(0, 1000))
def test_a_model_that_is_the_prior_is_no_evidence(kuhn: cp.GameTree, seed: int) -> None:
    """Whatever is seen: also where the prior never takes an action."""
    for prior in (cp.opponent(kuhn, f"random:{seed}", 1), pure(kuhn, 1, seed)):
        study, sight = ListedStudy(kuhn, 0, prior, LearningBot("evidence")), TerminalInfosets(kuhn, 0, "none")
        governor = study.begin()
        assert isinstance(governor, TrustByEvidence)
        for label in np.unique(sight.label):
            ends = sight.ends[sight.groups.of(int(label))]
            governor.see(ends, cp.Strategy(prior.tree, prior.behaviour), prior)
            assert governor.trust == 0.0
        assert governor.wealth.log_wealth == pytest.approx(0.0, abs=1e-12)


def test_wealth_is_trust_until_the_opponent_changes() -> None:
    wealth = Wealth()
    assert wealth.trust == 0.0
    for _ in range(20):
        wealth.bet(0.9, 0.5)
    assert wealth.trust > 0.99
    assert not wealth.has_turned
    for _ in range(20):
        wealth.bet(0.1, 0.5)
    assert wealth.has_turned


@pytest.mark.parametrize("by", ["evidence", "gifts", "fixed"])
def test_agents_that_learn_win_more_from_a_weak_opponent_than_an_equilibrium(kuhn: cp.GameTree, by: str) -> None:
    weak = cp.opponent(kuhn, "random:6", player=1)
    learner, spare = cp.agent(kuhn, f"learn:{by}", 0, seed=1), cp.agent(kuhn, "nash", 1)
    assert isinstance(learner, LearningAgent)
    match(kuhn, lambda seat: learner if seat == 0 else spare, lambda seat: cp.agent(kuhn, "random:6", seat), 240)
    nash = cp.evaluate(kuhn, cp.opponent(kuhn, "nash", 0), weak)
    now = cp.evaluate(kuhn, learner.strategy, weak)
    assert nash.gain is not None
    assert now.gain is not None
    assert learner.hands == 120
    assert now.gain > nash.gain + 0.02


@pytest.mark.parametrize("method", ["rnr", "ses"])
def test_trust_dials_any_method_that_has_it(kuhn: cp.GameTree, method: str) -> None:
    """With full trust and a model, `rnr` answers it best; `ses` re-solves with this alpha."""
    model = cp.opponent(kuhn, "random:6", 1)
    study = ListedStudy(kuhn, 0, model, LearningBot("fixed", p=0.7, method=method))
    wanted = cp.respond(kuhn, model, "rnr:p=0.7" if method == "rnr" else "ses:alpha=0.7,depth=1")
    assert np.array_equal(study.respond(model, study.begin().trust).strategy.behaviour, wanted.strategy.behaviour)
    text = f"learn:evidence,p=0.7,method={method},prior=uniform"
    assert str(AGENTS.parse(text)) == text


def test_the_agent_is_told_what_its_seat_may_know(kuhn: cp.GameTree) -> None:
    told: list[tuple[float, object]] = []

    class Listener(Player):
        learns_in = kuhn

        def act(self, observation: str, legal: object = None) -> str:
            return "Pass"

        def end_hand(self, result: float, shown: object) -> None:
            told.append((result, shown))

    match(
        kuhn,
        lambda seat: Listener(seat, "listener"),
        lambda seat: cp.agent(kuhn, "uniform", seat),
        40,
        after=AfterHand("showdown"),
    )
    hidden = [[name for who, name in shown if who == 2].count(None) for _, shown in told]  # type: ignore[attr-defined]
    assert {0, 1} == set(hidden)


def test_agents_switch_after_their_hands_and_texts_read_back(kuhn: cp.GameTree) -> None:
    text = "switch:bias:Bet=1000:uniform;noise:0:bias:Pass=1000:uniform;after=3"
    assert str(AGENTS.parse(text)) == text
    agent = cp.agent(kuhn, text, 0)
    seen = []
    for _ in range(8):
        agent.new_hand()
        seen.append(agent.act("0", ["Pass", "Bet"]))
    assert seen[:3] == ["Bet"] * 3
    assert seen[3:] == ["Pass"] * 5
    nested: Any = AGENTS.parse('switch:[switch:uniform;nash;after=3];rnr:p=0.5,to=hands:a.jsonl,player="b;c";after=5')
    assert (len(nested.agents), nested.agents[0].after, nested.agents[1].to.player) == (2, 3, "b;c")
    assert AGENTS.parse(str(nested)) == nested
    for wrong in ("switch:nash;after=3", "switch:nash;uniform", "switch:nash;uniform;after=0", "learn:magic", "learn"):
        with pytest.raises(cp.InputError):
            AGENTS.parse(wrong)


def test_the_command_plays_learning_agents(run: Runner) -> None:
    shown = run("match", "kuhn", "learn:gifts", "switch:uniform;nash;after=20", "--hands", "60", "--reveal", "none")
    assert shown.code == 0
    assert "learn:gifts" in shown.out
    assert "revealed is" in run("match", "kuhn", "learn:gifts", "uniform", "--reveal", "some").err
