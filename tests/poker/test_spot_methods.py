"""The methods on spots of hold'em: the same numbers as in the same game enumerated, and the theorems on ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead, Spot, Stop, Strategy, solve_spot
from counterplay.blueprints.resolve import parts_of
from counterplay.blueprints.resolved_blueprint import ResolveSettings
from counterplay.leaves.plan_mixture import PlanMixture
from counterplay.lookahead.resolver import Knowledge, enter, pose
from counterplay.lookahead.search import Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import parse_card
from counterplay.poker.plan_stores.continuations import add_continuations
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.spots import spot_game
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.poker.subtrees.public_subtree import PublicSubtree, subtree_at
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.responses import matchup
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.cut import Place, subgames_at
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.sweeps import best, values
from tests.support.covering import covering
from tests.support.gadget_games import gadget_game_of
from tests.support.gadget_games import solve_gadget_game as solved_in_game
from tests.support.public_trees import toy
from tests.support.seats import seats_in_turn
from tests.support.spots import RIVER, river, turn


def whole_piece(game: SpotGame, part: PublicNode, seat: int) -> PublicSubtree:
    found = subtree_at(game.tree, part, seat)
    assert found is not None
    return found


UNIQUE = [
    {"method": "br"}, {"p": 0.5}, {"max_exploitability": 0.1}, {"method": "dbr", "p": 0.5}, {"method": "bne"},
    {"method": "lbr"},
    {"method": "cdbr", "depth": "round"}, {"method": "cdrnr", "depth": "round", "p": 0.5},
    {"method": "cdrnr", "depth": "round", "p": 0.5, "gadget": "resolving"},
    {"method": "abd", "depth": "round", "p": 0.5, "leaf": "portfolio:uniform"},
    {"method": "abd", "depth": "round", "p": 0.5, "leaf": "portfolio:uniform;cfr+:20"},
    {"method": "abd", "depth": "round", "p": 1.0, "leaf": "portfolio:uniform;cfr+:20;cfr:3"},
]  # fmt: skip


@pytest.mark.parametrize(("asked", "seat"), seats_in_turn((asked,) for asked in UNIQUE), ids=str)
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


@pytest.mark.parametrize(
    ("gadget", "alpha", "prior", "seat"),
    [
        *seats_in_turn([
            ("unsafe", 0.0, "none"), ("resolving", 0.0, "none"), ("max-margin", 0.5, "none"),
            ("resolving", 0.0, "uniform"), ("max-margin", 0.0, "blueprint"), ("reach-max-margin", 0.5, "none"),
        ]),
        *(
            pytest.param(*case, seat, marks=pytest.mark.slow)
            for case in (
                ("max-margin", 0.0, "none"), ("max-margin", 1.0, "none"), ("max-margin", 0.0, "uniform"),
                ("resolving", 0.0, "blueprint"), ("reach-max-margin", 0.0, "none"),
            )
            for seat in (0, 1)
        ),
    ],
)  # fmt: skip
def test_gadget_games_are_those_of_the_enumerated_game(
    both: tuple[SpotGame, Any], gadget: str, alpha: float, prior: str, seat: int
) -> None:
    """Every public state after the card, after every entry, with the trembles of SES and GGSE; in chips of the whole game,
    but for normalised margins, which are chips of a hand."""
    ranges, game = both
    epsilon = 0.2 if prior != "none" else None
    way = ResolveSettings(
        LookAhead(gadget=gadget, prior=prior, epsilon=epsilon, normalised=alpha > 0.0), alpha=alpha, solver="lp"
    )
    mine, theirs, model = (
        [cp.opponent(one, text, player) for one in both]
        for text, player in (("cfr+:20", seat), ("cfr+:20", 1 - seat), ("cfr+:3", 1 - seat))
    )
    listed = []
    for cut in subgames_at(game, Place.of("round"), seat):
        problem = gadget_game_of(cut, way, mine[1], theirs[1], model[1] if alpha else None)
        unit = 1.0 if way.look.normalised else problem.unit
        listed.append(unit * solved_in_game(problem, way, theirs[1]).value)
    plans = ArrayPlans.of(ranges.subgame, mine[0], theirs[0])
    known = Knowledge(plans, ArrayPlans.of(ranges.subgame, model[0]))
    look = LookAhead("round", None, gadget, prior, epsilon, way.look.normalised)
    search = Search(look, alpha=way.alpha)
    found = []
    for part in parts_of(ranges, 1):
        piece = whole_piece(ranges, part, seat)
        problem = enter(piece, search, known)
        assert problem is not None
        unit = 1.0 if way.look.normalised else problem.unit
        found.append(unit * solve_lp(pose(problem, piece, search, known).read(None).subgame, seat).value)
    np.testing.assert_allclose(np.sort(found), np.sort(listed), atol=1e-9)


@pytest.mark.parametrize(
    ("gadget", "blueprint", "seat"),
    covering(("resolving", "max-margin", "reach-max-margin", "full"), ("uniform", "cfr+:5", "random:4"), (0, 1)),
)
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
    from counterplay.value_functions.portfolio import Portfolio

    game = SpotGame("tiny", toy(6, "turn", "turn: none; river oop: a; river ip: none", cards=7, hands=6), 10.0, 0.01)
    model = cp.opponent(game, "random:3", player=1 - seat)
    every = Portfolio((every_pure(game, 0), every_pure(game, 1)))
    for p in (0.3, 0.7):
        answers = [
            cp.respond(game, model, method="abd", depth="round", p=p, leaf=every), cp.respond(game, model, p=p)
        ]  # fmt: skip
        one, other = (p * answer.gain - (1 - p) * answer.exploitability for answer in answers)
        assert one == pytest.approx(other, abs=1e-7)


@pytest.mark.parametrize(
    ("seat", "hands"), [(1, 5), *(pytest.param(seat, 8, marks=pytest.mark.slow) for seat in (0, 1))]
)
def test_blends_are_what_is_written_out(seat: int, hands: int) -> None:
    """Sweeps of a portfolio's leaves against the matrix, and minimisers against the linear program."""
    game = turn(7, "50%, a", hands)
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


@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
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


def test_a_board_that_leaves_nobody_a_hand_has_no_subtree() -> None:
    """After an ace and a queen there is nobody left who could play the river."""
    game = as_spot_game(Spot("2s 7h 8d", "AhKh", "QsQd", 100, 100, "flop: none; turn: none; river: a", raises=1))  # type: ignore[arg-type]
    assert game is not None
    boards = game.tree.boards.layers[2].boards
    found = {boards[part.board]: subtree_at(game.tree, part, 0) for part in parts_of(game, 2)}
    ace, queen = parse_card("Ah"), parse_card("Qs")
    assert [found[board] for board in boards if {ace, queen} <= {*board}] == [None, None]
    assert sum(piece is not None for piece in found.values()) == 45 * 44


def test_equity_ends_the_street() -> None:
    """With no bets on the river equity is exact, and with an exact answer the methods agree."""
    game = SpotGame("quiet", toy(5, "turn", "turn: a; river: none"), 10.0, 0.01)
    model = cp.opponent(game, "random:1")
    for asked in ({"method": "cdrnr", "p": 0.5}, {"method": "cdbr"}):
        answers = [cp.respond(game, model, depth="round", leaf=value, **asked) for value in ("equity", "exact")]
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


LIMITED: list[dict[str, Any]] = [
    {"max_exploitability": 0.01},
    {"max_exploitability": 1.0},
    {"method": "bne"},
    {"p": 0.3},
]


def _game(spot: Spot) -> SpotGame:
    found = as_spot_game(spot)
    assert isinstance(found, SpotGame)
    return found


@pytest.mark.parametrize("source", ["uniform", "bias:fold=3:uniform"])
def test_what_is_counted_from_an_iterated_value_errs_on_the_safe_side(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the value by the linear program: no answer loses more than it says, wins less, or exceeds its limit."""
    exact = solve_lp(_game(river()).subgame)
    for module in (spot_game, matchup):
        monkeypatch.setattr(module, "LP_UP_TO", 0)
    game = _game(river())
    assert game.solver != "lp"
    for seat in (0, 1):
        model = cp.opponent(game, source, 1 - seat)
        value = exact.value if seat == 0 else -exact.value
        for asked in LIMITED:
            found = cp.respond(game, model, **asked)
            lost = value + best_response(game.subgame, 1 - seat, found.strategy.plan).value
            assert lost <= found.exploitability + 1e-6
            assert found.gain <= found.value_against_model - value + 1e-6
            assert lost <= asked.get("max_exploitability", np.inf) + 1e-6
            measured = cp.evaluate(game, found.strategy, model)
            assert measured.exploitability == pytest.approx(found.exploitability, abs=1e-6)
            beaten = best_response(game.subgame, seat, model.plan).value - value
            assert measured.model_exploitability is not None
            assert measured.model_exploitability >= beaten - 1e-6


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


LOOKING = [
    "cdbr", "cdbr:solve=joint", "cdrnr:p=0.5", "resolve", "ses:alpha=0.3", "cdbr-ne:p=0.5",
    "abd:p=0.5,leaf=portfolio:uniform;nash",
]  # fmt: skip


@pytest.mark.parametrize("text", LOOKING)
def test_a_look_ahead_without_a_depth_sees_to_the_end_of_the_street(text: str) -> None:
    spot = turn()
    model = cp.opponent(spot, "uniform")
    given = f"{text}{',' if ':' in text else ':'}depth=round"
    usual, asked = cp.respond(spot, model, text), cp.respond(spot, model, given)
    assert usual.depth == asked.depth == "round"
    assert (usual.gain, usual.exploitability) == (asked.gain, asked.exploitability)
    with pytest.raises(InputError, match="the depth is 'round'"):
        cp.respond(spot, model, given.replace("round", "1"))


def test_a_frontier_looks_ahead_without_a_depth_too() -> None:
    spot = turn()
    model = cp.opponent(spot, "uniform")
    usual = cp.frontier(spot, model, ["cdrnr", "cdbr"], points=2)
    asked = cp.frontier(spot, model, ["cdrnr", "cdbr"], points=2, depth="round")
    assert [(one.gain, one.exploitability) for one in usual] == [(one.gain, one.exploitability) for one in asked]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"method": "cdbr", "depth": 2}, "end of a street"),
        ({"method": "cdrnr", "p": 0.5, "depth": "round", "leaf": "rollout:5"}, "value functions"),
        ({"method": "resolve", "depth": "round", "gadget": "resolving", "leaf": "equity"}, "full gadget"),
        ({"max_exploitability": "2 apples"}, "a non-negative number of chips, or one with its unit"),
        ({"max_exploitability": "5mbb"}, "needs a big blind, and none is given"),
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
        cp.respond(game, model, method="cdrnr", depth="round", p=0.5, leaf="equity")
    with pytest.raises(InputError, match="later street"):
        cp.resolve(river(), "uniform", "round")
