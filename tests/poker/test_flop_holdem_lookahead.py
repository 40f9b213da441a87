"""Before the flop by look-ahead, and all flops at once: against the enumerated game, linear programs and exact values."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, InputError, LookAhead, Portfolio, SearchBot, Stop
from counterplay.agents.factory.whole_games import search_settings
from counterplay.agents.worlds.whole_game import BoardSearch, FullGadgetSearch
from counterplay.blueprints.whole_game.portfolio_look_ahead import PreflopLookAhead, look_ahead_preflop
from counterplay.blueprints.whole_game.whole_game_plans import JointSolve, distance
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import Search
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.reference_players import bias_actions, play_style
from counterplay.poker.betting.rules import flop_holdem, holdem
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategies.look_ahead_strategy import blend
from counterplay.poker.whole_game.strategies.row_models import StandingDecisions
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    ModelMixture,
    normalise_rows,
    reaches,
)
from counterplay.poker.whole_game.values.continuation_values import PreflopProblem, continuation_values, preflop_problem
from counterplay.poker.whole_game.values.measure import best_response_value, preflop_values, value
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.problem.subgame import Subgame
from counterplay.solvers.lp import solve_lp
from counterplay.treeplex.restriction import Restriction
from counterplay.value_functions.leaf_value import value_function
from tests.support.agents import seated_agent
from tests.support.covering import covering
from tests.support.flop_holdem import random_play
from tests.support.flop_holdem_agents import (
    NINE,
    SEVEN,
    base,
    compiled,
    model,
    rules,
    solved_over_hands,
    strategy,
    tiny,
)

_PORTFOLIO: Any = value_function("portfolio:uniform")  # its strategies are given otherwise


def asked(p: float, solver: str = "lp", stop: Stop | None = None, value: Any = _PORTFOLIO) -> Search:
    return Search(LookAhead("round", value), p, solver=solver, stop=stop or Stop())


@cache
def exact(cards: str = "seven") -> HoldemGame:
    """A game of few cards in float64."""
    return holdem_game(flop_holdem(2), deck=SEVEN if cards == "seven" else NINE, dtype="f8")


def worth(game: HoldemGame, matrix: Any, one: BlueprintStrategy, two: BlueprintStrategy) -> float:
    """What player 0 earns if both go on as the matrix (entries, classes, classes) has it."""
    mine, theirs = (reaches(game.sides[i], play.preflop[i]) for i, play in ((0, one), (1, two)))
    below = np.einsum("ecd,ed->ec", matrix, theirs[game.sides[1].entry])
    return float((mine * preflop_values(game, 0, theirs, below)).sum() / game.deals)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 10_000), st.booleans())
def test_pairs_of_ways_to_go_on_are_worth_what_sweeps_say(seed: int, odd: bool) -> None:
    game = exact("nine")
    if odd:  # folds and showdowns that pay anything at all, ties too
        chips = np.sort(np.random.default_rng(seed).normal(size=(len(game.payoffs[0][0]), 3)))[:, [2, 0, 1]]
        fold = game.payoffs[0][0, :, 2] == game.payoffs[0][0, :, 3]
        chips[fold] = chips[fold, :1]
        game = replace(
            game, payoffs=(np.stack([np.column_stack([game.payoffs[0][0, :, :2], chips]), game.payoffs[0][1]]),)
        )
    one, two, three = (random_play(game, seed + k) for k in range(3))
    found = continuation_values(game, [one, two], [three, one, two])
    assert found.shape == (2, 3, len(game.entries), game.boards.classes, game.boards.classes)
    for i, mine in enumerate((one, two)):
        for j, theirs in enumerate((three, one, two)):
            assert worth(game, found[i, j], mine, theirs) == pytest.approx(value(game, mine, theirs), abs=1e-10)


def test_pairs_do_not_hang_on_threads_and_add_up_over_flops(monkeypatch: pytest.MonkeyPatch) -> None:
    game = exact("nine")
    one, two = random_play(game, 1), random_play(game, 2)
    counts = game.boards.choices(game.boards.root)[1].astype(float)
    half = [continuation_values(game, [one], [two], np.arange(k, len(game.flops), 2), counts[k::2]) for k in (0, 1)]
    monkeypatch.setenv("COUNTERPLAY_THREADS", "1")
    alone = continuation_values(game, [one], [two])
    monkeypatch.setenv("COUNTERPLAY_THREADS", "2")
    np.testing.assert_array_equal(alone, continuation_values(game, [one], [two]))
    np.testing.assert_allclose(half[0] + half[1], alone, atol=1e-9)


@cache
def three() -> tuple[BucketedStrategy, BucketedStrategy, BucketedStrategy]:
    one, two, model = (random_play(tiny().game, k) for k in (1, 2, 3))
    return one, two, model


def looked(me: int, p: float) -> PreflopLookAhead:
    one, two, model = three()
    return look_ahead_preflop(tiny().game, one, me, model, ([one, two], [one, two]), asked(p))


def standing(look: PreflopProblem, problem: Subgame, me: int, early: Any) -> Subgame:
    """A problem with a player's decisions before the flop made."""
    tree, at = problem.trees[me], look.places[me].before
    out, trust = np.zeros(tree.size), np.zeros(tree.lanes)
    out[at] = early
    lanes = tree.owner[at]
    trust[lanes[lanes >= 0]] = 1.0
    return problem.bound(me, Restriction.local(tree, out, trust))


def before_the_flop(game: HoldemGame, found: Any, me: int) -> Any:
    """(sequences, classes) what a strategy of the compiled game does, hands of a class taken together."""
    hands, side = game.deck.hands.tolist(), game.sides[me]
    plan = np.ones((side.sizes[0], len(hands)))
    for node, above, first, count in side.preflop.tolist():
        for h, hand in enumerate(hands):
            row = found.probabilities(" | ".join(x for x in (hand_text(hand), game.betting.path(node)) if x))
            for k in range(count):
                plan[first + k, h] = plan[above, h] * row[game.betting.actions(node)[k]]
    out = np.zeros((side.sizes[0], game.boards.classes))
    np.add.at(out.T, game.boards.group, plan.T)
    return normalise_rows(out, side.preflop)


@pytest.mark.parametrize(("p", "me"), [
    (0.4, 0), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((0.0, 0), (0.0, 1), (0.4, 1), (1.0, 0), (1.0, 1)))
])  # fmt: skip
def test_the_look_ahead_is_abd_of_the_enumerated_game(p: float, me: int) -> None:
    """There the look-ahead stops at the public states where the first card of the flop is dealt."""
    game, tree = tiny().game, compiled()
    one, two, model = three()
    table = tree.histories
    deals = np.flatnonzero((table.player == CHANCE) & np.isin(table.player[np.maximum(table.parent, 0)], (0, 1)))
    depth = Depth(states=frozenset(tree.public[0][table.info[0][deals]].tolist()))
    ways = [strategy(tree, tiny(), play, player) for player in (0, 1) for play in (one, two)]
    there = cp.respond(
        tree, strategy(tree, tiny(), model, 1 - me), method="abd", p=p, depth=depth, solver="lp",
        leaf=Portfolio((ways[:2], ways[2:])),
    )  # fmt: skip
    lists = [[one, two], [one, two]]
    lists[1 - me] = [model] if p == 1.0 else [*lists[1 - me], model]
    look = preflop_problem(game, continuation_values(game, *lists), 1 - me if p < 1.0 else None)
    problem = standing(look, look.following(1 - me, model, p), me, before_the_flop(game, there.strategy, me))
    assert solve_lp(problem, me).value == pytest.approx(looked(me, p).solution.value, abs=1e-6)


@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
def test_what_the_look_ahead_plays_is_worth_in_the_whole_game_what_it_says(me: int, p: float) -> None:
    game, found, model = tiny().game, looked(me, p), three()[2]

    def against(other: BlueprintStrategy) -> float:
        return value(game, found.play, other) if me == 0 else value(game, other, found.play)

    assert p * against(model) + (1 - p) * against(found.play) == pytest.approx(found.solution.value, abs=1e-6)
    for player in (0, 1):
        assert found.play.shares[player].sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(("me", "p"), covering([0, 1], [0.0, 0.4, 1.0]))
def test_all_ins_before_the_flop_and_portfolios_of_one(me: int, p: float) -> None:
    game = holdem_game(holdem(stack=6, last="flop"), "a", deck=SEVEN, dtype="f8")
    assert [bool(game.betting.children(int(e))) for e in game.entries] == [True, False, False]
    one, two, model = (random_play(game, k) for k in (1, 2, 3))
    found = look_ahead_preflop(game, one, me, model, ([one, two], [one]), asked(p))
    worths = [value(game, *((found.play, x) if me == 0 else (x, found.play))) for x in (model, found.play)]
    assert p * worths[0] + (1 - p) * worths[1] == pytest.approx(found.solution.value, abs=1e-9)
    if me == 1 and p < 1.0:  # who has one way to go on is no better off with it twice
        twice = look_ahead_preflop(game, one, me, model, ([one, two], [one, one]), asked(p))
        assert twice.solution.value == pytest.approx(found.solution.value, abs=1e-9)


@pytest.mark.parametrize("me", [0, 1])
def test_with_the_best_response_in_the_portfolio_and_full_trust_it_is_the_best_response(me: int) -> None:
    game, model = exact(), random_play(exact(), 3)
    ways = [[random_play(game, 1), best_response(game, model)] for _ in range(2)]
    found = look_ahead_preflop(game, model, me, model, (ways[0], ways[1]), asked(1.0))
    most = best_response_value(game, model, me)
    assert found.solution.value * (1 - 2 * me) == pytest.approx(most, abs=1e-9)


def test_regrets_and_the_linear_program_agree_before_the_flop() -> None:
    one, two, model = three()
    for me, p in ((0, 0.0), (1, 0.4), (0, 0.4)):
        search = asked(p, "dcfr:1.5,0,4", Stop(1e-5, 20_000))
        found = look_ahead_preflop(tiny().game, one, me, model, ([one], [one, two]), search)
        sure = look_ahead_preflop(tiny().game, one, me, model, ([one], [one, two]), asked(p))
        assert found.solution.value == pytest.approx(sure.solution.value, abs=3e-5)


def test_twice_the_chips_change_no_plan() -> None:
    game = tiny().game
    double = replace(game, folded=game.folded * [1, 1, 2, 2], payoffs=(game.payoffs[0] * [1, 1, 2, 2, 2],))
    one, two, model = three()
    plays = [look_ahead_preflop(g, one, 0, model, ([one, two], [one, two]), asked(0.4)) for g in (game, double)]
    assert plays[1].solution.value == pytest.approx(2 * plays[0].solution.value, abs=1e-6)


def test_a_few_flops_stand_for_all() -> None:
    game = exact("nine")
    one, two = random_play(game, 1), random_play(game, 2)
    ways = [one, two], [one, two]
    all_flops = look_ahead_preflop(game, one, 0, None, ways, asked(0.0)).solution.value
    some = [
        look_ahead_preflop(
            game, one, 0, None, ways, asked(0.0, value=value_function(f"sampled:400,{seed}:x"))
        ).solution.value
        for seed in range(3)
    ]
    assert np.abs(np.array(some) - all_flops).max() < 0.05
    assert len(set(some)) == 3


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_a_blend_is_worth_what_its_parts_are(p: float) -> None:
    game = exact()
    one, two, other = (random_play(game, k) for k in range(3))
    for player in (0, 1):
        mixed = blend(game, player, one, two, p)
        worths = [value(game, x, other) if player == 0 else value(game, other, x) for x in (one, two, mixed)]
        assert worths[2] == pytest.approx(p * worths[0] + (1 - p) * worths[1], abs=1e-10)


@settings(deadline=None, max_examples=5)
@given(st.integers(0, 1000))
def test_the_best_response_earns_what_it_should(seed: int) -> None:
    game = exact()
    play = random_play(game, seed)
    best = best_response(game, play)
    assert value(game, best, play) == pytest.approx(best_response_value(game, play, 0), abs=1e-10)
    assert -value(game, play, best) == pytest.approx(best_response_value(game, play, 1), abs=1e-10)


def test_styles_and_biases() -> None:
    game = exact()
    calls, raises = play_style(game, "passive"), play_style(game, "aggressive")
    for play, words in ((calls, ("check", "call")), (raises, ("bet", "raise", "call"))):
        for side, early, late in zip(game.sides, play.preflop, play.tables[0], strict=True):
            for decisions, table in ((side.preflop, early), (side.decisions[1], late[0])):
                for node, _, first, count in decisions.tolist():
                    chosen = table[first : first + count].argmax(axis=0)
                    assert {game.betting.actions(node)[k].split()[0] for k in chosen} <= set(words)
    play = random_play(game, 4)
    more = bias_actions(game, play, {"raise": 3.0, "FOLD": 0.0})
    node, _, first, _ = game.sides[1].preflop[0].tolist()
    assert [name.split()[0] for name in game.betting.actions(node)] == ["fold", "call", "raise"]
    _, call, lifted = play.preflop[1][first : first + 3]
    np.testing.assert_allclose(more.preflop[1][first + 2], 3 * lifted / (call + 3 * lifted))
    assert not more.preflop[1][first].any()
    never = bias_actions(game, calls, {"check": 0.0, "call": 0.0})
    np.testing.assert_array_equal(never.preflop[0], calls.preflop[0])  # nothing would be left


def together(game: HoldemGame, play: BlueprintStrategy, me: int, faced: Any, search: Search) -> JointSolve:
    """All flops at once, with the decisions before them as in a strategy."""
    return JointSolve(game, StandingDecisions(game, me, play), faced, search)


@pytest.mark.parametrize(("me", "p"), covering([0, 1], [0.0, 0.5]))
def test_all_flops_at_once_are_the_restricted_response_of_the_linear_program(me: int, p: float) -> None:
    game, tree = tiny().game, compiled()
    one, _, model = three()
    found = together(game, one, me, model, asked(p, "dcfr:1.5,0,4", Stop(5e-4, 20_000), None)).advance()
    assert found.gap <= 5e-4
    np.testing.assert_array_equal(found.play.preflop[me], one.preflop[me])
    mine, follows = strategy(tree, tiny(), one, me), strategy(tree, tiny(), model, 1 - me)
    labels, early = mine.tree.labels, np.zeros(mine.tree.lanes)
    for infoset, lane in zip(labels.infosets, labels.lanes, strict=True):
        early[lane] = lane >= 0 and "flop" not in infoset
    problem = tree.subgame.bound(me, Restriction.local(mine.tree, mine.behaviour, early))
    problem = problem.restricted(1 - me, Restriction.of_plan(follows.tree, follows.behaviour, p))
    sure = -best_response_value(game, found.play, 1 - me)
    against = value(game, found.play, model) if me == 0 else -value(game, model, found.play)
    assert p * against + (1 - p) * sure == pytest.approx(solve_lp(problem, me).value * (1 - 2 * me), abs=6e-4)


@pytest.mark.parametrize("me", [0, 1])
def test_the_full_gadget_never_raises_exploitability(me: int) -> None:
    game = rules().game
    was = best_response_value(game, base(), 1 - me)
    found = together(game, base(), me, None, asked(0.0, "dcfr:1.5,0,4", Stop(0.02, 600), None)).advance()
    assert best_response_value(game, found.play, 1 - me) <= was + found.gap
    assert found.gap <= 0.02


def test_the_gap_of_all_flops_at_once_is_that_of_the_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit comes after a look at which the gap had risen: the strategy and the gap are those of the best look."""
    from counterplay.blueprints.whole_game import whole_game_plans

    game, gaps = rules().game, list[float]()

    def rising(*what: Any) -> float:
        gaps.append(distance(*what) + 100.0 * len(gaps))
        return gaps[-1]

    monkeypatch.setattr(whole_game_plans, "distance", rising)
    found = together(game, base(), 0, None, asked(0.0, "dcfr:1.5,0,4", Stop(1e-9, 30), None)).advance()
    assert len(gaps) == 2
    assert found.gap == gaps[0]
    assert distance(game, found.play, StandingDecisions(game, 0, base()), None) == pytest.approx(gaps[0])


def test_with_full_trust_all_flops_at_once_are_a_best_response_on_them() -> None:
    game, trust = rules().game, ModelMixture(1, model(), 1.0)
    found = together(game, base(), 0, model(), asked(1.0, "dcfr:1.5,0,4", Stop(1e-3, 600), None)).advance()
    best = best_response(game, model())
    most = replace_before(best, base())
    assert value(game, found.play, model()) == pytest.approx(value(game, most, model()), abs=2e-3)
    assert distance(game, found.play, StandingDecisions(game, 0, base()), trust) == pytest.approx(found.gap)


def replace_before(play: BlueprintStrategy, early: BlueprintStrategy) -> BlueprintStrategy:
    """A strategy with what another one does before the flop."""

    class Joined:
        preflop = early.preflop

        def on(self, player: int, board: Any) -> Any:
            return play.on(player, board)

    return Joined()


def test_ctrl_c_keeps_all_flops_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from counterplay.blueprints.whole_game import whole_game_plans

    class Stopped(whole_game_plans.VectorCFR):
        def sweep(self, iterations: int = 1) -> None:
            if self.iterations == 3:
                raise KeyboardInterrupt
            super().sweep(iterations)

    monkeypatch.setattr(whole_game_plans, "VectorCFR", Stopped)
    found = together(rules().game, base(), 0, None, asked(0.0, "dcfr:1.5,0,4", Stop(0.0, 600), None)).advance()
    assert (found.interrupted, found.iterations) == (True, 3)


_BLUE = "blueprint=[blueprint:buckets=6,iterations=50,method=dcfr]"


@pytest.mark.parametrize("text", [
    f"abd:p=0.5,iterations=200,leaf=portfolio:blueprint;aggressive,{_BLUE},to=uniform",
    f"abd:p=0.5,gadget=max-margin,iterations=200,leaf=portfolio:blueprint;br:uniform|blueprint,{_BLUE},to=uniform",
    f"cdbr:iterations=200,leaf=sampled:20:passive,{_BLUE},to=uniform", f"resolve:leaf=portfolio:blueprint;uniform,{_BLUE}",
])  # fmt: skip
def test_agents_look_ahead_before_the_flop(text: str) -> None:
    """What they do there is not the blueprint, and is safe or greedy as asked."""
    agent, again = (seated_agent(rules(), text, 0, seed=0, draws=1) for _ in range(2))
    assert isinstance(agent, BoardSearch)
    row = agent.policy("JhQh | call")
    assert row == again.policy("JhQh | call")
    assert sum(row.values()) == pytest.approx(1.0)
    search, ways = agent.settings.ahead or (None, None)
    assert search is not None
    assert ways is not None
    blue = strategy_of(rules().game, _BLUE.partition("=")[2].strip("[]"))
    found = look_ahead_preflop(rules().game, blue, 0, agent.settings.model, ways, search)
    hand = rules().game.boards.group[rules().game.deck.hand(38, 42)]
    _, _, first, count = rules().game.sides[0].preflop[0]
    np.testing.assert_allclose(list(row.values()), found.play.preflop[0][first : first + count, hand], atol=1e-6)
    assert set(agent.policy("JhQh | call, check | Jc Qd Kh")) == {"check", "bet 2"}


def test_an_agent_solves_all_flops_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    real = JointSolve.advance
    monkeypatch.setattr(JointSolve, "advance", lambda self: calls.append(1) or real(self))
    agent = seated_agent(rules(), f"cdrnr:p=0.5,gadget=full,iterations=30,{_BLUE},to=uniform", 0, seed=0, draws=1)
    assert isinstance(agent, FullGadgetSearch)
    first = agent.policy("JhQh | call")
    assert not calls
    agent.policy("JhQh | call, check | Jc Qd Kh")
    agent.new_hand()
    agent.policy("JhQh | raise 4, call | Jc Qd Kc")
    assert len(calls) == 1
    assert agent.policy("JhQh | call") == pytest.approx(first)


def test_all_flops_cut_short_go_on_in_later_hands() -> None:
    """Within a hand the answer stays; in the end it is that of an agent whose solve was not cut."""
    text = f"cdrnr:p=0.5,gadget=full,{{}},{_BLUE},to=uniform"
    short, whole = (
        seated_agent(rules(), text.format(one), 0, seed=0, draws=1) for one in ("gap=0.2,iterations=6", "gap=0.2")
    )
    flop = "JhQh | call, check | Jc Qd Kh"
    assert solved_over_hands(short, flop) == pytest.approx(whole.policy(flop), abs=1e-6)


@pytest.mark.parametrize("limit", ["seconds=0.3", "gap=0.1", "iterations=5"])
def test_all_flops_are_solved_within_limits(limit: str) -> None:
    agent = seated_agent(rules(), f"resolve:gadget=full,{limit},{_BLUE}", 1, seed=0, draws=1)
    assert sum(agent.policy("JhQh | call, check, flop, check | Jc Qd Kh").values()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("text", "error"), [
    ("abd:p=0.5,to=uniform", "needs a portfolio"), ("abd:p=0.5,leaf=lp,to=uniform", "needs a portfolio"),
    ("abd:leaf=portfolio:uniform,to=uniform", "needs either p"),
    ("abd:p=0.5,leaf=portfolio:,to=uniform", "'portfolio' lacks at least one strategy of each player"),
    ("abd:p=0.5,leaf=portfolio:nobody,to=uniform", "no opponent 'nobody'"),
    ("cdbr:leaf=sampled:1:uniform,to=uniform", "a number from 2"), ("resolve:leaf=lp", "takes portfolio:A;B"),
    ("resolve:gadget=full,values=profile", "no alternative values"), ("resolve:gap=0", "gap of 0 is never reached"),
    ("resolve:gadget=full,gap=0", "gap of 0 is never reached"), ("bias:fold=2,fold=3:uniform", "duplicate action 'fold'"),
    ("uniform:", "it takes none"), ("resolve:gadget=full,solver=lp", "not by lp"),
    ("resolve:gadget=full,solver=pcfr\\+", "all flops"),
    ("ses:alpha=0.5,gadget=full,to=uniform", "no prior and no alpha"),
    ("bias:x=2:uniform", "no action begins"), ("bias:uniform", "lacks the opponent"), ("bias:fold=-1:uniform", "at least 0"),
    ("bias:fold=2:br:uniform", "strategy by buckets"), ("br:", "lacks"), ("shuffle:0.5:br:uniform", "strategy by buckets"),
])  # fmt: skip
def test_what_cannot_be_is_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        seated_agent(rules(), text.replace("\\", ""), 0, 0, 0)


def test_too_many_hands_for_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from counterplay.gametree.build import size_estimate

    monkeypatch.setattr(size_estimate, "default_memory", lambda: 1000.0)
    with pytest.raises(InputError, match="GiB is the limit; ask for a gadget of single boards"):
        seated_agent(rules(), "resolve:gadget=full,blueprint=uniform", 0, 0, 0)
    with pytest.raises(InputError, match=r"2 by 3 continuations take .* is the limit; ask for fewer strategies"):
        seated_agent(rules(), "abd:p=0.5,leaf=portfolio:uniform;passive,blueprint=uniform,to=uniform", 0, 0, 0)
    assert seated_agent(rules(), "resolve:gadget=full,blueprint=uniform", 0, 0, 0, memory=1e9)


def test_the_blueprint_in_a_portfolio_is_the_agents_own() -> None:
    own = "blueprint:buckets=6,iterations=50,method=dcfr"
    text = f"abd:p=0.5,blueprint=[{own}],leaf=portfolio:bias:fold=3:blueprint;blueprint,to=uniform"
    _, ways = search_settings(rules().game, SearchBot.from_text(text), 0).ahead or (None, ([], []))
    named = [strategy_of(rules().game, t) for t in (f"bias:fold=3:{own}", own)]
    assert [list(one) for one in ways] == [named, named]


def test_a_large_bias_stays_a_strategy() -> None:
    play = strategy_of(rules().game, "bias:raise=1e300,bet=1e39:uniform")
    for player in (0, 1):
        table, _ = play.on(player, rules().game.flops[0])
        assert np.isfinite(table).all()
        assert np.isfinite(play.preflop[player]).all()
