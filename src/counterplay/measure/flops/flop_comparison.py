"""Several methods against one model on the same flops, in one pass over the boards, and by how much they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.measure.flops.flop_responses import FlopAnswer, FlopsWork, beside_blueprint
from counterplay.poker.whole_game.values.board_walk import SharedBest
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval
from counterplay.responses.method import Method
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, WorkResults, run_work
from counterplay.work.work_record import WorkRecord


@dataclass(frozen=True)
class FlopDifference:
    """By how much one method wins more than another, in chips a hand, paired flop by flop.

    Attributes:
        method, other: their texts.
        lower, upper: of the lower and of the upper values (see `FlopAnswer`).
    """

    method: str
    other: str
    lower: Interval
    upper: Interval

    def facts(self, big_blind: float) -> dict[str, Any]:
        """Plain numbers and texts; chips in milli-big-blinds, too."""
        chips = {
            "lower": self.lower.value, "lower_error": self.lower.error, "upper": self.upper.value,
            "upper_error": self.upper.error,
        }  # fmt: skip
        in_milli = {f"{name}_mbb": 1000.0 * number / big_blind for name, number in chips.items()}
        return {"method": self.method, "other": self.other, **chips, **in_milli}


@dataclass(frozen=True)
class FlopComparison:
    """answers: of each method. differences: of the first method and each other."""

    answers: tuple[FlopAnswer, ...]
    differences: tuple[FlopDifference, ...]


class FlopComparisonWork:
    """The flops of a draw as work for several methods.

    Args:
        match: responder and model.
        methods: different ones, at least two.
        draw: the flops.

    Raises:
        InputError: one method alone, or a method that has no rule on boards.
    """

    def __init__(self, match: HoldemMatchup, methods: Sequence[Method], draw: FlopDraw) -> None:
        if len(methods) < 2:
            raise InputError("a comparison needs at least two methods")
        shared = SharedBest()
        self.works = [FlopsWork(match, method, draw, shared) for method in methods]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.works,)

    def identity(self) -> Mapping[str, Any]:
        """That of each method."""
        return {"methods": [dict(work.identity()) for work in self.works]}

    def keys(self) -> list[str]:
        return self.works[0].keys()

    def compute(self, key: str) -> dict[str, Any]:
        """The arrays of each method, by its number."""
        each = enumerate(work.compute(key) for work in self.works)
        return {f"{k} {part}": array for k, found in each for part, array in found.items()}

    def part(self, done: WorkResults) -> FlopComparisonWork:
        """As of `FlopsWork`."""
        first = self.works[0].part(done)
        whole, methods = first is self.works[0], [work.method for work in self.works]
        return self if whole else FlopComparisonWork(first.match, methods, first.draw)

    def finish(self, results: Mapping[str, Mapping[str, Any]]) -> FlopComparison:
        """The answers, once all flops are there."""
        parts = self.parts(results)
        answers = tuple(work.finish(part) for work, part in zip(self.works, parts, strict=True))
        first, *others = [work.values(part) for work, part in zip(self.works, parts, strict=True)]
        names = [str(work.method) for work in self.works]
        differences = tuple(
            FlopDifference(
                names[0], name, first.draw.interval(first.lower - other.lower),
                first.draw.interval(first.upper - other.upper),
            )
            for name, other in zip(names[1:], others, strict=True)
        )  # fmt: skip
        return FlopComparison(answers, differences)

    def parts(self, results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, dict[str, Any]]]:
        """The results of each method."""
        drawn = {key: results[key] for key in self.keys()}
        return [self._of(k, drawn) for k in range(len(self.works))]

    @staticmethod
    def _of(k: int, results: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """The arrays of one method."""
        begin = f"{k} "
        return {
            key: {part.removeprefix(begin): array for part, array in found.items() if part.startswith(begin)}
            for key, found in results.items()
        }


def compare_on_flops(
    work: FlopComparisonWork,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> FlopComparison:
    """The comparison; arguments and errors as of `respond_on_flops`."""
    base, begin = work.works[0].match.base, run_time()
    done = run_work(work, record=record, executor=executor, watch=watch)
    part = work.part(done)
    found, seconds, interrupted = part.finish(done.results), run_time() - begin, part is not work
    answers = (replace(answer, seconds=seconds, interrupted=interrupted) for answer in found.answers)
    results = part.parts(done.results)
    each = zip(part.works, results, answers, strict=True)
    beside = (beside_blueprint(one, base, its, answer) for one, its, answer in each)
    return replace(found, answers=tuple(beside))


def _rebuilt(works: Sequence[FlopsWork]) -> FlopComparisonWork:
    """The same in another process."""
    return FlopComparisonWork(works[0].match, [work.method for work in works], works[0].draw)
