"""The methods on spots of hold'em: the same numbers as in the same game enumerated, and the theorems on ranges."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.spot_agents import SearchingPlayer, StrategyPlayer
from counterplay.blueprints.resolve_streets import parts_of
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError
from counterplay.leaves.plan_mixture import PlanMixture
from counterplay.lookahead.resolver import Knowledge, enter, pose
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import solve_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.poker.subtrees.continuations import add_continuations
from counterplay.poker.subtrees.public_subtree import PublicSubtree, subtree_at
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.poker.subtrees.truncated import truncate
from counterplay.responses.matchup.street_parts import layers
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.places import Place, subgames_at
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, values
from tests.poker.test_public_trees import leduc, toy
from tests.support.gadget_games import gadget_game_of, gadget_unit
from tests.support.gadget_games import solve_gadget_game as solved_in_game

RIVER = ("Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a")


def river(**more: Any) -> Spot:
    return Spot(*RIVER, raises=2, **more)  # type: ignore[arg-type]


def turn(seed: int = 3, bets: str = "a", hands: int = 8) -> SpotGame:
    """A spot on the turn of a deck of eight cards."""
    return SpotGame("toy", toy(seed, "turn", bets, hands=hands), 10.0, 0.01)


def whole_piece(game: SpotGame, part: PublicNode, seat: int) -> PublicSubtree:
    found = subtree_at(game.tree, part, seat)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def both() -> tuple[SpotGame, Any]:
    """Leduc as a public tree with ranges, and enumerated."""
    return SpotGame("leduc", leduc(), 2.0, 0.001), cp.load("leduc")


UNIQUE = [
    {"method": "br"}, {"p": 0.5}, {"max_exploitability": 0.1}, {"method": "dbr", "p": 0.5}, {"method": "bne"},
    {"method": "lbr"},
    {"method": "cdbr", "depth": "round"}, {"method": "cdrnr", "depth": "round", "p": 0.5},
    {"method": "cdrnr", "depth": "round", "p": 0.5, "gadget": "resolving"},
    {"method": "abd", "depth": "round", "p": 0.5, "value": "portfolio:uniform"},
    {"method": "abd", "depth": "round", "p": 0.5, "value": "portfolio:uniform;cfr+:20"},
    {"method": "abd", "depth": "round", "p": 1.0, "value": "portfolio:uniform;cfr+:20;cfr:3"},
]  # fmt: skip


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("asked", UNIQUE, ids=str)
def test_leduc_written_both_ways(both: tuple[SpotGame, Any], asked: dict[str, Any], seat: int) -> None:
    answers = [cp.respond(game, cp.opponent(game, "uniform", player=1 - seat), **asked) for game in both]
    p = asked.get("p", 0.5)
    ours, theirs = (p * one.gain - (1 - p) * one.exploitability for one in answers)
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert answers[0].game_value == pytest.approx(answers[1].game_value, abs=1e-9)
    if asked.get("method") not in ("dbr",):
        assert answers[0].gain == pytest.approx(answers[1].gain, abs=1e-4)


@pytest.mark.parametrize("text", ["cfr+:7", "noise:0.3:cfr:5", "bias:fold=3:cfr:5", "cfr:4,current", "br:cfr:3"])
def test_opponents_mean_the_same_in_both(both: tuple[SpotGame, Any], text: str) -> None:
    for seat in (0, 1):
        answers = [cp.respond(game, cp.opponent(game, text, player=seat)) for game in both]
        assert answers[0].gain == pytest.approx(answers[1].gain, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("gadget", "alpha", "prior"),
    [
        ("unsafe", 0.0, "none"), ("resolving", 0.0, "none"), ("max-margin", 0.0, "none"), ("max-margin", 0.5, "none"),
        ("max-margin", 1.0, "none"), ("resolving", 0.0, "uniform"), ("max-margin", 0.0, "uniform"),
        ("max-margin", 0.0, "blueprint"), ("resolving", 0.0, "blueprint"), ("reach-max-margin", 0.0, "none"),
        ("reach-max-margin", 0.5, "none"),
    ],
)  # fmt: skip
def test_gadget_games_are_those_of_the_enumerated_game(
    both: tuple[SpotGame, Any], seat: int, gadget: str, alpha: float, prior: str
) -> None:
    """Every public state after the card, behind every entry, with the trembles of SES and GGSE; in chips of the whole game,
    but for normalised margins, which are chips of a hand."""
    ranges, game = both
    epsilon = 0.2 if prior != "none" else None
    way = ResolveSettings(gadget, prior, epsilon, alpha, normalised=alpha > 0.0, solver="lp")
    mine, theirs, model = (
        [cp.opponent(one, text, player) for one in both]
        for text, player in (("cfr+:20", seat), ("cfr+:20", 1 - seat), ("cfr+:3", 1 - seat))
    )
    listed = []
    for cut in subgames_at(game, Place.of("round"), seat):
        problem = gadget_game_of(cut, way, mine[1], theirs[1], model[1] if alpha else None)
        unit = 1.0 if way.normalised else gadget_unit(cut, way, mine[1], theirs[1])
        listed.append(unit * solved_in_game(problem, way, theirs[1]).value)
    plans = ArrayPlans.of(ranges.subgame, mine[0], theirs[0])
    known = Knowledge(plans, ArrayPlans.of(ranges.subgame, model[0]))
    look = LookAhead("round", None, gadget, prior, epsilon, way.normalised)
    search = Search(look, alpha=way.alpha)
    found = []
    for part in parts_of(ranges, 1):
        piece = whole_piece(ranges, part, seat)
        problem = enter(piece, search, known)
        assert problem is not None
        unit = 1.0 if way.normalised else problem.unit
        found.append(unit * solve_lp(pose(problem, piece, search, known).read(None).subgame, seat).value)
    np.testing.assert_allclose(np.sort(found), np.sort(listed), atol=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("gadget", ["resolving", "max-margin", "reach-max-margin", "full"])
@pytest.mark.parametrize("blueprint", ["uniform", "cfr+:5", "random:4"])
def test_safe_gadgets_give_nothing_away(seat: int, gadget: str, blueprint: str) -> None:
    game = turn()
    for more in ({}, {"prior": "uniform"}) if gadget != "full" else ({},):
        found = cp.resolve(game, blueprint, "round", seat=seat, gadget=gadget, solver="lp", **more)
        assert found.after <= found.before + 1e-7
    if gadget == "full":  # no other river strategy is less exploitable
        other = cp.resolve(game, blueprint, "round", seat=seat, gadget="max-margin", solver="lp")
        assert found.after <= other.after + 1e-7
        iterated = cp.resolve(game, blueprint, "round", seat=seat, gadget="full", solver="dcfr", stop=Stop(1e-3))
        assert iterated.after == pytest.approx(found.after, abs=1e-2)


def test_unsafe_may_give_away_what_safe_does_not() -> None:
    game = turn()
    lost = [
        cp.resolve(game, "random:4", "round", seat=1, gadget=name, solver="lp") for name in ("unsafe", "max-margin")
    ]
    assert lost[1].after <= lost[1].before + 1e-9
    assert lost[0].after != pytest.approx(lost[1].after, abs=1e-6)


def test_ses_runs_from_max_margin_to_the_model() -> None:
    """The more it is believed, the more is won from an opponent who has that range, and plays well."""
    game = turn(5)
    safe = cp.resolve(game, "cfr+:5", "round", gadget="max-margin", solver="lp", normalised=True)
    found = [
        cp.resolve(game, "cfr+:5", "round", alpha=alpha, model="uniform", solver="lp", values="best-response")
        for alpha in (1e-9, 0.5, 1.0)
    ]
    by_margin = cp.evaluate(game, safe.strategy, cp.opponent(game, "uniform", player=1)).gain
    assert found[0].after <= found[0].before + 1e-6
    assert found[0].gain_after >= by_margin - 1e-6, "of the strategies of largest margin the one that wins most"
    assert found[0].alpha < found[1].alpha < found[2].alpha


@pytest.mark.parametrize("seat", [0, 1])
def test_the_ends_of_the_dials(seat: int) -> None:
    game = turn(4, "50%, a")
    model = cp.opponent(game, "random:2", player=1 - seat)
    nash = cp.respond(game, model, p=0.0)
    assert nash.exploitability == pytest.approx(0.0, abs=1e-7)
    assert cp.respond(game, model, p=1.0).gain == pytest.approx(cp.respond(game, model, method="br").gain, abs=1e-9)
    ones = [
        cp.respond(game, model, method=method, depth="round", **more)
        for method, more in (("cdbr", {}), ("cdrnr", {"p": 1.0}))
    ]
    assert ones[0].gain == pytest.approx(ones[1].gain, abs=1e-9)
    free = cp.respond(game, model, method="cdrnr", depth="round", p=0.0)
    assert free.exploitability == pytest.approx(0.0, abs=1e-7)
    trusted = cp.respond(game, model, method="cdrnr", depth="round", p=0.5)
    assert 0.0 <= trusted.gain <= cp.respond(game, model).gain + 1e-9
    assert trusted.exploitability <= trusted.gain + 1e-7  # theorem 5.3 of Milec et al. 2024: gain · p / (1 - p) at most


def every_pure(game: SpotGame, player: int) -> list[Strategy]:
    """Strategies that in each betting node do the same with every hand: all of them, on the river."""
    runs, betting = game.tree.runs[player], game.tree.betting
    found = [game.dealt(Strategy.uniform(game.trees[player])).behaviour]
    for node in np.flatnonzero(runs.lane[:-1] >= 0).tolist():
        if betting.street[node] == betting.rules.first:
            continue
        count = game.tree.boards.layers[1].places
        after = [int(runs.start[child]) for child in betting.children(node)]
        more = []
        for behaviour in found:
            for chosen in after:
                one = behaviour.copy()
                for start in after:
                    one[start : start + count] = float(start == chosen)
                more.append(one)
        found = more
    return [Strategy(game.trees[player], behaviour) for behaviour in found]


@pytest.mark.parametrize("seat", [0, 1])
def test_abd_with_all_strategies_is_rnr(seat: int) -> None:
    from counterplay.leaf_values.portfolio import Portfolio

    game = SpotGame("tiny", toy(6, "turn", "turn: none; river oop: a; river ip: none", cards=7, hands=6), 10.0, 0.01)
    model = cp.opponent(game, "random:3", player=1 - seat)
    every = Portfolio((every_pure(game, 0), every_pure(game, 1)))
    for p in (0.3, 0.7):
        answers = [
            cp.respond(game, model, method="abd", depth="round", p=p, value=every), cp.respond(game, model, p=p)
        ]  # fmt: skip
        one, other = (p * answer.gain - (1 - p) * answer.exploitability for answer in answers)
        assert one == pytest.approx(other, abs=1e-7)


@pytest.mark.parametrize("seat", [0, 1])
def test_blends_are_what_is_written_out(seat: int) -> None:
    """Sweeps of a portfolio's leaves against the matrix, and minimisers against the linear program."""
    game = turn(7, "50%, a")
    ways = tuple([cp.opponent(game, text, player) for text in ("uniform", "cfr:5")] for player in (0, 1))
    look = add_continuations(truncate(game.tree, 0), (ways[0], ways[1]), cp.opponent(game, "random:1", player=1 - seat))
    leaves, rng = look.subgame.leaves, np.random.default_rng(1)
    assert isinstance(leaves, PlanMixture)
    for player in (0, 1):
        plan = rng.random(look.subgame.trees[1 - player].size) * look.subgame.trees[1 - player].real
        swept, written = leaves.product(player, plan), leaves.explicit.product(player, plan)
        np.testing.assert_allclose(swept, written[: len(swept)], atol=1e-9)
    exact = solve_lp(look.subgame, seat)
    found = solve_cfr(look.subgame, minimiser("dcfr"), Stop(1e-3, 20_000))
    assert found.value == pytest.approx(exact.value, abs=2e-3)


@pytest.mark.parametrize("seat", [0, 1])
def test_what_else_is_measured_is_as_in_the_enumerated_game(both: tuple[SpotGame, Any], seat: int) -> None:
    """Leduc both ways: the optimal continuation, what SES gains with ties broken toward the model, and its bounds."""
    found, listed = (
        cp.resolve(
            game, ("cfr+:20", "cfr+:20"), "round", seat=seat, alpha=0.3, model="cfr+:3", solver="lp",
            continuation=True, bounds=True,
        )
        for game in both
    )  # fmt: skip
    assert found.continuation == pytest.approx(listed.continuation, abs=1e-7)
    assert found.gain_after == pytest.approx(listed.gain_after, abs=1e-6)
    assert found.ties == listed.ties == "toward the model"
    assert found.safety is not None
    assert found.safety.epsilon == pytest.approx(0.0, abs=1e-12)
    assert found.after <= found.safety.exploitability + 1e-7
    wrong = cp.resolve(
        both[0],
        ("cfr+:20", "cfr+:20"),
        "round",
        seat=seat,
        alpha=0.3,
        model="cfr+:3",
        solver="lp",
        error=0.5,
        bounds=True,
    )
    assert wrong.safety is not None
    assert wrong.safety.epsilon == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("gadget", ["unsafe", "resolving", "max-margin"])
def test_minimisers_solve_gadget_games(gadget: str) -> None:
    game = turn(2, "a")
    mine, theirs = cp.opponent(game, "cfr+:5", 0), cp.opponent(game, "cfr+:5", 1)
    known = Knowledge(ArrayPlans.of(game.subgame, mine, theirs))
    search = Search(LookAhead("round", gadget=gadget))
    for part in parts_of(game, 1)[:6]:
        problem = enter(whole_piece(game, part, 0), search, known)
        if problem is None:
            continue
        exact = solve_lp(problem.subgame, 0)
        found = solve_cfr(problem.subgame, minimiser("dcfr"), Stop(1e-3, 20_000))
        assert found.value == pytest.approx(exact.value, abs=2e-3)


def test_a_piece_is_the_same_part_of_the_tree() -> None:
    """CFVs of the whole tree's plans, in the piece and in the whole."""
    game = turn(8, "50%, a")
    both = [cp.opponent(game, "random:1", player) for player in (0, 1)]
    deal = int(np.flatnonzero(game.tree.betting.kind == Kind.DEAL)[0])
    piece = whole_piece(game, PublicNode(game.tree.betting.children(deal)[0], 1, 2), 0)
    plans = ArrayPlans.of(game.subgame, both[0], both[1])
    problem = enter(piece, Search(LookAhead("round", gadget="unsafe")), Knowledge(plans))
    assert problem is not None
    inner, outer = problem.pairs(1)
    spliced = problem.splice(1, problem.taken(1, both[1].behaviour), np.zeros(game.trees[1].size))
    np.testing.assert_array_equal(spliced[outer], both[1].behaviour[outer])
    assert len(np.unique(inner)) == len(inner) == len(np.unique(outer))
    part = ShowdownPayoff(game.tree.betting, game.tree.tables, game.tree.runs, game.payoff.unit, piece.part)
    cfv, tree = part.product(1, both[0].plan), game.trees[1]
    by_profile = values(tree, both[1].behaviour, cfv)[piece.tops(1)]
    np.testing.assert_allclose(piece.alternative_values(plans, profile=True), by_profile, atol=1e-12)
    best(tree.arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(tree.size))
    np.testing.assert_allclose(piece.alternative_values(plans), cfv[piece.tops(1)], atol=1e-12)


def test_equity_ends_the_street() -> None:
    """With no bets on the river equity is exact, and with an exact answer the methods agree."""
    game = SpotGame("quiet", toy(5, "turn", "turn: a; river: none"), 10.0, 0.01)
    model = cp.opponent(game, "random:1")
    for asked in ({"method": "cdrnr", "p": 0.5}, {"method": "cdbr"}):
        answers = [cp.respond(game, model, depth="round", value=value, **asked) for value in ("equity", "exact")]
        assert answers[0].gain == pytest.approx(answers[1].gain, abs=1e-7)
        assert answers[0].exploitability == pytest.approx(answers[1].exploitability, abs=1e-7)


def test_a_river_spot_by_both_solvers() -> None:
    model = cp.opponent(river(), "bias:fold=3:nash")
    for asked in ({"p": 0.3}, {"max_exploitability": "2%"}, {"method": "dbr", "p": 0.5}, {"method": "br"}):
        exact = cp.respond(river(), model, **asked)
        found = cp.respond(river(), model, solver="dcfr", **asked)
        assert exact.pot == 100
        assert exact.percent["gain_percent"] == pytest.approx(exact.gain)
        trade = [one.gain - one.exploitability for one in (exact, found)]
        if "p" in asked and "method" not in asked:
            trade = [0.3 * one.gain - 0.7 * one.exploitability for one in (exact, found)]
            assert trade[0] == pytest.approx(trade[1], abs=0.05)
        if "max_exploitability" in asked:
            assert found.gain == pytest.approx(exact.gain, abs=0.1)
            assert max(exact.exploitability, found.exploitability) <= 2.0 + 1e-6


def test_models_of_spots(tmp_path: Path) -> None:
    asked = river()
    solved = solve_spot(asked, iterations=30)
    solved.save(tmp_path / "one.spot")
    models = [cp.opponent(asked, solved), cp.opponent(asked, str(tmp_path / "one.spot")), cp.opponent(solved, solved)]
    first, second, third = (cp.respond(game, m, p=0.5) for game, m in zip((asked, asked, solved), models, strict=True))
    assert first.gain == pytest.approx(second.gain, abs=1e-4)
    assert first.gain == pytest.approx(third.gain, abs=1e-4)
    wider = solve_spot(Spot(*RIVER[:2], "JJ+,AQs,98s,65s,54s", *RIVER[3:], raises=2), iterations=30)  # type: ignore[arg-type]
    assert cp.respond(asked, cp.opponent(asked, wider)).gain > 0.0

    def caller(path: str, hand: str, actions: tuple[str, ...]) -> dict[str, float]:
        assert len(hand) == 4
        assert "|" not in path
        return {name: float(name in ("check", "call")) for name in actions}

    calls = cp.opponent(asked, caller)
    answer = cp.respond(asked, calls)
    assert answer.gain > 0.0
    shown = cp.respond(solved, cp.opponent(solved, caller)).strategy
    game = as_spot_game(solved)
    assert game is not None
    node = game.with_strategies(shown, cp.opponent(solved, caller)).node("x")
    held = node.ranges[1] > 0.0
    np.testing.assert_array_equal(node.probabilities[held, 0], 1.0)


def test_a_frontier_of_a_spot() -> None:
    points = cp.frontier(river(), cp.opponent(river(), "uniform"), ("rnr", "safe", "br"), points=3)
    assert [point.method for point in points] == ["rnr"] * 3 + ["safe"] * 3 + ["br"]
    gains = [point.gain for point in points if point.method == "rnr"]
    assert gains == sorted(gains)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"method": "cdbr", "depth": 2}, "end of a street"),
        ({"method": "cdrnr", "p": 0.5, "depth": "round", "value": "rollout:5"}, "value functions"),
        ({"method": "resolve", "depth": "round", "gadget": "resolving", "value": "equity"}, "full gadget"),
        ({"max_exploitability": "2 apples"}, "a number of chips from 0 on, or one with its unit"),
        ({"max_exploitability": "5mbb"}, "needs a big blind, and nobody says it"),
        ({"max_exploitability": "x%"}, "with its unit"),
    ],
)  # fmt: skip
def test_bad_requests(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        cp.respond(river(), cp.opponent(river(), "uniform"), **asked)


def _failing(path: str, hand: str) -> float:
    raise ValueError(path + hand)


def test_more_bad_input(both: tuple[SpotGame, Any]) -> None:
    other = solve_spot(Spot(*RIVER[:3], 120, *RIVER[4:], raises=2), iterations=5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="another pot"):
        cp.opponent(river(), other)
    with pytest.raises(InputError, match="no action begins"):
        cp.opponent(river(), "bias:limp=2:uniform")
    with pytest.raises(InputError, match="failed at"):
        cp.opponent(river(), _failing)
    game = both[1]
    model = cp.opponent(game, "uniform")
    with pytest.raises(InputError, match="spots of hold'em"):
        cp.respond(game, model, method="cdrnr", depth="round", p=0.5, value="equity")
    with pytest.raises(InputError, match="street to come"):
        cp.resolve(river(), "uniform", "round")


def turn_spot() -> Spot:
    return Spot("Ks 8h 8d 4c", "AKs,QJs,AQs", "QQ,JTs", 100, 100, "a", raises=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("resolve:solver=lp", {"method": "resolve"}),
        ("resolve:solver=lp,gadget=max-margin", {"method": "resolve", "gadget": "max-margin"}),
        ("cdrnr:p=0.5,solver=lp,to=noise:0.5:nash", {"method": "cdrnr", "p": 0.5}),
        ("cdrnr:p=0.5,gadget=resolving,to=noise:0.5:nash", {"method": "cdrnr", "p": 0.5, "gadget": "resolving"}),
        ("cdbr:value=equity,to=noise:0.5:nash", {"method": "cdbr", "value": "equity"}),
        ("ses:alpha=0.5,solver=lp,to=noise:0.5:nash", {"method": "ses", "alpha": 0.5}),
    ],
)
def test_agents_of_hands_play_what_respond_computes(text: str, how: dict[str, Any]) -> None:
    """On the way through one card they decide as the complete strategy does."""
    spot = turn_spot()
    agent = cp.agent(spot, text, 0)
    assert isinstance(agent, SearchingPlayer)
    answer = cp.respond(spot, cp.opponent(spot, "noise:0.5:nash"), depth="round", **how)
    whole = StrategyPlayer(spot, answer.strategy)
    for path in ("", "x x Ah | ", "x x 2c | ", "x x Qs | "):
        for hand in ("AcKc", "QdJd"):
            assert agent.policy(path + hand) == pytest.approx(whole.policy(path + hand), abs=1e-9)
    assert sum(agent.policy("x x 2d | AcKc").values()) == pytest.approx(1.0)
    assert agent.act("check, check, river | 2d | AcKc") in ("check", "all-in 100")


def test_a_decision_within_its_time() -> None:
    agent = cp.agent(turn_spot(), "resolve:seconds=0.2", 1)
    agent.act("x x 3d x | QhQd")  # kernels are compiled
    begin = time.perf_counter()
    agent.act("x x 2d x | QhQd")
    assert time.perf_counter() - begin < 1.5


def test_the_rules_of_a_spot_are_the_spot() -> None:
    """A third way to its value: hands, cards and bets one by one, compiled as any game is."""
    game = cp.load(turn_spot())
    enumerated = cp.load(game.rules)
    assert cp.solve(enumerated).value == pytest.approx(cp.solve(game).value, abs=1e-9)
    for player in (0, 1):
        known = set(game.trees[player].labels.infosets)
        assert set(enumerated.trees[player].labels.infosets) <= known


def test_matches_come_to_the_expected_value() -> None:
    spot = river()
    game = cp.load(spot)
    nash, other = (lambda seat, text=text: cp.agent(spot, text, seat) for text in ("nash", "uniform"))
    result = cp.match(spot, nash, other, 4000, seed=1)
    plans = [[cp.opponent(spot, text, seat).plan for seat in (0, 1)] for text in ("nash", "uniform")]
    expected = game.payoff.value(plans[0][0], plans[1][1]) - game.payoff.value(plans[1][0], plans[0][1])
    assert result.interval is not None
    spread = (result.interval[1] - result.interval[0]) / 2 / 1.96
    assert abs(result.mean - expected / 2) < 4.0 * spread


def test_agents_of_hands_are_saved_and_go_on(tmp_path: Path) -> None:
    spot = turn_spot()
    agent = cp.agent(spot, "ses:alpha=0.5,to=noise:0.5:nash", 0, seed=3)
    before = agent.policy("x x Ah | AcKc")
    agent.save(tmp_path / "half.cpa")
    again = cp.resume(tmp_path / "half.cpa")
    assert isinstance(again, SearchingPlayer)
    assert again.done == agent.done
    assert again.policy("x x Ah | AcKc") == before
    path = "x x 2c | AcKc"
    assert again.policy(path) == agent.policy(path)
    assert [again.act(path) for _ in range(5)] == [agent.act(path) for _ in range(5)]
    with pytest.raises(InputError, match="another size"):
        cp.resume(tmp_path / "half.cpa", game=river())


def test_what_an_agent_believes() -> None:
    """The model's range, less what the own hand holds."""
    spot = turn_spot()
    agent = cp.agent(spot, "cdbr:to=uniform", 0)
    found = agent.belief("x | AcKc")
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["QdQc"] == pytest.approx(1 / 10)  # 6 pairs of queens and 4 of JTs, played alike


@pytest.mark.parametrize(
    ("text", "observation", "said"),
    [
        ("resolve:solver=lp", "7c2d", "cannot hold '7c2d' at the root"),
        ("resolve", "x | AcKc", "does not act"),
        ("resolve", "x | KK", "is not one hand"),
        ("cdrnr:p=0.5", "AcKc", "needs a model"),
        ("cdrnr:to=uniform", "AcKc", "needs either p or max_exploitability"),
        ("resolve:seconds=0", "AcKc", "seconds must be above 0"),
        ("resolve:depth=1", "AcKc", "the depth is 'round'"),
        ("resolve:expand=way", "AcKc", "has no option 'expand'"),
        ("abd:p=0.5,to=uniform", "AcKc", "needs a portfolio"),
        ("s1", "AcKc", "play Leduc poker"),
    ],
)
def test_agents_of_hands_refuse(text: str, observation: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cp.agent(turn_spot(), text, 0).policy(observation)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_a_portfolio_of_one_is_a_portfolio_of_one_twice(both: tuple[SpotGame, Any], p: float) -> None:
    """Also in the enumerated game, where the model used to lose its last action with the only continuation."""
    for game in both:
        model = cp.opponent(game, "uniform")
        once, twice = (
            cp.respond(game, model, method="abd", depth="round", p=p, value=f"portfolio:{text}")
            for text in ("uniform", "uniform;uniform")
        )
        assert p * once.gain - (1 - p) * once.exploitability == pytest.approx(
            p * twice.gain - (1 - p) * twice.exploitability, abs=1e-9
        )


@pytest.mark.parametrize("seat", [0, 1])
def test_two_streets_to_come(seat: int) -> None:
    game = SpotGame("flop", toy(1, "flop", "a", cards=7, hands=8), 10.0, 0.01)
    model = cp.opponent(game, "random:2", player=1 - seat)
    for gadget in ("resolving", "max-margin", "reach-max-margin", "full"):
        free = cp.respond(game, model, method="resolve", depth="round", gadget=gadget)
        assert free.exploitability == pytest.approx(0.0, abs=1e-6)
    for at in ("round", "round:2"):
        found = cp.resolve(game, "uniform", at, seat=seat, gadget="max-margin", solver="lp")
        assert found.after <= found.before + 1e-7
    for more in ({"method": "cdbr"}, {"method": "abd", "p": 1.0, "value": "portfolio:uniform;nash"}):
        answer = cp.respond(game, model, depth="round", **more)
        assert 0.0 <= answer.gain <= cp.respond(game, model).gain + 1e-9
    equal = cp.respond(game, model, method="cdrnr", depth="round", p=0.5, value="equity")
    assert 0.5 * (equal.gain - equal.exploitability) <= _objective(cp.respond(game, model, p=0.5), 0.5) + 1e-9


def _objective(answer: Any, p: float) -> float:
    return float(p * answer.gain - (1 - p) * answer.exploitability)


def _worth(spot: Spot, answer: Any, model: Strategy, p: float) -> float:
    """What a look-ahead is after: its street as decided, the model on that street with probability p, all else free."""
    game = cp.load(spot)
    first = [(layers(game, player) == 0).astype(np.float64) for player in (0, 1)]
    problem = game.subgame.bound(0, Restriction.local(game.trees[0], answer.strategy.behaviour, first[0]))
    problem = problem.bound(1, Restriction.until(game.trees[1], model.behaviour, p, layers(game, 1) <= 0))
    return solve_lp(problem, 0).value


@pytest.mark.parametrize(("method", "p"), [("cdbr", 1.0), ("cdrnr", 0.5)])
def test_nested_solves_come_near_the_exact_look_ahead(method: str, p: float) -> None:
    """Nothing beats the exact one at its own objective, and solving every river anew comes within a per cent of the pot."""
    spot = Spot("Ks 8h 8d 4c", "AcKc,QdJd,AsQs", "QhQd,JcTc", 100, 100, "a", raises=1)  # type: ignore[arg-type]
    model = cp.opponent(spot, "noise:0.5:nash")
    given: dict[str, Any] = {"p": p} if method == "cdrnr" else {}
    exact, nested = (
        _worth(spot, cp.respond(spot, model, method=method, depth="round", value=value, **given), model, p)
        for value in (None, "cfr:20")
    )
    assert exact - 1.0 <= nested <= exact + 1e-6


@dataclass(frozen=True)
class _SplitByEquity:
    """All-in equity, as somebody who knows only the protocol would write it."""

    name: str = "split"

    def at(self, border: StreetEnd) -> Any:
        part = border.part
        small = np.searchsorted(part.nodes, border.deals).tolist()
        at = [border.places(runs, small) for runs in part.runs]
        whole, street = part.subgame().leaves, border.problem().leaves

        def evaluate(range0: Any, range1: Any) -> tuple[Any, Any]:
            plans = [np.zeros(runs.tree.size) for runs in part.runs]
            plans[0][at[0]], plans[1][at[1]] = range0, range1
            first, second = ((whole.product(i, plans[1 - i]) - street.product(i, plans[1 - i]))[at[i]] for i in (0, 1))
            return first, second

        return evaluate


def test_a_value_function_of_ranges() -> None:
    spot = turn_spot()
    model = cp.opponent(spot, "uniform")
    known, own = (
        cp.respond(
            spot, model, method="cdrnr", p=0.5, depth="round", value=value, solver="cfr+", stop=cp.Stop(1e-3, 2000)
        )
        for value in ("equity", _SplitByEquity())
    )
    assert own.value == "split"
    assert own.gain == pytest.approx(known.gain, abs=0.05)
    assert own.exploitability == pytest.approx(known.exploitability, abs=0.05)
    with pytest.raises(InputError, match="goes with the full gadget"):
        cp.respond(spot, model, method="cdrnr", p=0.5, depth="round", value="cfr:5", gadget="resolving")
