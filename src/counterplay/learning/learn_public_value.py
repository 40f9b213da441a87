"""Learning values by the rules' numbers of public states, of a game that need not be in memory.

Public states come from drawn paths. Where the game below is small it is solved to its end. A round looks ahead over the
network so far: at the ranges that a look-ahead asks for at its limit small games are solved, too, and where the game below
is large, the look-ahead's own values are samples (Brown et al. 2020 learn values by look-aheads in the same way).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.games import make_game
from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.histories import TooLargeError
from counterplay.gametree.compile.levels import Depth
from counterplay.gametree.compile.load import END, expand_within, only_root
from counterplay.learning.learn_value import (
    LearnedValue,
    Ranges,
    RecordedValue,
    ValueSamples,
    draw_played,
    draw_with_holes,
    fit_values,
    solve_samples,
)
from counterplay.learning.recipe import Fitted, Piece, Recipe, learn, random_of
from counterplay.learning.settings import ValueSettings, solved_by
from counterplay.learning.torch_layers import Watch
from counterplay.lookahead.leaf_error import claim_errors
from counterplay.lookahead.step import value_leaves
from counterplay.networks.network import Network
from counterplay.networks.value_network import PublicNetwork, described_rules, public_rows
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_game import Border, CutGame, build_gadget_game
from counterplay.treeplex.sweeps import best
from counterplay.value_functions.leaf_value import Evaluate, ValueFunction

_PATH = 20_000_000
"""Histories by which a step along a path may grow the game."""


class PublicPlace(NamedTuple):
    """A public state of a partly expanded game. beside: it and its siblings at which look-aheads of the depth stop,
    which are not expanded; None if they do not stop there."""

    border: Border
    beside: Border | None


def drawn_places(rules: FastGame, depth: Depth, rng: np.random.Generator) -> Iterator[PublicPlace]:
    """The public states of one drawn path, from the root on; each next one is drawn evenly."""
    game, fresh, chosen, before = only_root(rules), np.zeros(1, np.int64), np.zeros(1, np.int64), 0
    while True:
        clock = depth.whole_clock(game)
        stop = fresh[clock[fresh] > max(before, depth.span)]
        beside = Border.at(game, stop) if np.isin(chosen, stop).all() else None
        yield PublicPlace(Border.at(game, chosen), beside)
        old, before = len(game.histories), int(clock[chosen].min())
        game = expand_within(game, chosen, 1, _PATH)
        fresh = old + np.flatnonzero(game.histories.player[old:] == LIMIT)
        if not len(fresh):
            return
        states = game.public[0][game.histories.info[0][fresh]]
        chosen = fresh[states == rng.choice(np.unique(states))]


def whole_below(border: Border, most: int) -> Border | None:
    """The border in its game with all that follows; None if that is more than `most` histories."""
    try:
        game = expand_within(border.game, border.histories, END, most)
    except TooLargeError:
        return None
    return Border.at(game, border.histories)


@dataclass(frozen=True, eq=False)
class PublicLookAhead:
    """A look-ahead from a public state, at which both players' ranges are given. problem: its game down to the limit.
    iterations: of CFR+."""

    problem: CutGame
    iterations: int

    @staticmethod
    def below(border: Border, depth: Depth, most: int, iterations: int) -> PublicLookAhead:
        """As a player's look-ahead who decides there.

        Raises:
            TooLargeError: it has more than `most` histories.
        """
        game, which = border.game, border.histories
        until, room = int(depth.clock(game)[which].max()) + depth.span, len(game.histories) + most
        while len(which := which[depth.clock(game)[which] <= until]):  # everything below whose clock is at most that
            clock = depth.clock(game)[which]
            now = which[clock == clock.min()]
            levels, old = until + 1 - int(clock.min()) if depth.levels else 1, len(game.histories)
            game = expand_within(game, now, levels, room - old)
            fresh = old + np.flatnonzero(game.histories.player[old:] == LIMIT)
            which = np.concatenate([np.setdiff1d(which, now), fresh])
        chosen = np.zeros(len(game.histories), np.bool_)
        chosen[border.histories] = True
        piece, (mine, theirs) = cut_below(game, chosen, resolver=0), [np.ones(tree.size) for tree in game.trees]
        return PublicLookAhead(build_gadget_game(piece, unsafe_entry(piece.size), mine, theirs), iterations)

    @property
    def limit(self) -> Border:
        """Where it stops; it may see to the end."""
        return self.problem.piece.limit

    def over(self, value: ValueFunction) -> Evaluate:
        """CFVs of both players' best responses at the public state, (size,) each, by ranges there."""
        problem = self.problem
        subgame = problem.subgame
        if len(self.limit.histories):
            subgame = replace(subgame, beyond=value_leaves(problem, value.at(self.limit)))
        first, second = subgame.restrictions

        def evaluate(range0: F64, range1: F64) -> tuple[F64, F64]:
            first.mix[problem.choices[0]], second.mix[problem.choices[1]] = range0, range1
            plans = solve_cfr(subgame, CFR_PLUS, Stop(iterations=self.iterations), look=False).plans
            further = subgame.beyond(*plans) if subgame.beyond else (0.0, 0.0)
            claims, free = list[F64](), np.zeros(0)
            for player, tree in enumerate(subgame.trees):
                cfv = subgame.leaves.product(player, plans[1 - player]) + further[player]
                best(tree.arrays, free, free, cfv, np.zeros(tree.size))
                claims.append(np.asarray(cfv[problem.choices[player]], np.float64))
            return claims[0], claims[1]

        return evaluate


_DRAWS, _LOOKS, _ASKED = 10, 2, 3
"""Pairs of ranges at a public state of a path; look-aheads there, and pairs that are taken from each."""
_ITERATIONS, _ROOM = 200, 500_000
"""Of a look-ahead; the most histories of one."""
_IN_VAIN = 100
"""Paths without a sample after which the search for samples ends."""
_HELD_OUT = 1_000
"""Public states with ranges that the error is measured on."""
Question = tuple[Border, Evaluate, Sequence[Ranges]]


@dataclass(frozen=True)
class PublicSettings(ValueSettings):
    """Settings of learned values where the rules describe public states. largest: histories of a game that is solved to
    its end."""

    largest: int = 20_000

    def identity(self) -> Mapping[str, Any]:
        return {"learned": "public values", **asdict(self)}


@dataclass(frozen=True)
class PublicValues(Recipe):
    """Public states along drawn paths; the look-aheads of each round replace those of the one before."""

    settings: PublicSettings
    piece: ClassVar[int] = 2_000
    asked_key: ClassVar[str] = "round {round}: {k}"
    keeps_rounds: ClassVar[bool] = False

    @property
    def depth(self) -> Depth:
        """Of the look-aheads."""
        return Depth.of(self.settings.depth)

    @property
    def rules(self) -> FastGame:
        """Of the game."""
        return described_rules(make_game(self.settings.game))

    @property
    def nothing(self) -> ValueSamples:
        numbers, width = self.rules.value_sizes
        return ValueSamples.none(2 * width, numbers)

    def draw(self, piece: Piece) -> Iterator[Question]:
        """Small public states at drawn ranges."""
        return self._along_paths(piece, self._small)

    def ask(self, piece: Piece) -> Iterator[Question]:
        """Public states at which look-aheads over the network stop, and large ones at which they begin."""
        return self._along_paths(piece, self._looked_at)

    def solve(self, question: Question) -> ValueSamples:
        return described(*question)

    def fit(self, samples: ValueSamples, epochs: int, begin: Network | None, watch: Watch | None) -> Fitted:
        return fit_values(samples, samples.targets.shape[1] // 2, self.settings, epochs, begin, watch)

    def learned(self, samples: ValueSamples, fitted: Fitted) -> PublicNetwork:
        settings, width, (network, scale) = self.settings, samples.targets.shape[1] // 2, fitted
        assert scale is not None
        numbers = samples.inputs[:, : samples.inputs.shape[1] - 2 * width]
        seen = np.stack([numbers.min(axis=0), numbers.max(axis=0)])
        about = {"seed": settings.seed, "samples": len(samples.kinds), "solver": settings.solver}
        about["rounds"] = settings.rounds if settings.asked else 0
        game = make_game(settings.game).name
        return PublicNetwork(game, settings.depth, (width, width), seen, float(scale[0]), network, about)

    def whole(self, place: PublicPlace) -> Border | None:
        """A public state with its siblings, or alone, and all that follows; None if that is too large to be solved."""
        if place.beside is None:
            return None
        together = whole_below(place.beside, self.settings.largest)
        return whole_below(place.border, self.settings.largest) if together is None else together

    def _along_paths(
        self, piece: Piece, questions: Callable[[Piece, PublicPlace], Iterable[Question]]
    ) -> Iterator[Question]:
        """The questions of drawn paths, until as many samples as are wanted are solved."""
        count, paths, rules = 0, 0, self.rules
        while count < piece.wanted and (count or paths < _IN_VAIN):
            paths += 1
            for place in drawn_places(rules, self.depth, piece.rng):
                yield from questions(piece, place)
            count = sum(len(samples.kinds) for samples in piece.solved)
        if not count:
            raise InputError(
                f"{self.settings.game}: no look-ahead of depth {self.settings.depth} stops where at most "
                f"{self.settings.largest:,} histories follow; choose another depth or a larger --largest"
            )

    def _small(self, piece: Piece, place: PublicPlace) -> Iterator[Question]:
        whole = self.whole(place)
        if whole is not None:
            yield whole, solved_by(self.settings.solver).at(whole), drawn_ranges(whole, piece.rng, _DRAWS)

    def _looked_at(self, piece: Piece, place: PublicPlace) -> Iterator[Question]:
        settings, rng, recorded = self.settings, piece.rng, RecordedValue(LearnedValue(piece.network))
        try:
            look = PublicLookAhead.below(place.border, self.depth, _ROOM, _ITERATIONS)
            if not len(look.limit.histories):
                return
            evaluate = look.over(recorded)
        except InputError:  # too large, or its limit is not learned yet
            return
        ranges = drawn_ranges(place.border, rng, _LOOKS)
        if place.beside is not None and whole_below(place.border, settings.largest) is None:
            yield place.border, evaluate, ranges
        else:
            for both in ranges:
                evaluate(*both)
        border, asked = recorded.asked[0]
        states = np.unique(border.public)
        alone = Border.at(border.game, border.histories[border.public == rng.choice(states)])
        whole = whole_below(alone, settings.largest)
        if whole is not None:
            chosen = [asked[k] for k in rng.permutation(len(asked))[: _ASKED * len(ranges)].tolist()]
            at = [np.searchsorted(border.infosets[i], alone.infosets[i]) for i in (0, 1)]
            pairs = [(range0[at[0]], range1[at[1]]) for range0, range1 in chosen]
            yield whole, solved_by(settings.solver).at(whole), pairs


def described(border: Border, evaluate: Evaluate, ranges: Sequence[Ranges]) -> ValueSamples:
    """The samples of a border at some ranges, with the rules' numbers of each public state before its ranges."""
    named = public_rows(border)
    solved = solve_samples(named.rows, evaluate, ranges)
    inputs = np.concatenate([named.numbers[solved.kinds], solved.inputs], axis=1)
    return ValueSamples(np.zeros_like(solved.kinds), inputs, solved.targets)


def drawn_ranges(border: Border, rng: np.random.Generator, count: int) -> list[Ranges]:
    """Pairs of ranges at a border, one half drawn as by random strategies and the other with holes."""
    rows = public_rows(border).rows
    return [draw_played(border, rng) if k % 2 else draw_with_holes(border, rows, rng) for k in range(count)]


def learn_public_value(settings: PublicSettings, **run: Any) -> PublicNetwork:
    """Learn the values at which look-aheads of a depth stop, in a game whose rules describe public states. run: arguments
    of `recipe.learn`."""
    return measured(settings, learn(PublicValues(settings), **run))


def measured(settings: PublicSettings, net: PublicNetwork) -> PublicNetwork:
    """The network with its errors at solved public states that it has not seen: of the larger of both players' claims, in
    chips given that the state is reached, weighted as it is reached at the drawn ranges.
    """
    recipe, rng = PublicValues(settings), random_of(settings.seed + 1, "held out")
    rules, solver, errors = recipe.rules, solved_by(settings.solver), list[tuple[Any, Any]]()
    while sum(len(weight) for weight, _ in errors) < min(_HELD_OUT, settings.samples):
        for place in drawn_places(rules, recipe.depth, rng):
            whole = recipe.whole(place)
            if whole is not None:
                values = LearnedValue(net).at(whole), solver.at(whole)
                errors += [claim_errors(whole, values, ranges) for ranges in drawn_ranges(whole, rng, 2)]
    weight, error = (np.concatenate(parts) for parts in zip(*errors, strict=True))
    likely = weight > 0.0
    figures = {
        "mean": float(error.sum() / weight.sum()),
        "worst": float((error[likely] / weight[likely]).max()),
        "held out": int(likely.sum()),
    }
    return replace(net, about={**net.about, "errors": figures})
