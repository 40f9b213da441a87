"""What the opponent is taken to do at a gadget's decisions, in look-aheads and in play: SES and refined gadgets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import counterplay as cp
from counterplay import ContinualAgent, LookAhead
from counterplay.agents.worlds.histories import CompiledSearch
from counterplay.lookahead.search import Search
from counterplay.lookahead.tremble import Tremble
from tests.support.covering import covering

MERGED = "leduc:merged=true"
GAMES = ("kuhn", "goofspiel:4", MERGED)
TREMBLES = {
    "ses": Tremble(alpha=0.5, normalised=True),
    "refined": Tremble(prior="uniform"),
    "refined, with epsilon": Tremble(prior="blueprint", epsilon=0.01),
    "both": Tremble(alpha=0.3, prior="blueprint", normalised=True),
}


def searching(game: cp.GameTree, seat: int, model: cp.Strategy, tremble: Tremble, gadget: str) -> ContinualAgent:
    look = LookAhead(1, None, gadget, tremble.prior, tremble.epsilon, tremble.normalised)
    search = Search(look, alpha=tremble.alpha)
    return CompiledSearch(game, seat, search, model)


def assembled(game: cp.GameTree, agent: ContinualAgent) -> cp.Strategy:
    """The strategy of an agent that is asked at every infoset."""
    agent.new_hand()
    table = {infoset: agent.policy(infoset) for infoset in game.trees[agent.seat].labels.infosets}
    return cp.Strategy.from_table(game.trees[agent.seat], table)


@pytest.mark.parametrize(("spec", "seat"), covering(GAMES, [0, 1]))
def test_ses_in_play_is_the_offline_one(spec: str, seat: int) -> None:
    """Asked everywhere, an agent plays what `respond` says that it does."""
    game = cp.load(spec)
    model = cp.opponent(game, "random:3", 1 - seat)
    agent = searching(game, seat, model, TREMBLES["ses"], "max-margin")
    plan = assembled(game, agent).plan
    offline = cp.respond(game, model, method="ses", alpha=0.5, depth=1, solve="per-state", solver="lp")
    np.testing.assert_allclose(plan, offline.strategy.plan, atol=1e-6)


@pytest.mark.parametrize(
    ("spec", "name", "gadget"),
    covering(GAMES, ["refined", "refined, with epsilon"], ["resolving", "max-margin", "reach-max-margin"]),
)
def test_refined_gadgets_stay_safe(spec: str, name: str, gadget: str) -> None:
    """A prior picks among equilibria of the gadget game, or comes as near to one as epsilon: from an exact first look-ahead
    on, nothing is given away but that."""
    game = cp.load(spec)
    tremble = TREMBLES[name]
    answer = cp.respond(
        game, cp.opponent(game, "uniform"), method="resolve", gadget=gadget, depth=1, solve="per-state", solver="lp",
        prior=tremble.prior, epsilon=tremble.epsilon,
    )  # fmt: skip
    assert answer.exploitability <= (1e-7 if tremble.epsilon is None else 0.05) * game.span


@pytest.mark.parametrize("spec", GAMES)
def test_without_alpha_ses_is_re_solving(spec: str) -> None:
    """At alpha 0 the model counts for nothing, and nothing can be lost; more alpha gains more, and may lose more."""
    game = cp.load(spec)
    model = cp.opponent(game, "cfr:3", 1)
    found = [
        cp.respond(game, model, method="ses", alpha=alpha, depth=2, solve="per-state", solver="lp")
        for alpha in (0.0, 1.0)
    ]
    assert found[0].exploitability <= 1e-7 * game.span
    assert found[0].alpha == 0.0
    assert found[0].p is None
    again = cp.respond(game, model, method="resolve", gadget="max-margin", depth=2, solve="per-state", solver="lp")
    assert found[0].value_against_model == pytest.approx(again.value_against_model, abs=0.2 * game.span)
    assert found[1].exploitability >= found[0].exploitability - 1e-9


def test_alpha_is_found_for_an_exploitability(game_of: Callable[[str], cp.GameTree]) -> None:
    """A requested exploitability is kept, with the alpha that does."""
    game = game_of(MERGED)
    model = cp.opponent(game, "random:2", 1)
    answer = cp.respond(game, model, method="ses", max_exploitability=0.05, depth=2, solver="lp")
    assert answer.exploitability <= 0.05 + 1e-9
    assert answer.p_from == "bisection"
    assert answer.alpha is not None
    assert 0.0 < answer.alpha <= 1.0


def test_the_estimate_follows_the_model_between_moves() -> None:
    """An agent whose model changes in the middle of a hand searches the next decision with the new range."""
    game = cp.load(MERGED)
    first, second = (cp.opponent(game, text, 1) for text in ("s1", "s2"))
    agents = [searching(game, 0, model, TREMBLES["ses"], "max-margin") for model in (first, second, first)]
    start = next(text for text in game.trees[0].labels.infosets if agents[0].see(text).decision.before is None)
    agents[0].new_hand()
    agents[0].policy(start)
    for agent in agents[1:]:
        agent.new_hand()
        agent.policy(start)
    agents[2].model = second
    passed = (None, agents[0].see(start).decision)
    later = [text for text in game.trees[0].labels.infosets if agents[0].see(text).decision not in passed][::3]
    policies = [np.array([list(agent.policy(text).values()) for text in later], dtype=object) for agent in agents]
    differ = [sum(p != q for p, q in zip(policies[2], other, strict=True)) for other in policies[:2]]
    assert differ[0] > 0  # not what the old model would have it play


@pytest.mark.parametrize("name", TREMBLES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_tremble_is_saved(name: str, seat: int, tmp_path: object) -> None:
    """A resumed agent searches as before."""
    game = cp.load("kuhn")
    agent = searching(game, seat, cp.opponent(game, "random:3", 1 - seat), TREMBLES[name], "max-margin")
    path = f"{tmp_path}/agent.cpa"
    agent.save(path)
    assert cp.resume(path, game=game).search.tremble == TREMBLES[name]


def test_a_refined_strategy_has_no_gaps(game_of: Callable[[str], cp.GameTree]) -> None:
    """What the linear program returns for a prior is a GGSE for it; the blueprint is an equilibrium and no GGSE."""
    game = game_of(MERGED)
    blueprint = cp.opponent(game, "cfr:10", 0)
    refined = cp.resolve(game, "cfr:10", "round", prior="blueprint", solver="lp").strategy
    gaps = cp.refinement_gaps(game, "cfr:10", refined, "round", prior="blueprint")
    assert abs(gaps.value) <= 1e-8
    assert abs(gaps.prior) <= 1e-8
    gaps = cp.refinement_gaps(game, "cfr:10", blueprint, "round", prior="blueprint")
    assert abs(gaps.value) <= 1e-8
    assert gaps.prior > 1e-3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"method": "ses", "depth": 1}, "ses needs either alpha"),
        ({"method": "ses", "depth": 1, "p": 0.5}, "ses takes no p"),
        ({"method": "ses", "depth": 1, "alpha": 2.0}, "alpha must be between 0 and 1, not 2"),
        (
            {"method": "ses", "depth": 1, "alpha": 0.5, "gadget": "full"},
            "full gadget the opponent has no decision at the entry",
        ),
        ({"method": "ses", "depth": 1, "alpha": 0.5, "gadget": "resolving"}, "alpha weighs estimate against margin"),
        ({"method": "rnr", "p": 0.5, "alpha": 0.5}, "rnr takes no alpha"),
        ({"method": "rnr", "p": 0.5, "prior": "uniform"}, "rnr takes no prior"),
        ({"method": "cdbr", "depth": 1, "prior": "uniform"}, "cdbr faces the model alone"),
        (
            {"method": "cdrnr", "p": 0.5, "depth": 1, "prior": "uniform"},
            "full gadget the opponent has no decision at the entry",
        ),
        ({"method": "resolve", "depth": 1, "epsilon": 0.1}, "no prior is given"),
        ({"method": "resolve", "depth": 1, "prior": "tilted"}, "no prior 'tilted'; there are none, uniform, blueprint"),
        ({"method": "resolve", "depth": 1, "prior": "uniform", "epsilon": 1.5}, "epsilon must be between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_refused(kuhn: cp.GameTree, words: dict[str, object], message: str) -> None:
    """One sentence that names the culprit."""
    with pytest.raises(cp.InputError, match=message):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), **words)  # type: ignore[arg-type]
