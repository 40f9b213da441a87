"""Matrix-valued states: portfolios at the limit of a look-ahead, and ABD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL, LookAhead, Portfolio
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group, pose, searched_histories, trimmed_histories
from counterplay.subgames.cut import cut
from counterplay.subgames.cut_game import Border
from counterplay.value_functions import portfolio as portfolios
from counterplay.value_functions.portfolio import ContinuationWalks, expected_value, pure_strategies
from tests.support import witness
from tests.support.covering import covering
from tests.support.random_games import Knobs, Node, RandomGame
from tests.support.theorems import FEW, GameOf

_MOST = 200


def objective(answer: cp.Answer, p: float) -> float:
    return p * answer.gain - (1.0 - p) * answer.exploitability


@pytest.mark.parametrize(
    ("spec", "seat", "ways", "gadget"),
    covering(["kuhn", "cdrnr_fig2", "ggse_fig5", "cdrnr_fig10"], [0, 1], ["joint", "per-state"], ["full", "trimmed"]),
)
def test_with_all_pure_strategies_abd_is_rnr(game_of: GameOf, spec: str, seat: int, ways: str, gadget: str) -> None:
    """Proposition 5 of Milec et al. 2025, behind both gadgets; in these games a look-ahead per public state is as good as a
    joint one."""
    game = game_of(spec)
    everything = Portfolio((pure_strategies(game, 0), pure_strategies(game, 1)))
    model = cp.opponent(game, "random:3", 1 - seat)
    for p in (0.0, 0.3, 0.6, 1.0):
        rnr = cp.respond(game, model, method="rnr", p=p, solver="lp")
        abd = cp.respond(
            game, model, method="abd", p=p, depth=1, leaf=everything, solve=ways, gadget=gadget, solver="lp"
        )
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
    abd = cp.respond(game, model, method="abd", p=p, depth=depth, leaf=everything, solver="lp")
    assert objective(abd, p) == pytest.approx(objective(rnr, p), abs=1e-6 * game.span)


def check_proposition_5(seed: int) -> bool:
    """Of a random game whose public states are solved alone; False if it has too many pure strategies."""
    game, draw = cp.load(RandomGame(Knobs(4, seed, 2, False, "decimal"))), np.random.default_rng(seed)
    if any(np.prod(tree.lane_sequences[2][tree.lane_sequences[2] > 0]) > _MOST for tree in game.trees):
        return False
    p, seat, gadget = draw.choice((0.0, 0.3, 0.7)), int(draw.integers(2)), str(draw.choice(("full", "trimmed")))
    model = cp.opponent(game, f"random:{seed}", 1 - seat)
    rnr = cp.respond(game, model, method="rnr", p=p, solver="lp")
    abd = cp.respond(
        game, model, method="abd", p=p, depth=1, leaf="portfolio:pure", solve="per-state", gadget=gadget, solver="lp"
    )
    assert objective(abd, p) == pytest.approx(objective(rnr, p), abs=1e-6 * game.span), (seed, p, seat, gadget)
    return True


def test_proposition_5_per_state_was_not_refuted_in_random_games() -> None:
    assert sum(check_proposition_5(seed) for seed in range(20)) >= 8


@pytest.mark.slow
def test_proposition_5_per_state_was_not_refuted_in_many_random_games() -> None:
    assert sum(check_proposition_5(seed) for seed in range(20, 1200)) >= 600


class SharedSlack(RandomGame):
    """Player 0 goes; player 1 stays out, for 0, or goes in, and chance shows A or B. There player 0 takes 1 chip, or is
    greedy: a perfect player 1 then takes 1, one who errs pays 3."""

    augmented = True

    def __init__(self) -> None:
        self.name = "shared slack"

        def end(chips: float) -> Node:
            return Node(TERMINAL, ("", ""), utility=chips)

        def state(name: str) -> Node:
            reply = Node(1, (f"{name}, greedy",) * 2, ("punish", "err"), (), (end(-1.0), end(3.0)))
            return Node(0, (name, name), ("safe", "greedy"), (), (end(1.0), reply))

        dealt = Node(CHANCE, ("in", "in"), ("A", "B"), (0.5, 0.5), (state("A"), state("B")))
        entry = Node(1, ("entry", "entry"), ("out", "in"), (), (end(0.0), dealt))
        self.tree = Node(0, ("start", "start"), ("stop", "go"), (), (end(-1.0), entry))


def test_proposition_5_per_state_depends_on_which_equilibrium_is_found() -> None:
    """Greed at A alone and greed at B alone are restricted Nash responses, and so equilibria of the game that is solved at
    A and of that at B. A player who takes the one at A and the other at B is greedy at both, which is none.
    """
    game, p = cp.load(SharedSlack()), 0.3
    odds = {"entry": {"out": 0.0, "in": 1.0}}
    model = cp.opponent(game, lambda text: odds.get(text, {"punish": 0.0, "err": 1.0}), player=1)
    best = objective(cp.respond(game, model, method="rnr", p=p, solver="lp"), p)

    def worth(*greedy: str) -> float:
        table = {name: {"safe": float(name not in greedy), "greedy": float(name in greedy)} for name in "AB"}
        strategy = cp.opponent(game, {"start": {"stop": 0.0, "go": 1.0}, **table}.__getitem__, player=0)
        found = cp.evaluate(game, strategy, against=model)
        return p * (found.gain or 0.0) - (1.0 - p) * found.exploitability

    assert worth("A") == pytest.approx(best) == worth("B") == pytest.approx(0.6)
    assert worth("A", "B") == pytest.approx(0.2)


def later_searches(spec: str, gadget: str, depth: Any) -> Iterator[tuple[SearchState, DecisionGroup, Search]]:
    """The look-aheads of ABD after the first, each public state alone."""
    game = cp.load(spec)
    look = LookAhead(depth, "portfolio:uniform;nash", gadget=gadget, solve="per-state")
    search = Search(look, p=0.4)
    chain = SearchState(game, 0, search, cp.opponent(game, "random:1", player=1))
    for unit in decision_groups(game, 0, search.depth, False):
        if unit.before is not None:
            yield chain, unit, search
        decide_group(chain, unit)


@pytest.mark.parametrize(("spec", "depth"), [("leduc:merged=true", "round"), ("liars_dice:1,3", 2), ("goofspiel:3", 1)])
def test_the_trimmed_gadget_keeps_the_public_states_of_the_path_alone(spec: str, depth: Any) -> None:
    """Beside the subgame a history is expanded exactly if its public state is on the way from the root to it; the full
    gadget expands these, too."""
    checked = 0
    for chain, unit, search in later_searches(spec, "trimmed", depth):
        table, public = chain.game.histories, chain.game.public[0]

        def state(history: int, table: Any = table, public: Any = public) -> int:
            return int(public[table.info[0][history]])

        tops = [h for h in range(len(table)) if table.info[0][h] >= 0 and state(h) in unit.tops]
        path = set()
        for history in tops:
            while (history := int(table.parent[history])) >= 0:
                path.add(state(history))
        found, whole = trimmed_histories(chain, unit, search), searched_histories(chain, unit, search)
        for history in np.flatnonzero((cut(chain.game, unit.tops, 0).root < 0) & (table.info[0] >= 0)):
            assert found[history] == (state(history) in path)
            assert whole[history] or not found[history]
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(("spec", "depth"), [("leduc:merged=true", "round"), ("liars_dice:1,3", 2)])
def test_the_trimmed_gadget_is_smaller_than_the_full_one(spec: str, depth: Any) -> None:
    """In every look-ahead; by more than a third on average."""
    sizes = {
        gadget: [pose(chain, unit, search).solve.bytes for chain, unit, search in later_searches(spec, gadget, depth)]
        for gadget in ("full", "trimmed")
    }
    assert all(small <= large for small, large in zip(sizes["trimmed"], sizes["full"], strict=True))
    assert sum(sizes["trimmed"]) < sum(sizes["full"]) * 2 / 3


def test_without_a_value_function_to_stand_there_the_trimmed_gadget_is_the_full_one(game_of: GameOf) -> None:
    """With the exact value function; and hold'em, where a look-ahead sees a street, refuses it."""
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1)
    full, trimmed = (cp.respond(game, model, cp.CDRNR(0.4, LookAhead(1, gadget=one))) for one in ("full", "trimmed"))
    np.testing.assert_array_equal(full.strategy.behaviour, trimmed.strategy.behaviour)
    spot = cp.load("examples/river.toml")
    whole = cp.load("holdem:deck=12,stack=2bb,bets=a,last=flop")
    text = "cdrnr:p=0.4,gadget=trimmed"
    for asked in (
        lambda: cp.respond(spot, cp.opponent(spot, "uniform", player=1), text),
        lambda: cp.agent(spot, f"{text},to=uniform", 0),
        lambda: cp.respond(whole, cp.opponent(whole, "passive", player=1), text),
        lambda: cp.agent(whole, f"{text},to=passive", 0),
    ):
        with pytest.raises(cp.InputError, match="trimmed gadget needs a game in memory"):
            asked()


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
        cp.respond(game, model, method="abd", p=p, depth=depth, leaf="portfolio:uniform;nash", solver=solver)
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
        values.append(cp.respond(game, model, method="abd", p=1.0, depth="round", leaf=kind).value_against_model)
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
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="abd", p=0.5, depth=1, leaf=value)


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
        cp.respond(game, model, **words, depth="round", leaf=value, solver=by).exploitability for by in ("lp", "cfr+")
    ]
    assert min(gains) >= -1e-9
    assert all(np.isfinite(gains))


def test_pure_stands_for_all_pure_strategies(game_of: GameOf) -> None:
    game = game_of("kuhn")
    model = cp.opponent(game, "random:3", 1)
    rnr = cp.respond(game, model, method="rnr", p=0.6, solver="lp")
    abd = cp.respond(game, model, method="abd", p=0.6, depth=1, leaf="portfolio:pure", solver="lp")
    assert objective(abd, 0.6) == pytest.approx(objective(rnr, 0.6), abs=1e-7)
    with pytest.raises(cp.InputError, match="pure strategies in leduc, more than"):
        cp.respond(
            game_of("leduc"), cp.opponent(game_of("leduc"), "s1"), method="abd", p=1.0, depth=1, leaf="portfolio:pure"
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
    agent = cp.agent(game, "abd:p=0.5,depth=1,solver=lp,leaf=portfolio:uniform;nash,to=random:3", 0)
    offline = cp.respond(
        game, cp.opponent(game, "random:3", 1), method="abd", p=0.5, depth=1, leaf="portfolio:uniform;nash",
        solve="per-state", solver="lp",
    )  # fmt: skip
    for infoset in game.trees[0].labels.infosets:
        agent.new_hand()
        found = agent.policy(infoset)  # type: ignore[attr-defined]
        assert found == pytest.approx(offline.strategy.probabilities(infoset), abs=1e-6)
