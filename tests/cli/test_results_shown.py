"""Results show themselves: in a terminal, in a notebook, as text."""

from __future__ import annotations

from typing import Any

import pytest

import counterplay as cp
from counterplay.commands.printing import with_units
from counterplay.display import LONGEST
from counterplay.poker.spots.spot_game import as_spot_game


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Something of every public class that can be made, by the names of its class and of those that it extends."""
    game = cp.load("leduc")
    model = cp.opponent(game, "uniform")
    spot = cp.Spot("Qs Jh 2h 8d 3c", "QQ+,AKs,A2s:0.5", "JJ+,KQ", 200, 900, "100%", raises=1)
    solved = cp.solve_spot(spot, iterations=20)
    answer, exact = cp.respond(game, model, p=0.5), cp.solve(game)
    kuhn = cp.load("kuhn")
    toy = cp.load("holdem:deck=12,stack=2bb,bets=a,last=turn")
    ours, theirs = cp.opponent(toy, "uniform", player=0), cp.opponent(toy, "passive", player=1)
    measure = cp.FlopMeasure.on_flops(toy, theirs, 2)
    look, end = cp.LookAhead(depth=1), cp.LookAhead(1, "portfolio:uniform;nash", cp.MaxMargin(), "uniform", 0.01)
    made = [
        game, game.rules, game.histories, model, spot, solved, solved.node(), as_spot_game(solved), spot.oop, answer, exact,
        exact.solution, cp.evaluate(game, answer.strategy, against=model), cp.Stop(seconds=1.0),
        cp.frontier(kuhn, cp.opponent(kuhn, "uniform"), ["rnr", "bne"], points=2)[0],
        cp.resolve(kuhn, "uniform", at="moves:1"), cp.value_error(kuhn, "cfr:10", samples=1),
        cp.agent(kuhn, "nash", 0), cp.agent(kuhn, "resolve", 1),
        cp.match(kuhn, lambda seat: cp.agent(kuhn, "nash", seat), lambda seat: cp.agent(kuhn, "uniform", seat), 10),
        cp.BR(), cp.Mix(0.5), cp.DBR(0.5), cp.RNR(0.5), cp.Safe("1%"), cp.BNE(), cp.LBR(), look, cp.CDBR(look),
        cp.CDRNR(0.5, look), cp.CDBRNE(0.5, look), cp.Resolve(look), cp.SES(0.5, look), cp.ABD(0.5, end),
        cp.BestResponseTo(cp.Uniform()), cp.Bias((("fold", 2.0),), cp.Nash()), cp.Checkpoint(cp.Minimiser("cfr"), 5),
        cp.Nash(), cp.GamePlayer("even"), cp.LeducPlayer("s1"), cp.Noise(0.5, cp.Nash()), cp.Observed(5, cp.Nash()),
        cp.Random(7), cp.Shuffle(0.5, cp.Nash()), cp.StrategyFile("a.json"), cp.Uniform(), cp.UserCode("mine:player"),
        cp.SearchBot(cp.Resolve()), cp.ResponseBot(cp.RNR(0.5), "uniform"), cp.StrategyBot("nash"),
        cp.Minimiser("cfr"), cp.SolvedValue(), cp.Rollouts(5), cp.Equity(), cp.Portfolio(["nash"]), cp.TrainedBlueprint(),
        cp.SampledPortfolio(["nash"], 5), cp.ExactLeaf(), cp.GameSpec("leduc"),
        cp.HoldemSpec(stack="200bb", bets="fcpa"),
        cp.evaluate_on_boards(toy, ours, theirs, boards=2), cp.respond_on_flops(toy, theirs, flops=2),
        measure, cp.frontier_on_flops(measure, ["mix"], points=2, stop=cp.Stop(iterations=9), blueprint=theirs)[0],
        cp.resolve_on_boards(toy, "uniform", "turn", 2, stop=cp.Stop(iterations=9)),
        cp.NetworkValue("examples/leduc.cpn"), cp.LearnedPlayer("a.cpn"), cp.Incentive((("call", "1bb"),)),
        cp.Locked("leak.txt"), cp.HandsModel("a.phhs", player="bob"), cp.Profile((("VPIP", 45.0),)),
        cp.QuantalResponse(2.0, cp.Nash()), cp.Counts(kuhn, 0), cp.ObservedHand(()),
        cp.Posterior(kuhn, (cp.opponent(kuhn, "nash"),)),
        cp.CrossFit(1000, 0.3, 0.1, 0.5), cp.Coverage(0.5, 0.2, 0.3, ()),
        cp.Misreading("rnr", "nash", (0.1, -0.1), -0.1), cp.RhodeIsland(),
        cp.Unsafe(), cp.Resolving(), cp.MaxMargin(), cp.ReachMaxMargin(), cp.FullGadget(), cp.TrimmedGadget(),
        cp.PathGadget(), cp.AfterHand(), cp.Gaps(0.1, 0.2), toy, ours,
        cp.matrix_game([[1, 2]]), cp.misread(kuhn, ["uniform", "nash"], ["br"]),
        cp.frontier(kuhn, "uniform", "rnr", points=2),
    ]  # fmt: skip
    bases = {base.__name__: one for one in made for base in type(one).__mro__}
    return bases | {type(one).__name__: one for one in made}


WITHOUT_A_LINE = {
    "Agent", "AgentRecord", "BlueprintStrategy", "ContinualAgent", "Executor", "Gadget", "Game", "InputError", "LookOptions",
    "LuckCorrection", "Method", "OpponentModel", "Player", "ResolveOptions", "RespondOptions", "StrategyAgent",
    "WorkProgress", "WorkRecord",
}  # fmt: skip
"""Protocols, bases, tables of options and errors; the record of two functions."""


class TestResultsShowThemselves:
    def test_every_public_object_in_one_line(self, shown: dict[str, Any]) -> None:
        classes = {name for name in cp.__all__ if isinstance(getattr(cp, name), type)}
        assert classes - WITHOUT_A_LINE <= set(shown)
        for one in shown.values():
            line = repr(one)
            assert len(line) <= LONGEST
            assert line.isprintable()
            assert "array(" not in line
            assert " object at 0x" not in line

    def test_the_lines_say_what_it_is(self, shown: dict[str, Any]) -> None:
        assert repr(shown["GameTree"]) == "<GameTree leduc: 9,457 histories, 468+468 infosets>"
        assert repr(shown["Spot"]) == "<Spot Qs Jh 2h 8d 3c: pot 200, stack 900, 22+30 hands>"
        assert repr(shown["Stop"]) == "Stop(seconds=1)"
        assert repr(shown["HoldemSpec"]) == "HoldemSpec(stack='200bb', bets='fcpa')"
        assert repr(shown["CDRNR"]) == "CDRNR(p=0.5, look=LookAhead(depth='1'))"

    def test_a_frontier_and_a_spot_are_pictures_in_a_notebook(self, shown: dict[str, Any]) -> None:
        kuhn = cp.load("kuhn")
        points = cp.frontier(kuhn, cp.opponent(kuhn, "uniform"), ["rnr", "bne"], points=3)
        page = points._repr_html_()
        assert page.count("<circle") == len(points) == 4
        assert "rnr" in page
        grid = shown["SolvedSpot"]._repr_html_()
        assert grid.count("<td") == 169
        assert grid.count("linear-gradient") == 5  # AA, KK, QQ, AKs, A2s: only what is there
        assert "50.0% no-repeat" in grid  # A2s stands at half its height

    def test_texts_in_pictures_are_escaped(self) -> None:
        import numpy as np

        from counterplay.display import html_table
        from counterplay.poker.ranges.grid import grid_html

        assert "<b>" not in html_table(["<b>"], [["<b>"]])
        flat = np.full((1326, 1), 1.0)
        assert "<b>" not in grid_html("<b>", flat, ["bet <b>"], np.ones(1326))


@pytest.mark.parametrize("spec", ["kuhn", "holdem:deck=8,stack=2bb,bets=a,last=flop", "spot"])
def test_each_number_of_an_evaluation_is_one_line(spec: str) -> None:
    """JSON has numbers in every unit, and the caveat; lines have the units beside the number, and the caveat below."""
    river = cp.Spot("Ks 8h 8d 4c 2c", "AcKc,QhJh", "QdQs,JcTc", 10, 30, "a", raises=1, big_blind=2)
    game = cp.load(river if spec == "spot" else spec)
    facts = cp.evaluate(game, cp.opponent(game, "uniform", player=0), cp.opponent(game, "uniform")).facts
    _, names = with_units(facts, list(facts), game)
    both = ["model_exploitability", "nash_conv"]
    assert names == (
        [
            "game",
            "seat",
            "worst_case",
            "exploitability",
            "value_against_model",
            *both,
            "blueprint_value",
            "edge",
            "risk",
        ]
        if spec.startswith("holdem")
        else ["game", "seat", "game_value", "worst_case", "exploitability", "value_against_model", "gain", *both]
    )


def test_edge_and_risk_may_be_negative() -> None:
    """Beside a blueprint that is no equilibrium."""
    game = cp.load("holdem:deck=8,stack=2bb,bets=a,last=flop")
    shown, _ = with_units({"edge": -0.5, "risk": -0.5}, ["edge", "risk"], game)
    assert shown == {"edge": "-0.5 chips, -0.5 bb/100", "risk": "-0.5 chips, -0.5 bb/100"}
