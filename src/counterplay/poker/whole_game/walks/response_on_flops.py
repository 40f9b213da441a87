"""Values of a responder against a strategy, flop by flop: exact after the flop, before it over the visited flops.

The only decision that needs all flops is that before them. Made on the drawn flops themselves it is too good for them: the
value is an upper estimate. *Cross-fitted*, on each tenth of the draws by the other nine, it is a lower one: the mean of what
strategies earn that were fixed without the flops on which they are measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk, SharedBest
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval
from counterplay.poker.whole_game.walks.make_rule import RuleSettings, make_rule
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup, folded_values
from counterplay.poker.whole_game.walks.rule_response import RuleResponse
from counterplay.poker.whole_game.walks.visited_part import VisitedWalk, visited_part

_PARTS = 10
_ROUNDING = 1e-7
"""Share of a stack."""
VALUES, ESTIMATES, VISITED = "values", "estimates", "visited"


@dataclass(frozen=True)
class FlopResponse:
    """Estimates of the value of a responder, in chips a hand.

    Attributes:
        upper: with the decisions before the flop that are best, or chosen, on the flops that were seen.
        lower: cross-fitted.
        unvisited: the part of `upper` from hands in which the opponent came to a row that they never visited in training;
            None where the opponent does not tell.
    """

    upper: Interval
    lower: Interval
    unvisited: float | None = None


@dataclass(frozen=True, eq=False)
class FlopValues:
    """Values of a responder flop by flop, in chips a hand as if every flop were like that one.

    Attributes:
        draw: the flops.
        upper: (flops,) with the decisions before the flop that are chosen on all of them.
        lower: (flops,) cross-fitted; where all flops are there, the same.
        plan: (sequences, classes) those decisions: 1 where the player goes.
        below: (entries, classes) what all flops together are worth by these.
    """

    draw: FlopDraw
    upper: F64
    lower: F64
    plan: F64
    below: F64

    def interval(self, *, lower: bool = False) -> Interval:
        """The mean over flops, with its 95 % interval where they were drawn."""
        return self.draw.interval(self.lower if lower else self.upper)


class ResponseOnFlops:
    """A responder against a strategy, by a rule.

    Args:
        game: of both.
        player: the responder.
        theirs: how the other plays.
        asked: the rule.
        shared: with responders by other rules, of the same player against the same strategy.
        truth: the other's own strategy where `theirs` is a model of it: what the response to the model wins from it is
            found by `true_values`. Unless given, what is won from the visited part of `theirs`, where it tells.
    """

    def __init__(
        self,
        game: HoldemGame,
        player: int,
        theirs: BlueprintStrategy,
        asked: RuleSettings | None = None,
        shared: SharedBest | None = None,
        truth: BlueprintStrategy | None = None,
    ) -> None:
        self.game, self.player, self.theirs = game, player, theirs
        self.asked = asked or RuleSettings()
        self.rule = make_rule(game, player, theirs, self.asked)
        self._walk = BoardWalk(game, player, theirs, rule=self.rule, shared=shared)
        self._seen = visited_part(theirs) if truth is None else truth
        self._both = None if self._seen is None else VisitedWalk(self._walk, self._seen)

    def on(self, flop: int) -> dict[str, F64]:
        """What one flop adds, for each time that it is drawn: (entries, classes) values; where a rule chooses, (sequences,
        classes) what the player's sequences before the flop seem to be worth; values by the visited part alone."""
        board = self.game.boards.child(self.game.boards.root, flop)
        if self._both is None:
            found = {VALUES: self._walk.sum_over([flop]) / board.count}
        else:
            both = self._both.sum_over(board)
            found = {key: values / board.count for key, values in zip((VALUES, VISITED), both, strict=True)}
        estimates = None if self.rule is None else self.rule.early_estimates(board)
        if estimates is not None:
            found[ESTIMATES] = estimates
        return found

    def finish(self, sample: FlopDraw, found: Mapping[int, Mapping[str, F64]]) -> FlopResponse:
        """The estimates; found: results of `on` for every flop of the sample, as in `on`."""
        values = self.values(sample, found)
        unvisited = None
        if self._seen is not None:
            unvisited = values.interval().value - sample.interval(self.true_values(sample, found)).value
            if abs(unvisited) < _ROUNDING * float(self.game.betting.committed.max()):
                unvisited = 0.0  # two walks in single precision
        return FlopResponse(values.interval(), values.interval(lower=True), unvisited)

    def true_values(self, sample: FlopDraw, found: Mapping[int, Mapping[str, F64]]) -> F64:
        """(flops,) what the response to the model wins from the truth, or from the visited part; found: as in `finish`.

        Decisions before the flop are those of the model, on all flops of the sample.
        """
        assert self._seen is not None
        rows = np.stack([found[flop][VISITED] for flop in sample.numbers])
        folded = folded_values(self.game, self.player, self._seen)
        return self.backup.values(self.values(sample, found).plan, sample.whole * rows, folded)

    def values(self, sample: FlopDraw, found: Mapping[int, Mapping[str, F64]]) -> FlopValues:
        """The estimates flop by flop; found: as in `finish`."""
        times, rows = np.array(sample.times, float), _rows_of(sample, found)
        plan = self._plan(times, rows)
        upper = self.backup.values(plan, rows[VALUES])
        lower = upper if sample.seed is None else self._cross_fitted(sample, times, rows)
        return FlopValues(sample, upper, lower, plan, _mean(times, rows[VALUES]))

    def _cross_fitted(self, sample: FlopDraw, times: F64, rows: Mapping[str, F64]) -> F64:
        """By parts of the different flops."""
        order = np.random.default_rng(sample.seed).permutation(len(times))
        values = np.zeros(len(times))
        for part in np.array_split(order, min(_PARTS, len(times))):
            left = times.copy()
            left[part] = 0.0
            if left.any():
                values[part] = self.backup.values(self._plan(left, rows), rows[VALUES][part])
        return values

    def strategy(self, sample: FlopDraw, found: Mapping[int, Mapping[str, F64]]) -> RuleResponse:
        """The responder, who decides before the flop by all flops of the sample; found: as in `finish`."""
        means = self._means(np.array(sample.times, float), _rows_of(sample, found))
        return RuleResponse(self.game, self.player, self.theirs, self.asked, self.backup.choices(*means))

    def _plan(self, times: F64, rows: Mapping[str, F64]) -> F64:
        """(sequences, classes) 1 where the player goes before the flop, by flops that count so often."""
        return self.backup.plan(*self._means(times, rows))

    @staticmethod
    def _means(times: F64, rows: Mapping[str, F64]) -> tuple[F64, F64 | None]:
        """What `PreflopBackup.choices` takes."""
        return _mean(times, rows[VALUES]), _mean(times, rows[ESTIMATES]) if ESTIMATES in rows else None

    @cached_property
    def backup(self) -> PreflopBackup:
        """The decisions before the flop."""
        backed = self.rule is None or self.rule.backed
        return PreflopBackup(self.game, self.player, folded_values(self.game, self.player, self.theirs), backed)


def _rows_of(sample: FlopDraw, found: Mapping[int, Mapping[str, F64]]) -> dict[str, F64]:
    """(flops, ...) the arrays of all flops, each as if every flop were like that one."""
    return {
        key: sample.whole * np.stack([found[flop][key] for flop in sample.numbers])
        for key in (VALUES, ESTIMATES)
        if key in found[sample.numbers[0]]
    }


def _mean(times: F64, rows: F64) -> F64:
    """Of rows that count so often."""
    return np.asarray(np.tensordot(times / times.sum(), rows, 1))
