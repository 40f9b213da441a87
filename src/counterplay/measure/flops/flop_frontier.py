"""Edge against risk in a whole game of hold'em, measured on drawn boards and flops: all points on the same ones, beside a
blueprint of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.measure.flops.flop_measure import FlopMeasure
from counterplay.measure.frontier import frontier_work, methods_of
from counterplay.measure.frontier_point import Axes
from counterplay.measure.points import Points
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.strategies.continuation_mixture import blend
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.walks.flop_draw import ALL, Interval
from counterplay.responses.answer import Answer
from counterplay.responses.better_than_blueprint import trust_of, why_blueprint
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.dbr import DBR
from counterplay.responses.method import Method
from counterplay.responses.mix import Mix
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.whole_game import HoldemMatchup, has_gap
from counterplay.solvers.cfr import Stop
from counterplay.texts.arguments import FUNCTION, SEED, SEVERAL, WHOLE, instance, or_none, takes

NOTE = (
    "All is inside the betting tree, in 95 % intervals. Edge: what the response wins from the model beyond what the "
    "blueprint wins, on the same drawn boards. Risk: what a best responder wins from it beyond what one wins from the "
    "blueprint, on the same drawn flops; fitted: decided before the flop by other flops. The model is not the player: "
    "against a player whom it misses an edge may be a loss."
)

MEASURED = (
    "value", "blueprint_value", "edge", "risk", "fitted", "exploitability", "edge_against_blueprint", "gap",
)  # fmt: skip
"""Measures in chips, each with `..._error`."""
METHODS = (RNR.HEAD, DBR.HEAD, Mix.HEAD, Safe.HEAD, BNE.HEAD)
"""Methods whose responses are strategies that sampling finds."""


@dataclass(frozen=True, eq=False)
class FlopPoint:
    """One response on drawn flops. Chips, seconds.

    Attributes:
        method: name of the method.
        dial: p, or the allowed risk for `safe`; None for `bne`.
        value, blueprint_value, edge, risk, fitted, exploitability, edge_against_blueprint: see `BesideBlueprint`;
            `..._error` is half of the 95 % interval, 0 where all flops are seen.
        gap: upper bound on the distance from the best response in real cards to the opponent whom `rnr` met; NaN of others.
        flops: how many were drawn.
        boards: how many were drawn for values against the model; those of all flops otherwise.
        iterations: of the sampled solve; None without one.
        cut: the limit that ended it, "seconds" or "Ctrl-C"; None if none did.
        why_blueprint: why the answer is the blueprint; None where it is the response.
        seconds: of the computation.
        strategy: the response.
        answer: the response, or the blueprint where that is the answer.
        big_blind: in chips.
    """

    method: str
    dial: float | None
    value: float
    value_error: float
    blueprint_value: float
    blueprint_value_error: float
    edge: float
    edge_error: float
    risk: float
    risk_error: float
    fitted: float
    fitted_error: float
    exploitability: float
    exploitability_error: float
    edge_against_blueprint: float
    edge_against_blueprint_error: float
    gap: float
    gap_error: float
    flops: int
    boards: int | str
    iterations: int | None
    cut: str | None
    why_blueprint: str | None
    seconds: float
    strategy: Any
    answer: Any
    big_blind: float

    @property
    def axes(self) -> Axes:
        """See `Point.axes`."""
        return ("edge", self.edge), ("risk", self.risk)

    def __repr__(self) -> str:
        found = (labelled(name, getattr(self, name)) for name in ("dial", "edge", "risk"))
        return brief(self, self.method, *found, f"{self.flops} flops")

    def facts(self) -> dict[str, Any]:
        """Everything but the strategies as plain numbers; chips in milli-big-blinds and big blinds a hundred hands, too."""
        told = {name: number for name, number in vars(self).items() if name not in ("strategy", "answer", "big_blind")}
        for name in ("gap", "edge_against_blueprint"):
            if isnan(told[name]):
                del told[name], told[f"{name}_error"]
        chips: dict[str, float] = {
            name: told[name] for one in MEASURED for name in (one, f"{one}_error") if name in told
        }
        in_milli = {f"{name}_mbb": 1000.0 * number / self.big_blind for name, number in chips.items()}
        return {**told, **in_milli, **Stakes(None, self.big_blind).facts(chips)}


@takes(
    measure=instance("a FlopMeasure", FlopMeasure), methods=SEVERAL, points=WHOLE, stop=or_none(instance("a Stop", Stop)),
    seed=SEED, done=or_none(FUNCTION),
)  # fmt: skip
def frontier_on_flops(
    measure: FlopMeasure,
    methods: Sequence[Method | str] = ("rnr",),
    *,
    points: int = 5,
    stop: Stop | None = None,
    seed: int = 0,
    blueprint: HoldemStrategy | BlueprintStrategy | None = None,
    done: Callable[[FlopPoint], None] | None = None,
    cut: bool = False,
) -> Points[FlopPoint]:
    """Responses of several methods over their dials; of one whose dial is set, one point.

    Each solve begins at the blueprint where that has the buckets of the game; otherwise each method begins with public
    chance sampling anew and goes on from one number of its dial to the next. Ctrl-C ends early with the points so far.

    Args:
        measure: game, model and flops.
        methods: rnr, dbr, mix, safe, bne: names, records or texts.
        points: of each dial.
        stop: iterations and seconds of each solve.
        seed: of the sampling.
        blueprint: from which edge and risk are counted; unless given, one of the game in its buckets, of 4,000
            iterations.
        done: called with every point.
        cut: whether a solve that Ctrl-C ends is a point, too, rather than none.

    Raises:
        InputError: another method, or fewer than two points.
    """
    base = blueprint.play if isinstance(blueprint, HoldemStrategy) else blueprint
    match = HoldemMatchup(measure.game, measure.model, stop=stop or Stop(), seed=seed, values=measure, blueprint=base)
    asked = methods_of(methods, {})
    if any(isinstance(method, BR) for method in asked.values()):
        raise InputError("on drawn flops the best response is a value, of respond --flops, and no point of a frontier")
    other = [method.HEAD for method in asked.values() if method.HEAD not in METHODS]
    if other:
        raise InputError(f"on drawn flops a frontier has {', '.join(METHODS)}, and not {other[0]}")
    work, found = frontier_work(match, asked, points), Points[FlopPoint]()
    try:
        for name, method in asked.items():
            match.forget_solves()
            for index in range(1 if method.is_set else points):
                answer, dial = work.answer(name, index)
                if answer.interrupted and not cut:
                    raise KeyboardInterrupt
                found.append(_point(measure, match, method, (name, dial), answer))
                if done:
                    done(found[-1])
    except KeyboardInterrupt:
        if not found:
            raise
    return found


def _point(
    measure: FlopMeasure, match: HoldemMatchup, method: Method, at: tuple[str, float | None], answer: Answer
) -> FlopPoint:
    """A response beside the blueprint. at: the method's name, and its dial."""
    found: Any = answer.strategy
    play, base, trust = found.play, match.base, trust_of(method, answer.p)
    beside = measure.beside(play, base)
    why = why_blueprint(beside.edge, beside.risk, trust, beside.edge_against_blueprint)
    met = None
    if has_gap(method, answer.p, measure.model.play) and not measure.in_processes:
        met = blend(measure.game.game, measure.model.player, measure.model.play, play, answer.p or 0.0)
    gap = Interval(nan, 0.0) if met is None else measure.gap(play, met, answer.p or 0.0)
    numbers = {name: getattr(beside, name) for name in MEASURED[:-1]} | {"gap": gap}
    chips = {name: one.value for name, one in numbers.items()}
    chips |= {f"{name}_error": one.error for name, one in numbers.items()}
    blueprint: Any = HoldemStrategy(measure.game, match.seat, base, {"method": "blueprint"})
    return FlopPoint(
        *at, **chips, flops=measure.draw.draws, boards=ALL if measure.draw.seed is None else measure.boards,
        iterations=answer.iterations, cut=answer.cut, why_blueprint=why, seconds=answer.seconds, strategy=found,
        answer=found if why is None else blueprint, big_blind=float(measure.game.stakes.big_blind or nan),
    )  # fmt: skip
