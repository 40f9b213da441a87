"""Matrix-valued states: portfolios at the limit of a look-ahead, and ABD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions import portfolio as portfolios
from counterplay.value_functions.continuation_walks import ContinuationWalks
from counterplay.value_functions.portfolio import Portfolio, expected_value
from counterplay.value_functions.pure_strategies import pure_strategies
from tests.support import witness
from tests.support.covering import covering
from tests.support.random_games import Knobs, RandomGame
from tests.support.theorems import FEW, GameOf

_MOST = 200


def objective(answer: cp.Answer, p: float) -> float:
    return p * answer.gain - (1.0 - p) * answer.exploitability


@pytest.mark.parametrize(
    ("spec", "seat", "ways"),
    covering(["kuhn", "cdrnr_fig2", "ggse_fig5", "cdrnr_fig10"], [0, 1], ["joint", "per-state"]),
)
def test_with_all_pure_strategies_abd_is_rnr(game_of: GameOf, spec: str, seat: int, ways: str) -> None:
    """Proposition 5 of Milec et al. 2025; in these games a look-ahead per public state is as good as a joint one."""
    game = game_of(spec)
    everything = Portfolio((pure_strategies(game, 0), pure_strategies(game, 1)))
    model = cp.opponent(game, "random:3", 1 - seat)
    for p in (0.0, 0.3, 0.6, 1.0):
        rnr = cp.respond(game, model, method="rnr", p=p, solver="lp")
        abd = cp.respond(game, model, method="abd", p=p, depth=1, value=everything, solve=ways, solver="lp")
        assert objective(abd, p) == pytest.approx(objective(rnr, p), abs=1e-7 * game.span)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from((0.0, 0.5, 1.0)), st.integers(1, 2), st.integers(0, 1))
def test_with_all_pure_strategies_abd_is_rnr_in_random_games(seed: int, p: float, depth: int, seat: int) -> None:
    """The same, jointly."""
    game = cp.load(RandomGame(Knobs(depth=3, seed=seed, lonely=2, named=False, utilities="whole")))
    if any(np.prod(tree.lane_sequences[2][tree.lane_sequences[2] > 0]) > _MOST for tree in game.trees):
        return
    everything = Portfolio((pure_strategies(game, 0), pure_strategies(game, 1)))
    model = cp.opponent(game, "random:1", 1 - seat)
    rnr = cp.respond(game, model, method="rnr", p=p, solver="lp")
    abd = cp.respond(game, model, method="abd", p=p, depth=depth, value=everything, solver="lp")
    assert objective(abd, p) == pytest.approx(objective(rnr, p), abs=1e-6 * game.span)


def test_continuations_are_worth_what_a_walk_of_the_rules_says(game_of: GameOf) -> None:
    """At the root the expected chips of two strategies, against the recursion of the witness."""
    game = game_of("leduc:merged=true")
    first, second = cp.opponent(game, "random:1", 0), cp.opponent(game, "random:2", 1)
    worth = expected_value(game, first, second)
    told = witness.expected(game.rules, first.table(), second.table())
    assert worth[0] == pytest.approx(told, abs=1e-12)
    plan = first.plan @ game.subgame.leaves.product(0, second.plan)
    assert worth[0] == pytest.approx(plan, abs=1e-12)


@FEW
@given(st.integers(0, 10**6))
def test_branches_are_worth_what_the_table_of_all_histories_says(seed: int) -> None:
    """At every history, terminal ones among them, in games with chance and forced moves."""
    game = cp.load(RandomGame(Knobs(depth=4, seed=seed, lonely=2, named=False, utilities="whole")))
    mine, theirs = (
        [cp.opponent(game, f"random:{one}", player) for one in (1, 2, 3)[: 3 - player]] for player in (0, 1)
    )
    here = np.random.default_rng(seed).permutation(np.flatnonzero(game.histories.reach > 0.0))[:40]
    found = ContinuationWalks(game, mine, theirs).at(here)
    for k, one in enumerate(mine):
        for j, other in enumerate(theirs):
            assert found[:, k, j] == pytest.approx(expected_value(game, one, other)[here], abs=1e-12)


def test_a_portfolio_of_a_large_game_is_asked_branch_by_branch(
    game_of: GameOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same values as from the table of the whole game, which would be too large."""
    game, text = game_of("liars_dice:1,3"), (("uniform", "cfr:5"), ("cfr:5", "random:1"))
    border = Border.at(game, np.arange(9, 400, 7))
    table = Portfolio(text).states(border, 0, None).chips
    monkeypatch.setattr(portfolios, "WHOLE", 0)
    assert Portfolio(text).states(border, 0, None).chips == pytest.approx(table, abs=1e-12)


@pytest.mark.parametrize(("p", "depth"), covering([0.0, 0.4, 1.0], [2, 20]))
def test_the_linear_program_and_the_minimiser_agree(game_of: GameOf, p: float, depth: int) -> None:
    """A portfolio is linear: both solve the same look-aheads; where nothing is beyond the limit they are RNR."""
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "cfr:5", 1)
    answers = [
        cp.respond(game, model, method="abd", p=p, depth=depth, value="portfolio:uniform;nash", solver=solver)
        for solver in ("lp", "cfr+")
    ]
    exact = cp.respond(game, model, method="rnr", p=p, solver="lp")
    for answer in answers:
        assert objective(answer, p) <= objective(exact, p) + 1e-9
        assert objective(answer, p) == pytest.approx(objective(exact, p), abs=1e-3 if depth == 20 else 0.3)


def test_a_richer_portfolio_of_the_own_side_never_does_worse_against_the_model(game_of: GameOf) -> None:
    """At p = 1 the first look-ahead's value is a maximum over the own continuations."""
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "s1", 1)
    values = []
    for own in (("passive",), ("passive", "aggressive"), ("passive", "aggressive", "nash")):
        kind = Portfolio((own, ("uniform",)))
        values.append(cp.respond(game, model, method="abd", p=1.0, depth="round", value=kind).value_against_model)
    assert values[0] <= values[1] + 1e-9
    assert values[1] <= values[2] + 1e-9


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("exact", "abd needs a portfolio"),
        (None, "abd needs a portfolio"),
        ("portfolio:", "at least one strategy"),
        ("portfolio:nobody", "there is no opponent 'nobody'"),
        ("portfolio:s1", "play Leduc poker, not kuhn"),
        ("portfolio:last:A1", "plays battleships, not kuhn"),
    ],
)
def test_portfolios_that_are_none(kuhn: cp.GameTree, value: str | None, message: str) -> None:
    """One sentence that names the culprit."""
    with pytest.raises(cp.InputError, match=message):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="abd", p=0.5, depth=1, value=value)


@pytest.mark.parametrize(
    ("words", "value"),
    covering(
        [
            {"method": "resolve"},
            {"method": "resolve", "gadget": "max-margin", "prior": "uniform"},
            {"method": "resolve", "prior": "blueprint", "epsilon": 0.01},
            {"method": "ses", "alpha": 0.5},
            {"method": "cdrnr", "p": 0.5, "gadget": "reach-max-margin"},
            {"method": "cdbr"},
        ],
        ["portfolio:nash;bias:f=5:nash;bias:r=5:nash", "sampled:50:uniform;nash|nash"],
    ),
)
def test_every_method_that_looks_ahead_takes_a_portfolio(game_of: GameOf, value: str, words: dict[str, Any]) -> None:
    """Continual re-solving, SES and GGSE with any gadget; the linear program and a minimiser agree."""
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "cfr+:5", 1)
    gains = [
        cp.respond(game, model, **words, depth="round", value=value, solver=by).exploitability for by in ("lp", "cfr+")
    ]
    assert min(gains) >= -1e-9
    assert all(np.isfinite(gains))


def test_pure_stands_for_all_pure_strategies(game_of: GameOf) -> None:
    game = game_of("kuhn")
    model = cp.opponent(game, "random:3", 1)
    rnr = cp.respond(game, model, method="rnr", p=0.6, solver="lp")
    abd = cp.respond(game, model, method="abd", p=0.6, depth=1, value="portfolio:pure", solver="lp")
    assert objective(abd, 0.6) == pytest.approx(objective(rnr, 0.6), abs=1e-7)
    with pytest.raises(cp.InputError, match="pure strategies in leduc, more than"):
        cp.respond(
            game_of("leduc"), cp.opponent(game_of("leduc"), "s1"), method="abd", p=1.0, depth=1, value="portfolio:pure"
        )


def test_a_portfolio_s_error_is_not_measured(kuhn: cp.GameTree) -> None:
    with pytest.raises(cp.InputError, match="a game at the limit"):
        cp.value_error(kuhn, "portfolio:uniform")


def test_errors_are_measured_in_enumerated_games() -> None:
    river = cp.load(cp.Spot("Ks 8h 8d 4c 2c", "AcKc", "QdQs", 10, 30, "a", raises=1))
    for game, said in ((river, "is not one"), (cp.load("holdem:deck=8,stack=2bb,bets=a,last=flop"), "is a whole game")):
        with pytest.raises(cp.InputError, match=said):
            cp.value_error(game, "cfr:5")  # type: ignore[arg-type]


def test_abd_in_play_is_the_offline_one(game_of: GameOf) -> None:
    """An agent that is asked everywhere plays what `respond` says."""
    game = game_of("kuhn")
    agent = cp.agent(game, "abd:p=0.5,depth=1,solver=lp,value=portfolio:uniform;nash,to=random:3", 0)
    offline = cp.respond(
        game, cp.opponent(game, "random:3", 1), method="abd", p=0.5, depth=1, value="portfolio:uniform;nash",
        solve="per-state", solver="lp",
    )  # fmt: skip
    for infoset in game.trees[0].labels.infosets:
        agent.new_hand()
        found = agent.policy(infoset)  # type: ignore[attr-defined]
        assert found == pytest.approx(offline.strategy.probabilities(infoset), abs=1e-6)
