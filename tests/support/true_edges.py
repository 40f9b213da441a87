"""True edges of answers to models of few hands, against two bots that share nothing with the package: 200 big blinds, cards
at showdown only. As a program it prints them for fresh draws of hands."""

from __future__ import annotations

import argparse
import sys
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import counterplay as cp
from counterplay import FlopPoint, frontier_on_flops
from counterplay.opponents.tilting.mapped_hands import draw_hands
from counterplay.opponents.tilting.tilted_model import model_of_hands, model_of_tendencies
from counterplay.poker.whole_game.blueprints import blueprint as usual_blueprint
from counterplay.poker.whole_game.boards.board import RunOutDraws
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, line_at
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.poker.whole_game.values.measure import value
from counterplay.poker.whole_game.walks.response_on_flops import Interval, interval_of
from counterplay.responses.whole_game import blueprint_of
from tests.support.foreign_bots import DrawnBot, RuleBot, TrainedBot

GAME = "holdem:stack=200bb,bets=fcpa,buckets=moments:500/500/100"
BOTS: dict[str, Any] = {"rule": RuleBot, "trained": TrainedBot}
BOARDS, SEED, ITERATIONS, FLOPS = 100, 77, 500, 2
BLUEPRINT_ITERATIONS = 2000
TILT, TENDENCIES = ("tilt", 0.2), ("tendencies", 0.9)
DRAWS = 3
CASES = (
    ("rule", 1000, TILT), ("rule", 10_000, TILT), ("trained", 1000, TILT), ("rule", 1000, TENDENCIES),
    ("trained", 1000, TENDENCIES),
)  # fmt: skip
"""Bot, hands, model."""


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
        made = model_of_hands(game, base, seen)
        model: Any = ObservedStrategy(made.play, made.counts)
    else:
        model = model_of_tendencies(game, base, seen).play
    strategy = HoldemStrategy(rules(), 1, model, {"method": f"{hands} hands of {name}"})
    measure = cp.FlopMeasure.on_flops(rules(), strategy, FLOPS, seed=5)  # type: ignore[arg-type]
    (point,) = frontier_on_flops(measure, (cp.RNR(p),), stop=cp.Stop(iterations=ITERATIONS))
    return point


def true_edge(point: FlopPoint, name: str) -> Any:
    """(boards,) what an answer wins from a bot beyond what the blueprint wins: 0 where the answer is the blueprint."""
    return np.zeros(BOARDS) if point.why_blueprint else won(point.answer.play, name) - won_by(name)


def interval(values: Any) -> Interval:
    return interval_of(values, np.ones(len(values)))


def main() -> None:
    """Print the true edges of three draws of hands for each bot and model, and their paired means over the boards."""
    taken = argparse.ArgumentParser(description=main.__doc__)
    taken.add_argument("seeds", type=int, nargs="+", help="Of the first of three draws; the tests have 0 to 2.")
    usual_blueprint.ITERATIONS = BLUEPRINT_ITERATIONS
    milli = 1000.0 / rules().stakes.big_blind
    print("| seeds | bot | hands | model | true edges of the answers, mbb/h | blueprint | mean, mbb/h |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for first, (name, hands, how) in product(taken.parse_args().seeds, CASES):
        texts, edges = list[str](), []
        for seed in range(first, first + DRAWS):
            point = answered(name, hands, seed, how)
            edges.append(true_edge(point, name))
            found = interval(edges[-1])
            texts.append("0" if point.why_blueprint else f"{milli * found.value:.0f} ± {milli * found.error:.0f}")
            print(f"{name} {hands} {how[0]} {seed}: {texts[-1]}. {point.why_blueprint}", file=sys.stderr, flush=True)
        mean, count = interval(np.mean(edges, axis=0)), texts.count("0")
        mean_text = "0" if count == DRAWS else f"{milli * mean.value:.0f} ± {milli * mean.error:.0f}"
        row = (
            f"{first} to {first + DRAWS - 1}",
            name,
            f"{hands:,}",
            how[0],
            "; ".join(texts),
            f"{count} of {DRAWS}",
            mean_text,
        )
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
