"""What answers to models of few hands win from the players themselves: two bots that share nothing with the package, 200 big
blinds, cards at showdown only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.measure.flops.flop_frontier import FlopPoint, frontier_on_flops
from counterplay.opponents.tilting.drawn_hands import draw_hands
from counterplay.opponents.tilting.tendencies import model_of_tendencies
from counterplay.opponents.tilting.tilted_model import model_of_mapped
from counterplay.poker.cards.hand_rank import ranks
from counterplay.poker.whole_game.blueprints import usual_blueprint
from counterplay.poker.whole_game.boards.drawn_run_outs import RunOutDraws
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, line_at
from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.values.measure import value
from counterplay.poker.whole_game.walks.flop_draw import Interval, interval_of
from counterplay.responses.whole_game import blueprint_of
from tests.support.foreign_bots import DrawnBot, RuleBot, TrainedBot, betting_tree, score

GAME = "holdem:stack=200bb,bets=fcpa,buckets=moments:500/500/100"
BOTS: dict[str, Any] = {"rule": RuleBot, "trained": TrainedBot}
BOARDS, SEED, ITERATIONS, FLOPS = 100, 77, 500, 2
TILT, TENDENCIES = ("tilt", 0.2), ("tendencies", 0.9)


@pytest.fixture(scope="module", autouse=True)
def _short_blueprint() -> Iterator[None]:
    """Of 2,000 iterations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usual_blueprint, "ITERATIONS", 2000)
        yield


@cache
def rules() -> Any:
    return cp.load(GAME)


@cache
def bot(name: str) -> LineBlueprint:
    return LineBlueprint(rules().game, BOTS[name]())


@cache
def won_by(name: str) -> Any:
    """(boards,) what the blueprint wins from a bot."""
    return won(blueprint_of(rules()).play, name)


def won(play: Any, name: str) -> Any:
    """(boards,) chips that the big blind wins from a bot on the same boards: exact over hands."""
    game = rules().game
    draws = RunOutDraws(game.boards, game.last, SEED)
    return np.array([value(game, play, bot(name), draws[k]) for k in range(BOARDS)])


def answered(name: str, hands: int, seed: int, how: tuple[str, float]) -> FlopPoint:
    """The answer to a model of a bot's hands against the blueprint."""
    game, base, (kind, p) = rules().game, blueprint_of(rules()).play, how
    lines = {
        (player, street, int(first)): line_at(game.betting, int(node))
        for player, side in enumerate(game.sides)
        for street, decisions in enumerate(side.decisions)
        for node, _, first, _ in decisions
    }
    seen = draw_hands(game, DrawnBot(game, bot(name), lines), base, hands, "showdown", seed)
    if kind == "tilt":
        made = model_of_mapped(game, base, seen)
        model: Any = ObservedStrategy(made.play, made.counts)
    else:
        model = model_of_tendencies(game, base, seen).model
    strategy = HoldemStrategy(rules(), 1, model, {"method": f"{hands} hands of {name}"})
    measure = cp.FlopMeasure.on_flops(rules(), strategy, FLOPS, seed=5)  # type: ignore[arg-type]
    (point,) = frontier_on_flops(measure, (cp.RNR(p),), stop=cp.Stop(iterations=ITERATIONS))
    return point


def true_edge(point: FlopPoint, name: str) -> Any:
    """(boards,) what an answer wins from a bot beyond what the blueprint wins."""
    return won(point.answer.play, name) - won_by(name)


def interval(values: Any) -> Interval:
    return interval_of(values, np.ones(len(values)))


@pytest.mark.slow
@pytest.mark.parametrize("how", [TILT, TENDENCIES])
@pytest.mark.parametrize("name", BOTS)
def test_an_answer_to_a_thousand_hands_is_no_worse_than_the_blueprint(name: str, how: tuple[str, float]) -> None:
    """In none of three draws below -2 standard errors."""
    for seed in range(3):
        found = interval(true_edge(answered(name, 1000, seed, how), name))
        assert found.value >= -2.0 * found.error / 1.96


@pytest.mark.slow
def test_ten_thousand_hands_of_who_folds_too_much_pay() -> None:
    """The mean edge of three draws is above 0 by its interval."""
    edges = [true_edge(answered("rule", 10_000, seed, TILT), "rule") for seed in range(3)]
    found = interval(np.mean(edges, axis=0))
    assert found.value > found.error


def test_the_bots_share_the_betting_of_the_game_and_order_hands_as_it_does() -> None:
    """Their own tree and their own scores; the game's are the second witness."""
    game = cp.load("holdem:stack=200bb,bets=fcpa,buckets=blind").game  # type: ignore[attr-defined]
    known = {
        line_at(game.betting, int(node)): (player, int(count))
        for player, side in enumerate(game.sides)
        for decisions in side.decisions
        for node, _, _, count in decisions
    }
    assert {node.line: (node.player, len(node.children)) for node in betting_tree() if node.player >= 0} == known
    random = np.random.default_rng(0)
    for count in (5, 6, 7):
        cards = np.stack([random.permutation(52)[:count] for _ in range(600)])
        mine, theirs = np.array([score(row) for row in cards]), ranks(cards)
        pairs = np.triu_indices(len(cards), 1)
        np.testing.assert_array_equal(
            np.sign(mine[pairs[0]] - mine[pairs[1]]),
            np.sign(theirs[pairs[0]].astype(np.int64) - theirs[pairs[1]].astype(np.int64)),
        )
