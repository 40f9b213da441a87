"""What a responder wins from a strategy, flop by flop: exact after the flop, and before it by the flops that are seen.

The only decision that needs all flops is that before them. Made on the drawn flops themselves it is too good for them: the
value is an upper estimate. *Cross-fitted*, on each tenth of the draws by the other nine, it is a lower one: the mean of what
strategies earn that were fixed without the flops on which they are measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.board_walk import BoardWalk
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.measure import preflop_values
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw
from counterplay.poker.whole_game.walks.make_rule import RuleSettings, make_rule
from counterplay.poker.whole_game.walks.visited_part import ChoicesAgainst, visited_part

_PARTS = 10
_WIDTH = 1.96
"""Standard errors on each side of a 95 % interval."""
VALUES, ESTIMATES, VISITED = "values", "estimates", "visited"


@dataclass(frozen=True)
class Interval:
    """An estimate. value: chips a hand. error: half of its 95 % interval; 0 where nothing was drawn."""

    value: float
    error: float


@dataclass(frozen=True)
class FlopResponse:
    """What a responder wins, in chips a hand.

    Attributes:
        upper: with the decisions before the flop that are best, or chosen, on the flops that were seen.
        lower: cross-fitted.
        unvisited: the part of `upper` from hands in which the opponent came to a row that they never visited in training;
            None where the opponent does not tell, or the rule is not the best response.
    """

    upper: Interval
    lower: Interval
    unvisited: float | None = None


class ResponseOnFlops:
    """A responder against a strategy, by a rule.

    Args:
        game: of both.
        player: the responder.
        theirs: how the other plays.
        asked: the rule.
    """

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings | None = None
    ) -> None:
        self.game, self.player, self.theirs = game, player, theirs
        self.rule = make_rule(game, player, theirs, asked or RuleSettings())
        self._walk = BoardWalk(game, player, theirs, rule=self.rule)
        self._seen = None if self.rule is not None else visited_part(theirs)

    def on(self, flop: int) -> dict[str, Floats]:
        """What one flop adds, for each time that it is drawn: (entries, classes) values; where a rule chooses, (sequences,
        classes) what the player's sequences before the flop seem to be worth; values by the visited part alone."""
        game, board = self.game, self.game.boards.child(self.game.boards.root, flop)
        found = {VALUES: self._walk.sum_over([flop]) / board.count}
        estimates = None if self.rule is None else self.rule.early_estimates(board)
        if estimates is not None:
            found[ESTIMATES] = estimates
        if self._seen is not None:
            choices = ChoicesAgainst(BoardWalk(game, self.player, self.theirs))
            walk = BoardWalk(game, self.player, self._seen, rule=choices)
            found[VISITED] = walk.sum_over([flop]) / board.count
        return found

    def finish(self, sample: FlopDraw, found: Mapping[int, Mapping[str, NDArray[np.float64]]]) -> FlopResponse:
        """The estimates, from what `on` says of every flop of a sample."""
        times = np.array(sample.times, float)
        rows = {key: np.stack([found[flop][key] for flop in sample.numbers]) for key in found[sample.numbers[0]]}
        whole = self._plan(sample.whole, times, rows)
        upper = self._interval(sample, times, self._values(whole, sample.whole, rows[VALUES]))
        lower = upper if sample.seed is None else self._cross_fitted(sample, times, rows)
        unvisited = None
        if VISITED in rows and self._seen is not None:
            seen = self._values(whole, sample.whole, rows[VISITED], self._folded_to(self._seen))
            unvisited = upper.value - float(seen @ times / times.sum())
        return FlopResponse(upper, lower, unvisited)

    def _cross_fitted(self, sample: FlopDraw, times: Floats, rows: Mapping[str, Floats]) -> Interval:
        """By parts of the different flops."""
        order = np.random.default_rng(sample.seed).permutation(len(times))
        values = np.zeros(len(times))
        for part in np.array_split(order, min(_PARTS, len(times))):
            left = times.copy()
            left[part] = 0.0
            if left.any():
                values[part] = self._values(self._plan(sample.whole, left, rows), sample.whole, rows[VALUES][part])
        return self._interval(sample, times, values)

    def _plan(self, whole: int, times: Floats, rows: Mapping[str, Floats]) -> Floats:
        """(sequences, classes) 1 where the player goes before the flop, by flops that count so often."""
        weights = whole * times / times.sum()
        side = self.game.sides[self.player]
        if ESTIMATES in rows:
            found = self._folded + np.tensordot(weights, rows[ESTIMATES], 1)
        else:
            found = self._folded.copy()
            found[side.entry] += np.tensordot(weights, rows[VALUES], 1)
        backed, table = self.rule is None or self.rule.backed, np.zeros(found.shape)
        for _, before, first, count in side.preflop[::-1].tolist():
            here = found[first : first + count]
            table[first + here.argmax(axis=0), np.arange(here.shape[1])] = 1.0
            if backed:
                found[before] += here.max(axis=0)
        return reaches(side, table)

    def _values(self, plan: Floats, whole: int, rows: Floats, folded: Floats | None = None) -> Floats:
        """(flops,) chips a hand as if every flop were like each of these."""
        entry = plan[self.game.sides[self.player].entry]
        before = float((plan * (self._folded if folded is None else folded)).sum())
        return np.asarray((before + whole * (rows * entry).sum(axis=(1, 2))) / self.game.deals)

    def _interval(self, sample: FlopDraw, times: Floats, values: Floats) -> Interval:
        found = interval_of(values, times)
        return Interval(found.value, 0.0) if sample.seed is None else found

    @cached_property
    def _folded(self) -> Floats:
        return self._folded_to(self.theirs)

    def _folded_to(self, theirs: BlueprintStrategy) -> Floats:
        """(sequences, classes) what the player's sequences before the flop earn by folds there."""
        game, other = self.game, 1 - self.player
        nothing = np.zeros((len(game.entries), game.boards.classes))
        return preflop_values(game, self.player, reaches(game.sides[other], theirs.preflop[other]), nothing)


def interval_of(values: Floats, times: Floats) -> Interval:
    """The mean of values that were drawn so often, and its 95 % interval."""
    mean, draws = float(values @ times / times.sum()), float(times.sum())
    spread = float((values - mean) ** 2 @ times / max(draws - 1.0, 1.0))
    return Interval(mean, _WIDTH * float(np.sqrt(spread / draws)))
