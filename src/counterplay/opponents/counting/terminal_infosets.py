"""Hands as a player saw them; terminal information sets, the ends of a game that a seat cannot tell apart; and weights of
observed hands whose mean estimates the value of a response, whoever the opponent is.

The probability of an observation o is x0(o) · l_o(y): the plan x0 of the seat that looks, times a linear function of the
opponent's plan y (see `estimate`). The value of another strategy x of that seat is linear, too: g(y). Weights w with
Σ x0(o) l_o(y) w(o) = g(y) for every y make the mean of w over hands an unbiased estimate of the value, whatever y is. Among
such weights a model of the opponent only picks those of small variance (Gauss and Markov); a wrong model widens the interval
and moves nothing. Own probabilities that are estimated from the hands matter in second order: the weights are the scores of
the opponent's decisions, which are uncorrelated with those of own decisions.

Hands cannot show what the opponent does where hands seldom lead. There, continuations are taken at their worst and at their
best for x, which gives two linear functions, a bound of g from below and one from above. What the weights leave of these
(`rest`, also linear in y) is bounded over all y by best responses.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL, action_name
from counterplay.games.identity import is_other_game
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import Grouped, children_of
from counterplay.texts.arguments import Checked
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best_cfvs, reach, values, visits
from counterplay.treeplex.treeplex import Treeplex

Move = tuple[int, str | None]
_TOLERANCE, _ROUNDING = 1e-9, 1e-14
"""Of a result: shares of the span of the payoffs, and of the largest one."""
_NAMES: WeakKeyDictionary[GameTree, dict[Hashable, list[str]]] = WeakKeyDictionary()
SHOWN, SHOWDOWN, HIDDEN = "all", "showdown", "none"
REVEALS = (SHOWN, SHOWDOWN, HIDDEN)
"""What is revealed after a hand: everything, the hidden cards where they decide the result, or nothing."""


@dataclass(frozen=True)
class ObservedHand(metaclass=Checked):
    """A hand of any game.

    Attributes:
        moves: the acting player (0, 1 or `CHANCE`) and the text of the action, in order; None in place of a text that was
            not seen.
        utility: chips that player 0 won; None where it is not known.
    """

    moves: tuple[Move, ...]
    utility: float | None = None


def consistent_ends(game: GameTree, hand: Any) -> I64:
    """(n,) the ends of the game that agree with a hand: its moves where they were seen, its players, its result. hand:
    an `ObservedHand`, or anything with `moves` and `utility` or `won` (chips of player 0), such as the record of a match
    or of a log."""
    table, children = game.histories, children_of(game)
    try:
        moves = [(who, name) for who, name in hand.moves]
        utility = hand.utility if hasattr(hand, "utility") else hand.won
        utility = None if utility is None else float(utility)
    except (AttributeError, TypeError, ValueError):
        raise InputError("a hand has moves, each who acts and a text or None, and a result, a number or None; "
                         f"{quoted(hand)} has not") from None  # fmt: skip
    here = np.zeros(1, np.int64)
    for number, (who, name) in enumerate(moves):
        below = list[int]()
        for history in here[table.player[here] == who].tolist():
            names = [None] * len(children.of(history)) if name is None else action_names(game, history)
            below += [int(child) for child, own in zip(children.of(history), names, strict=True) if own == name]
        if not below:
            actor = "chance" if who == CHANCE else f"player {who}"
            move = f"a move of {actor}" if name is None else f"{quoted(name)} of {actor}"
            raise InputError(f"no hand of {game.name} has {move} as move {number + 1}")
        here = np.array(below, np.int64)
    here = here[table.player[here] == TERMINAL]
    if utility is not None:
        scale = _TOLERANCE * game.span + _ROUNDING * float(np.abs(table.utility).max())
        here = here[np.abs(table.utility[here] - utility) <= scale]
    if not len(here):
        result = "" if utility is None else f" with a result of {utility:g} chips"
        raise InputError(f"no hand of {game.name} ends after these {len(moves)} moves{result}")
    return np.asarray(here, np.int64)


def action_names(game: GameTree, history: int) -> list[str]:
    """The names of the actions at a history, those of an infoset or of a chance node kept once made."""
    table = game.histories
    who = int(table.player[history])
    key: Hashable = ("chance", history) if who == CHANCE else (who, int(table.info[who][history]))
    kept = _NAMES.setdefault(game, {})
    if key not in kept:
        state = game.state(history)
        kept[key] = [action_name(game.rules, state, action) for action in game.rules.actions(state)]
    return kept[key]


def checked_reveal(reveal: str) -> str:
    """One of `REVEALS`."""
    if reveal not in REVEALS:
        raise InputError(f"what is revealed is {', '.join(REVEALS)}, not {quoted(reveal)}")
    return reveal


@dataclass(frozen=True, eq=False)
class TerminalInfosets:
    """The terminal information sets of a seat.

    A seat knows its own infosets and actions, what it is told on the way, and the result. A hand is shown down where
    ends of the same public line have different results: there the hidden moves decide, and `showdown` reveals them.
    seat: who looks. reveal: one of `REVEALS`."""

    game: GameTree
    seat: int
    reveal: str = HIDDEN

    @cached_property
    def ends(self) -> I64:
        """(T,) the terminal histories."""
        return np.flatnonzero(self.game.histories.player == TERMINAL)

    @cached_property
    def label(self) -> I64:
        """(T,) a number of each end; ends that the seat cannot tell apart share it."""
        ends = np.arange(len(self.ends))
        if self.reveal == SHOWN:
            return ends
        table = self.game.histories
        up = table.parent[self.ends]
        own = table.player[up] == self.seat
        last = np.where(own | self._moves_are_public, self._last_name, -1)
        taken = self.game.sequences[self.seat][self.ends]
        label = _numbered(table.info[self.seat][up], taken, last, table.utility[self.ends])
        if self.reveal == SHOWDOWN:
            label = np.where(self.shown_down, label.max() + 1 + ends, label)
        return _numbered(label)

    @cached_property
    def shown_down(self) -> Flags:
        """(T,) whether what is hidden decides the result."""
        table = self.game.histories
        up = table.parent[self.ends]
        line = _numbered(self.game.public[0][table.info[0][up]], self._last_name)
        least, most = np.full(line.max() + 1, np.inf), np.full(line.max() + 1, -np.inf)
        np.minimum.at(least, line, table.utility[self.ends])
        np.maximum.at(most, line, table.utility[self.ends])
        return np.asarray(most[line] > least[line])

    @cached_property
    def groups(self) -> Grouped:
        """The ends, as places in `ends`, by their label."""
        return Grouped.by(self.label.astype(np.int32), int(self.label.max()) + 1)

    def like(self, end: int) -> I64:
        """(n,) the ends (histories) that the seat cannot tell from this one."""
        return self.ends[self.groups.of(int(self.label[int(np.searchsorted(self.ends, end))]))]

    def ends_of(self, hand: Any) -> I64:
        """(n,) the ends (histories) that a hand may have had, as the seat sees it. hand: as of `consistent_ends`, with its
        `game`; what it hides stays hidden, whatever is revealed."""
        if is_other_game(hand.game, self.game.name):
            raise InputError(f"this is a hand of {quoted(hand.game)}, and one of {self.game.name} is needed")
        ends = consistent_ends(self.game, hand)
        return ends if self.reveal == SHOWN or len(ends) > 1 else self.like(int(ends[0]))

    def observed_moves(self, end: int) -> tuple[Move, ...]:
        """The moves of a hand with this end (a history), with None for those that the seat cannot know."""
        paths = [self._moves(other) for other in self.like(end).tolist()]
        known = [len({path[k : k + 1] for path in paths}) == 1 for k in range(len(paths[0]))]
        mine = self._moves(end)
        return tuple((who, name if same else None) for (who, name), same in zip(mine, known, strict=False))

    def _moves(self, end: int) -> Sequence[Move]:
        table, found = self.game.histories, list[Move]()
        way = [end]
        while (up := int(table.parent[way[-1]])) >= 0:
            way.append(up)
        for up, down in zip(way[::-1], way[-2::-1], strict=False):
            found.append((int(table.player[up]), action_names(self.game, up)[int(table.action[down])]))
        return tuple(found)

    @cached_property
    def _last_name(self) -> I64:
        """(T,) a number of the name of the last action; -1 where chance acts last."""
        table, numbers = self.game.histories, dict[str, int]()
        found = np.full(len(self.ends), -1, np.int64)
        for i, end in enumerate(self.ends.tolist()):
            up = int(table.parent[end])
            if up >= 0 and table.player[up] < 2:
                name = action_names(self.game, up)[int(table.action[end])]
                found[i] = numbers.setdefault(name, len(numbers))
        return found

    @cached_property
    def _moves_are_public(self) -> bool:
        """Return whether the seat always learns what the other player has done before the hand goes on."""
        table = self.game.histories
        inner = np.flatnonzero((table.player != TERMINAL) & (table.parent >= 0))
        inner = inner[table.player[table.parent[inner]] == 1 - self.seat]
        if not len(inner):
            return True
        pairs = _numbered(table.parent[inner], table.info[self.seat][inner])
        return int(pairs.max()) + 1 == len(inner)


def _numbered(*columns: NDArray[np.generic]) -> I64:
    """(n,) a number from 0 on for each different row of some columns (n,)."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        inner = np.unique(column, return_inverse=True)[1].astype(np.int64)
        number = np.unique(number * (int(inner.max(initial=0)) + 1) + inner, return_inverse=True)[1].astype(np.int64)
    return number


SELDOM = (1.0, 10.0)
"""Expected visits below which an infoset's actions are bounded and not estimated; the narrower interval counts."""
_SOFT = 0.05
"""The share of uniform play in the model that variances are computed with."""
_RIDGE = 1e-3
"""Observations of the model at an infoset that the weights allow for, so that there is a solution."""
_ACCURACY, _ROUNDS = 1e-5, 500


@dataclass(frozen=True, eq=False)
class HandWeights:
    """Weights that estimate a bound of a response's value from hands. weight: (observations,) of a hand with each
    observation, in chips of the responder. rest: chips that must be added for the bound to hold against every opponent.
    error: standard error of the mean as the model expects it."""

    weight: F64
    rest: float
    error: float

    def estimate(self, hands: F64) -> tuple[float, float, float]:
        """The bound, its standard error, and the effective number of hands. hands: (observations,) how often each was
        made, independent of the weights."""
        total = float(hands.sum())
        mean = float(hands @ self.weight) / total
        off = self.weight - mean
        squares = float(hands @ off**2)
        effective = float(hands @ np.abs(off)) ** 2 / squares if squares > 0.0 else total
        return mean + self.rest, max(squares**0.5 / total, self.error), effective


@dataclass(frozen=True, eq=False)
class SeatObservations:
    """The observations that a seat can make of another player's hands: sets of ends that partition all ends. seat: the
    observed player's. sight: of the other seat; its labels are the observations."""

    game: GameTree
    seat: int
    sight: TerminalInfosets

    @cached_property
    def count(self) -> int:
        return int(self.sight.label.max()) + 1

    @cached_property
    def _own(self) -> I64:
        """(observations,) the last own sequence; by perfect recall the ends of an observation have one in common."""
        found = np.zeros(self.count, np.int64)
        found[self.sight.label] = self.game.sequences[1 - self.seat][self.sight.ends]
        return found

    @cached_property
    def _likelihoods(self) -> Any:
        """(observations, size) sparse: probability of each observation but for the own plan, by the player's sequence."""
        from scipy.sparse import csr_array

        ends, tree = self.sight.ends, self.game.trees[self.seat]
        entries = self.sight.label, self.game.sequences[self.seat][ends]
        return csr_array((self.game.histories.reach[ends], entries), shape=(self.count, tree.size))

    def own_plan(self, hands: F64) -> F64:
        """(observations,) the probability of the own actions in each, from their frequencies in hands (observations,)."""
        tree = self.game.trees[1 - self.seat]
        seen, times = visits(tree, np.bincount(self._own, hands, tree.size).astype(np.float64))
        behaviour, inner = tree.uniform(), np.flatnonzero(tree.owner >= 0)
        behaviour[inner] = seen[inner] / np.maximum(times[tree.owner[inner]], 1.0)
        return reach(tree, behaviour)[self._own]

    def values_by_sequence(self, response: Strategy) -> F64:
        """(size,) chips that a response wins at each sequence of the player: g, in coefficients of the plan."""
        return -np.asarray(self.game.payoff.product(self.seat, response.plan), np.float64)

    def weights(self, chips: F64, model: F64, own: F64, hands: float) -> tuple[HandWeights, HandWeights]:
        """Weights for the bounds of a response's value from below and from above. chips: (size,) as of
        `values_by_sequence`. model: (size,) behaviour of the player, from hands that will not be weighted. own:
        (observations,) as of `own_plan`. hands: number of those that will be weighted."""
        tree = self.game.trees[self.seat]
        behaviour = (1.0 - _SOFT) * model + _SOFT * tree.uniform()
        fit = _Fit(self, tree, behaviour, own, hands)
        bounds = [
            [(sign, fit.weights(_bounded(tree, chips, fit.visits >= seldom, sign), sign)) for seldom in SELDOM]
            for sign in (-1, 1)
        ]
        low, high = (min(found, key=lambda one: fit.width(*one))[1] for found in bounds)
        return low, high


def classes_of_hands(game: GameTree, seat: int, hands: list[I64]) -> tuple[SeatObservations, I64] | None:
    """The finest observations in which each hand (its possible ends) is one, and the numbers of the hands' (n,); None if
    some hand hides own cards, own actions or its result.

    Cards that only some hands show, by choice, are so left out: they are no function of how the hand went."""
    for reveal in REVEALS:
        sight = TerminalInfosets(game, 1 - seat, reveal)
        labels = [sight.label[np.searchsorted(sight.ends, ends)] for ends in hands]
        if all((one == one[0]).all() for one in labels):
            return SeatObservations(game, seat, sight), np.array([one[0] for one in labels], np.int64)
    return None


def span_of(tree: Treeplex, chips: F64) -> tuple[float, float]:
    """The least and the largest value of coefficients (size,) over all plans."""
    low, high = -chips, chips.copy()
    for one in (low, high):
        best_cfvs(tree.arrays.groups, tree.arrays.parent, one)
    return -float(low[0]), float(high[0])


def _bounded(tree: Treeplex, chips: F64, seen: Flags, sign: int) -> F64:
    """(size,) coefficients in which infosets that are not seen (lanes,) have their best (sign 1) or worst continuation."""
    found = chips.copy()
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        # (actions, infosets) of a group; infosets are lanes from `lane`.
        rows = found[offset : offset + n * width].reshape(n, width)[:, :count]
        hidden = ~seen[lane : lane + count]
        best = sign * (sign * rows).max(axis=0)
        np.add.at(found, tree.arrays.parent[lane : lane + count][hidden], best[hidden])
        rows[:, hidden] = 0.0
    return found


class _Fit:
    """The least squares that weights solve, at a behaviour of the player.

    Unknown are the player's deviations from the behaviour, decision by decision. In coordinates of unit variance (`_root`,
    then `_plan_change`) the estimate is a ridge regression on the observations, whose hat row is the weights."""

    def __init__(self, classes: SeatObservations, tree: Treeplex, behaviour: F64, own: F64, hands: float) -> None:
        self.tree, self.behaviour, self.own, self.hands = tree, behaviour, own, hands
        self.plan, self.likelihoods = reach(tree, behaviour), classes._likelihoods
        self.transposed = self.likelihoods.T.tocsr()
        self.odds = own * (self.likelihoods @ self.plan)
        with np.errstate(divide="ignore"):
            self.scale = np.where(self.odds > 0.0, np.sqrt(hands / self.odds), 0.0)
        self.visits = visits(tree, hands * (self.transposed @ own) * self.plan)[1]
        self.inner = np.flatnonzero(tree.owner >= 0)

    def width(self, sign: int, found: HandWeights) -> float:
        """The distance of a bound from the middle that the model expects, with its error."""
        return sign * (float(self.odds @ found.weight) + found.rest) + 2.0 * found.error

    def weights(self, chips: F64, sign: int) -> HandWeights:
        """Those for the bound with coefficients chips (size,)."""
        middle = float(chips @ self.plan)
        weight = middle + self.scale * self._rows(self._solution(self._transposed(chips)))
        least, most = span_of(self.tree, chips - self.transposed @ (self.own * weight))
        error = (float(self.odds @ (weight - middle) ** 2) / self.hands) ** 0.5
        return HandWeights(weight, most if sign > 0 else least, error)

    def _solution(self, right: F64) -> F64:
        """(size,) the solution of the normal equations, by conjugate gradients; any weights are valid, these are good."""
        from scipy.sparse.linalg import LinearOperator, cg

        def normal(at: F64) -> F64:
            return at + self._transposed(self.transposed @ (self.scale * self.own * self._rows(at)))

        operator = LinearOperator((len(right), len(right)), normal, dtype=np.float64)
        return cg(operator, right, rtol=_ACCURACY, maxiter=_ROUNDS)[0]  # type: ignore[no-any-return]

    def _rows(self, at: F64) -> F64:
        return self.scale * self.own * (self.likelihoods @ self._plan_change(self._root(at)))  # type: ignore[no-any-return]

    def _root(self, at: F64) -> F64:
        """Changes of the behaviour (size,): the root of the covariance of a Dirichlet distribution at each infoset."""
        tree, inner = self.tree, self.inner
        share, found = np.sqrt(self.behaviour[inner] / _RIDGE), np.zeros(tree.size)
        sums = np.bincount(tree.owner[inner], share * at[inner], tree.lanes)
        found[inner] = share * at[inner] - self.behaviour[inner] * sums[tree.owner[inner]]
        return found

    def _plan_change(self, change: F64) -> F64:
        """(size,) the change of the plan, in first order, by changes of the behaviour (size,)."""
        tree, found = self.tree, np.zeros(self.tree.size)
        for offset, width, n, lane, count in tree.arrays.groups.tolist():
            above = tree.arrays.parent[lane : lane + count]
            block = slice(offset, offset + n * width)
            rows = found[block].reshape(n, width)[:, :count]
            rows += found[above] * self.behaviour[block].reshape(n, width)[:, :count]
            rows += self.plan[above] * change[block].reshape(n, width)[:, :count]
        return found

    def _transposed(self, chips: F64) -> F64:
        """(size,) the transpose of `_plan_change` after `_root`, of coefficients chips (size,)."""
        tree, inner = self.tree, self.inner
        below = values(tree, self.behaviour, chips)
        rates = self.plan[tree.arrays.parent[tree.owner[inner]]] * below[inner]
        mean = np.bincount(tree.owner[inner], self.behaviour[inner] * rates, tree.lanes)
        found = np.zeros(tree.size)
        found[inner] = np.sqrt(self.behaviour[inner] / _RIDGE) * (rates - mean[tree.owner[inner]])
        return found
