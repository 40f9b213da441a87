"""Kubíček et al. 2026, section 8.1 and figures 4, 20 and 21: nested depth-limited solving, technique against technique.

The paper plays Goofspiel 7 and Liar's dice 2x4 with ten learned value functions and prints win rates as pictures. A value
function here is a portfolio of ten strategies: the average after some iterations of CFR, and nine shuffles of it; its values
at a limit are exact. The blueprint of a look-ahead is the solution of the one before it. Results are expectations, not means
over drawn games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from statistics import fmean
from time import process_time
from typing import Any

import numpy as np

from counterplay import Equilibrium, LookAhead, Portfolio, Resolve, Stop, Strategy, opponent, solve
from counterplay.arrays import F64
from counterplay.intervals import half_interval
from counterplay.lookahead.search import PER_STATE, Search
from counterplay.lookahead.tremble import NONE
from counterplay.responses.matchup import Matchup
from counterplay.solvers.best_response import best_response
from counterplay.work.run_work import WorkRecipe
from counterplay_papers.experiment import (
    KUBICEK_2026,
    AnyCell,
    Cell,
    Experiment,
    LongPieces,
    Reference,
    Summary,
    follows,
    grid,
)  # fmt: skip
from counterplay_papers.public_walk import PublicWalk, WholePortfolio
from counterplay_papers.reproductions.kubicek_2026_blueprints import SAFE, TECHNIQUES
from counterplay_papers.responses import game

_EPSILON, _STRATEGIES, _SHUFFLED = 2e-2, 10, 0.5
SEATS = (0, 1)
Wins = Mapping[tuple[str, str], float]
"""Chips of player 0 for each pair of techniques, of seats 0 and 1."""


@dataclass(frozen=True)
class NestedGame:
    """A game. name: in rows. spec: to load."""

    name: str
    spec: str


@dataclass(frozen=True)
class TechniqueResults:
    """Results of techniques against each other; means over value functions.

    Attributes:
        wins: of the pairs.
        worst: of each technique, the mean of both seats against the one that wins most from it, in chips.
        margins: half of the 95 % interval of each `worst`, over value functions; 0 for a single one.
    """

    wins: Wins
    worst: Mapping[str, float]
    margins: Mapping[str, float]

    @staticmethod
    def of(tables: Sequence[Wins]) -> TechniqueResults:
        """Those of some value functions."""
        wins = {pair: fmean(one[pair] for one in tables) for pair in tables[0]}
        apart = [_worst(one) for one in tables]
        return TechniqueResults(
            wins, _worst(wins), {name: _margin([one[name] for one in apart]) for name in TECHNIQUES}
        )


def _worst(wins: Wins) -> dict[str, float]:
    return {
        name: min(0.5 * (wins[name, other] - wins[other, name]) for other in TECHNIQUES if other != name)
        for name in TECHNIQUES
    }


def _margin(numbers: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean, by Student's t; 0 for a single number."""
    count = len(numbers)
    return half_interval(float(np.std(numbers, ddof=1)) / float(np.sqrt(count)), count) if count > 1 else 0.0


Compute = Callable[[Any], float]
"""A number of results."""
Row = tuple[str, str, Reference | None, Compute]
"""Row, column, the reference and our number."""


def _technique_rows(name: str, *, exploitable: bool = False) -> list[Row]:
    """A row for each technique in a game: its worst result, its exploitability, and its wins as player 0 from each."""
    made: list[Row] = []
    for one in TECHNIQUES:
        columns = {"worst": partial(_entry, "worst", one), "±": partial(_entry, "margins", one)}
        if exploitable:
            columns["exploitability"] = partial(_entry, "exploitability", one)
        columns |= {f"against {two}": partial(_entry, "wins", (one, two)) for two in TECHNIQUES}
        made += [(f"{name}, {one}", column, None, compute) for column, compute in columns.items()]
    return made


def _entry(name: str, key: Any, found: Any) -> float:
    return float(getattr(found, name)[key])


def _claim_rows(name: str) -> list[Row]:
    """The three claims: of Liar's dice the paper says the opposite about unsafe and max-margin."""
    sign, claim = 1.0 if name.startswith("goofspiel") else -1.0, f"{name}, claim"
    return [
        (claim, "a prior is no worse (%)", follows(100.0), _prior_helps),
        (claim, "sign of unsafe less the best max-margin", follows(sign), _unsafe_leads),
        (claim, "rank of resolving blueprint", None, _rank),
    ]


def _prior_helps(found: TechniqueResults) -> float:
    """The share of safe techniques with a prior whose worst result is no less than without one."""
    pairs = [(found.worst[name], found.worst[name.split()[0]]) for name in SAFE if " " in name]
    return 100.0 * sum(mine >= plain - 1e-6 for mine, plain in pairs) / len(pairs)


def _unsafe_leads(found: TechniqueResults) -> float:
    best = max(worst for name, worst in found.worst.items() if name.startswith("max-margin"))
    return 1.0 if found.worst["unsafe"] > best else -1.0


def _rank(found: TechniqueResults) -> float:
    """From 1, by the worst result."""
    return 1.0 + sum(found.worst[name] > found.worst["resolving blueprint"] + 1e-9 for name in TECHNIQUES)


def game_of_key(key: str) -> str:
    """The name of the game of a piece, with which the rows that need it begin."""
    return key.split(" | ")[0]


def portfolio(number: int) -> Portfolio:
    """The value function of a number, from 0."""
    base = f"cfr:{10 + 10 * number}"
    shuffled = [f"shuffle:{_SHUFFLED},{_STRATEGIES * number + one}:{base}" for one in range(1, _STRATEGIES)]
    return Portfolio(((base, *shuffled), (base, *shuffled)))


def nested_look(technique: str, leaf: Portfolio) -> LookAhead:
    """The look-ahead of every decision."""
    gadget, prior = TECHNIQUES[technique]
    epsilon = None if prior == NONE else _EPSILON
    return LookAhead(1, leaf=leaf, gadget=gadget, prior=prior, epsilon=epsilon, solve=PER_STATE)


@dataclass(frozen=True)
class TechniqueWork(WorkRecipe):
    """Pieces of several value functions, the number of which is no part of the identity.

    Attributes:
        games: of the pieces.
        value_functions: their number.
    """

    games: tuple[Any, ...]
    value_functions: int

    def keys_of(self, one: Any, number: int) -> list[str]:
        """The pieces of a value function of a game."""
        raise NotImplementedError

    def compute(self, key: str) -> Any:
        """Of one piece."""
        raise NotImplementedError

    def results(self, one: Any, numbers: Sequence[int], pieces: Mapping[str, Any]) -> TechniqueResults:
        """Those of some value functions whose pieces are there."""
        raise NotImplementedError

    def keys(self) -> Sequence[str]:
        return [
            key for number in range(self.value_functions) for one in self.games for key in self.keys_of(one, number)
        ]

    def complete(self, one: Any, pieces: Mapping[str, Any]) -> list[int]:
        """The value functions of a game that all pieces are there of."""
        numbers = range(self.value_functions)
        return [number for number in numbers if all(key in pieces for key in self.keys_of(one, number))]


@dataclass(frozen=True)
class NestedWork(TechniqueWork):
    """The strategies of all techniques in both seats; every public state is solved, by CFR+ with so many iterations."""

    iterations: int

    def identity(self) -> Mapping[str, Any]:
        return {"nested": [one.spec for one in self.games], "iterations": self.iterations, "epsilon": _EPSILON}

    def keys_of(self, one: NestedGame, number: int) -> list[str]:
        return [key_of(one, number, technique, seat) for technique in TECHNIQUES for seat in SEATS]

    def compute(self, key: str) -> F64:
        """(own size,) the behaviour."""
        name, number, technique, seat = key.split(" | ")
        spec = next(one.spec for one in self.games if one.name == name)
        return nested_strategy(spec, int(number.split()[-1]), technique, int(seat.split()[-1]), self.iterations)

    def results(self, one: NestedGame, numbers: Sequence[int], pieces: Mapping[str, Any]) -> NestedResults:
        return nested_results(one, numbers, pieces)


def key_of(one: NestedGame, number: int, technique: str, seat: int) -> str:
    """The key of a strategy."""
    return f"{one.name} | value function {number} | {technique} | seat {seat}"


def nested_strategy(spec: str, number: int, technique: str, seat: int, iterations: int) -> F64:
    """(own size,) the behaviour of a player who solves every decision with limit 1."""
    tree, look = game(spec), nested_look(technique, portfolio(number))
    unused = opponent(tree, "uniform", player=1 - seat)  # p is 0: there is no model
    pair = Matchup(tree, unused, solver="cfr+", stop=Stop(iterations=iterations))
    found = pair.depth_limited(Resolve(look=look), 0.0)
    if found.interrupted or found.behaviour is None:
        raise KeyboardInterrupt
    return np.asarray(found.behaviour)


@dataclass(frozen=True)
class NestedResults(TechniqueResults):
    """Results of whole strategies. exploitability: of each technique, the mean of both seats, in chips."""

    exploitability: Mapping[str, float]


def nested_results(one: NestedGame, numbers: Sequence[int], pieces: Mapping[str, Any]) -> NestedResults:
    """The results of some value functions whose pieces are there."""
    each = [_results(one, number, pieces) for number in numbers]
    risks = {name: fmean(losses[name] for _, losses in each) for name in TECHNIQUES}
    return NestedResults(**vars(TechniqueResults.of([wins for wins, _ in each])), exploitability=risks)


def _results(one: NestedGame, number: int, pieces: Mapping[str, Any]) -> tuple[Wins, dict[str, float]]:
    tree = game(one.spec)
    plans = {
        (name, seat): Strategy(tree.trees[seat], np.asarray(pieces[key_of(one, number, name, seat)])).plan
        for name in TECHNIQUES
        for seat in SEATS
    }
    wins: dict[tuple[str, str], float] = {}
    losses = dict.fromkeys(TECHNIQUES, 0.0)
    for name in TECHNIQUES:
        worth = tree.subgame.leaves.product(0, plans[name, 1])
        wins |= {(first, name): float(plans[first, 0] @ worth) for first in TECHNIQUES}
        # The value of the game cancels in the mean of both seats.
        losses[name] = fmean(best_response(tree.subgame, 1 - seat, plans[name, seat]).value for seat in SEATS)
    return wins, losses


_NESTED = NestedWork(
    (NestedGame("goofspiel 5", "goofspiel:5,win"), NestedGame("liar's dice 1x5", "liars_dice:1,5")), 10, 3000
)
_NESTED_QUICK = NestedWork(
    (NestedGame("goofspiel 4", "goofspiel:4,win"), NestedGame("liar's dice 1x3", "liars_dice:1,3")), 1, 100
)
_SOLVED = {"liar's dice 2x4": ("liars_dice:2,4", "dcfr", 5e-5), "goofspiel 7": ("goofspiel:7,win", "pdcfr+", 5e-4)}
"""Game, minimiser and exploitability, which is half of NashConv."""
_PIECE_SECONDS = 7.5
"""Of CPU for a piece on the average, as measured."""


def ggse_nested() -> Experiment:
    """Values of the paper's games, solved to a small NashConv; the small games of `--quick`; then the techniques where every
    public state can be solved.

    In Goofspiel 5 by win and loss and Liar's dice 1x5 results have no error of sampling, and exploitability is known. Ten
    value functions take about 35 minutes of one core; each counts as soon as it is complete.
    """
    solved: dict[str, Callable[[Equilibrium], float]] = {
        "value": lambda found: found.value, "NashConv": lambda found: 2.0 * found.exploitability,
    }  # fmt: skip
    cells: list[AnyCell] = [*grid(_SOLVED, solved, lambda asked, part: part(_equilibrium(*asked)), True)]
    dice = "liar's dice 2x4"
    reason = "the paper did not measure it; by its own rules it is positive (docs/errata.md)"
    sign = partial(_sign, *_SOLVED[dice])
    cells.append(Cell(dice, "sign of the value", follows(-1.0), True, sign, reason))

    def rows(one: NestedGame) -> list[Row]:
        return [*_technique_rows(one.name, exploitable=True), *_claim_rows(one.name)]

    other = "smaller games, and value functions made otherwise, than in the paper"
    cells += [*_small_cells(_NESTED_QUICK, rows), *_large_cells(_NESTED, rows, other)]
    title = "techniques in nested solving with limit 1: results against each other and exploitability (chips)"
    long = LongPieces(lambda: _NESTED, rows_of=game_of_key, seconds=lambda _: _PIECE_SECONDS)
    return Experiment("ggse-nested", title, _SOURCE, 4, cells, measure="chips", long_pieces=long)


_SOURCE = f"{KUBICEK_2026}, figures 4, 20 and 21"


def _small_cells(work: TechniqueWork, rows: Callable[[Any], list[Row]]) -> list[Cell]:
    """Rows of the games of `--quick`, which are not the paper's and have no references."""
    cells = []
    for one in work.games:
        known: list[TechniqueResults] = []
        for row, column, _, compute in rows(one):
            cells.append(
                Cell(row, column, None, False, partial(_of_small, replace(work, games=(one,)), known, compute))
            )
    return cells


def _of_small(work: TechniqueWork, known: list[TechniqueResults], compute: Compute) -> float:
    if not known:
        known.append(work.results(work.games[0], [0], {key: work.compute(key) for key in list(work.keys())}))
    return compute(known[0])


def _large_cells(work: TechniqueWork, rows: Callable[[Any], list[Row]], reason: str) -> list[Summary]:
    """Rows of the games of long work: of the value functions that are complete, and how many they are."""
    cells = []
    for one in work.games:
        cells.append(Summary(one.name, "value functions", None, partial(_count, work, one)))
        known: dict[str, Any] = {}
        for row, column, reference, compute in rows(one):
            cells.append(Summary(row, column, reference, partial(_of_large, work, one, known, compute), reason))
    return cells


def _count(work: TechniqueWork, one: NestedGame, pieces: Mapping[str, Any]) -> float | None:
    return float(len(work.complete(one, pieces))) or None


def _of_large(
    work: TechniqueWork, one: NestedGame, known: dict[str, Any], compute: Compute, pieces: Mapping[str, Any]
) -> float | None:
    """known: the pieces that the game was last measured from, and its results, which every summary asks for."""
    if known.get("pieces") is not pieces:
        numbers = work.complete(one, pieces)
        known |= {"pieces": pieces, "results": work.results(one, numbers, pieces) if numbers else None}
    return None if known["results"] is None else compute(known["results"])


@cache
def _equilibrium(spec: str, minimiser: str, fine: float) -> Equilibrium:
    found: Equilibrium = solve(game(spec), solver=minimiser, stop=Stop(exploitability=fine))
    return found


def _sign(spec: str, minimiser: str, fine: float) -> float:
    """Of the value, which lies within NashConv."""
    found = _equilibrium(spec, minimiser, fine)
    return 0.0 if abs(found.value) <= 2.0 * found.exploitability else (1.0 if found.value > 0.0 else -1.0)


@dataclass(frozen=True)
class MatchGame(NestedGame):
    """A larger game.

    Attributes:
        parts: pieces of a value function, between which the first public events are shared out.
        least: the probability from which on a public state is solved.
        iterations, solver: of each look-ahead.
    """

    parts: int
    least: float
    iterations: int
    solver: str = "cfr+"


@dataclass(frozen=True)
class MatchWork(TechniqueWork):
    """All techniques against all."""

    def identity(self) -> Mapping[str, Any]:
        return {"nested matches": [[one.spec, one.parts, one.least, one.iterations, one.solver] for one in self.games]}

    def keys(self) -> Sequence[str]:
        """Game by game."""
        numbers = range(self.value_functions)
        return [key for one in self.games for number in numbers for key in self.keys_of(one, number)]

    def keys_of(self, one: MatchGame, number: int) -> list[str]:
        return [f"{one.name} | value function {number} | part {part}" for part in range(one.parts)]

    def results(self, one: MatchGame, numbers: Sequence[int], pieces: Mapping[str, Any]) -> MatchResults:
        return match_results([[pieces[key] for key in self.keys_of(one, number)] for number in numbers])

    def compute(self, key: str) -> dict[str, Any]:
        """`wins`, `unsolved`, `solved` and `gap` of a `PublicWalk`, and `seconds` of CPU."""
        name, number, part = key.split(" | ")
        one = next(one for one in self.games if one.name == name)
        begin = process_time()
        walk = walk_of(one, whole_portfolio(one.spec, int(number.split()[-1])))
        walk.play(int(part.split()[-1]))
        seconds = process_time() - begin
        return {
            "wins": walk.wins, "unsolved": walk.unsolved, "solved": walk.solved, "gap": walk.gap, "seconds": seconds
        }  # fmt: skip


@lru_cache(maxsize=1)
def whole_portfolio(spec: str, number: int) -> WholePortfolio:
    """A value function, with its strategies in the whole game."""
    tree, texts = game(spec), portfolio(number)
    own = tuple(texts.strategies(tree, player) for player in (0, 1))
    return WholePortfolio((own[0], own[1]), whole=tree)


def walk_of(one: MatchGame, values: WholePortfolio) -> PublicWalk:
    """The walk of all techniques through a game."""
    stop = Stop(iterations=one.iterations)
    searches = [Search(nested_look(name, values), solver=one.solver, stop=stop) for name in TECHNIQUES]
    return PublicWalk(values, searches, one.least, one.parts)


@dataclass(frozen=True)
class MatchResults(TechniqueResults):
    """Results of a walk.

    Attributes:
        unsolved: the largest probability, over pairs, that one of them comes where they play the base.
        solved: look-aheads of a value function.
        gap: the largest gap of a solution, in chips.
        seconds: of CPU of a value function.
    """

    unsolved: float
    solved: float
    gap: float
    seconds: float


def match_results(pieces: Sequence[Sequence[Mapping[str, Any]]]) -> MatchResults:
    """The results of some value functions, each by the pieces of its parts."""
    wins = [np.asarray(sum(np.asarray(part["wins"]) for part in parts)) for parts in pieces]
    names = list(enumerate(TECHNIQUES))
    results = TechniqueResults.of([{(a, b): float(one[i, j]) for i, a in names for j, b in names} for one in wins])
    unsolved = max(float(np.max(sum(np.asarray(part["unsolved"]) for part in parts))) for parts in pieces)
    solved, seconds = (fmean(sum(part[what] for part in parts) for parts in pieces) for what in ("solved", "seconds"))
    gap = max(float(part["gap"]) for parts in pieces for part in parts)
    return MatchResults(**vars(results), unsolved=unsolved, solved=solved, gap=gap, seconds=seconds)


_SINGLE = "cfr+:single"
"""In float32 look-aheads take half of the time; gaps are measured in float64."""
_DICE = MatchGame("liar's dice 2x4", "liars_dice:2,4", 1, 0.02, 3000, _SINGLE)
_GOOFSPIEL = MatchGame("goofspiel 7", "goofspiel:7,win", 3, 0.15, 3000, _SINGLE)
"""Its public states are large: from the fourth bids on a look-ahead begins with 4,000 to 16,000 histories."""
_MATCHES = MatchWork((_DICE, _GOOFSPIEL), 10)
_MATCHES_QUICK = MatchWork(
    (
        MatchGame("goofspiel 4", "goofspiel:4,win", 1, 0.1, 50),
        MatchGame("liar's dice 1x3", "liars_dice:1,3", 1, 0.1, 50),
    ),
    1,
)
_SECONDS = {_DICE.name: 432.0 / _DICE.parts, _GOOFSPIEL.name: 343.0 / _GOOFSPIEL.parts}
"""Of CPU for a piece, as measured."""


def ggse_matches() -> Experiment:
    """Games that are solved as a whole for `--quick`, then those of the paper.

    Public states that a pair of techniques hardly ever comes to are not solved. Ten value functions take hours; each counts
    as soon as it is complete.
    """
    facts: dict[str, Compute] = {"unsolved": lambda found: found.unsolved, "look-aheads": lambda found: found.solved}
    timed: dict[str, Compute] = {**facts, "gap": lambda found: found.gap, "CPU s": lambda found: found.seconds}

    def small(one: MatchGame) -> list[Row]:
        return [*((one.name, what, None, compute) for what, compute in facts.items()), *_technique_rows(one.name)]

    def large(one: MatchGame) -> list[Row]:
        told = ((one.name, what, None, compute) for what, compute in timed.items())
        return [*told, *_technique_rows(one.name), *_claim_rows(one.name)]

    other = "value functions made otherwise than in the paper"
    cells: list[AnyCell] = [*_small_cells(_MATCHES_QUICK, small), *_large_cells(_MATCHES, large, other)]
    title = "techniques in nested solving with limit 1: results against each other (chips)"
    long = LongPieces(lambda: _MATCHES, rows_of=game_of_key, seconds=lambda key: _SECONDS[game_of_key(key)])
    return Experiment("ggse-matches", title, _SOURCE, 4, cells, measure="chips", long_pieces=long)
