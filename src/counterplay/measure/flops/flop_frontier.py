"""Gain against exploitability in a whole game of hold'em, measured on drawn flops: all points on the same ones, beside a
blueprint of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.measure.flops.flop_measure import FlopMeasure
from counterplay.measure.frontier import frontier_work, methods_of
from counterplay.measure.points import Points
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.responses.answer import Answer
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.dbr import DBR
from counterplay.responses.method import Method
from counterplay.responses.mix import Mix
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.solvers.cfr import Stop
from counterplay.texts.arguments import FUNCTION, SEED, SEVERAL, WHOLE, instance, or_none, takes

NOTE = (
    "Gain and exploitability are inside the betting tree, and relative to a blueprint on the same flops: what it is sure "
    "of, and what a best responder wins from it. 'error' is half of a 95 % interval of the paired difference."
)

METHODS = (RNR.HEAD, DBR.HEAD, Mix.HEAD, Safe.HEAD, BNE.HEAD)
"""Methods whose responses are strategies that sampling finds."""


@dataclass(frozen=True, eq=False)
class FlopPoint:
    """One response on drawn flops. Chips, seconds.

    Attributes:
        method: name of the method.
        dial: p, or the allowed exploitability for `safe`; None for `bne`.
        gain, exploitability: beside those of the blueprint (see `FlopRisk`).
        fitted: the same exploitability by best responders who decide before the flop by other flops.
        gain_error, exploitability_error, fitted_error: half of their 95 % intervals; 0 where all flops are seen.
        flops: how many were drawn.
        seconds: of the computation.
        strategy: the response.
        big_blind: in chips.
    """

    method: str
    dial: float | None
    gain: float
    gain_error: float
    exploitability: float
    exploitability_error: float
    fitted: float
    fitted_error: float
    flops: int
    seconds: float
    strategy: Any
    big_blind: float

    def __repr__(self) -> str:
        found = (labelled(name, getattr(self, name)) for name in ("dial", "gain", "exploitability"))
        return brief(self, self.method, *found, f"{self.flops} flops")

    def facts(self) -> dict[str, Any]:
        """Everything but the strategy as plain numbers; chips in milli-big-blinds and big blinds a hundred hands, too."""
        told = {name: value for name, value in vars(self).items() if name not in ("strategy", "big_blind")}
        names = ("gain", "gain_error", "exploitability", "exploitability_error", "fitted", "fitted_error")
        chips: dict[str, float] = {name: told[name] for name in names}
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
) -> Points[FlopPoint]:
    """Responses of several methods over their dials; of one whose dial is set, one point.

    Each method begins with public chance sampling anew and goes on from one number of its dial to the next. Ctrl-C ends
    early with the points so far.

    Args:
        measure: game, model and flops.
        methods: rnr, dbr, mix, safe, bne: names, records or texts.
        points: of each dial.
        stop: iterations and seconds of each solve.
        seed: of the sampling.
        blueprint: from which gain and exploitability are counted; unless given, one of the game in its buckets, of 4,000
            iterations.
        done: called with every point.

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
                if answer.interrupted:
                    raise KeyboardInterrupt
                found.append(_point(measure, match.base, name, dial, answer))
                if done:
                    done(found[-1])
    except KeyboardInterrupt:
        if not found:
            raise
    return found


def _point(measure: FlopMeasure, base: BlueprintStrategy, name: str, dial: float | None, answer: Answer) -> FlopPoint:
    """A response beside the blueprint."""
    found: Any = answer.strategy
    gain, risk, fitted = measure.risk(found.play, base)
    return FlopPoint(
        name, dial, gain.value, gain.error, risk.value, risk.error, fitted.value, fitted.error, measure.draw.draws,
        answer.seconds, found, float(measure.game.stakes.big_blind or nan),
    )  # fmt: skip
