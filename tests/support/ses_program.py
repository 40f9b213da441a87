"""Safe exploitation search as a linear program that is built from the rules alone.

Objective (2) of Liu et al. 2022: with P the estimated probability of each of the opponent's infosets at the top of a
subgame, v what it is worth to the opponent under the blueprint, and C what it is worth by a best response to our new
strategy, both given that it is reached, SES maximises  α Σ P(I) (v(I) - C(I)) + (1 - α) min (v(I) - C(I)).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError, Resolution, resolve
from counterplay.subgames.cut import Place, subgames_at
from tests.support import witness
from tests.support.linear_program import INF, minimise
from tests.support.random_games import KINDS, Knobs, NamedRandomGame, Node, random_table

Key = tuple[Any, ...]
FEW = settings(max_examples=settings().max_examples)
OWN, REAL = "own", "real"
"""What P is in proportion to: the opponent's own reach alone, as `resolve` has it now; or times chance's and the resolver's
reach, the probability of the infoset, as the paper defines it."""


@dataclass
class Piece:
    """One subgame of a place as the rules alone show it.

    roots: its first histories, each with chance's times the resolver's reach, and the opponent's reach.
    """

    rules: Any
    seat: int
    roots: list[tuple[Any, float, float]]
    columns: dict[Key, int] = field(default_factory=dict)
    before: dict[str, Key | None] = field(default_factory=dict)
    follows: dict[str, Key] = field(default_factory=dict)
    entries: list[tuple[Key, Key | None, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for state, reach, _ in self.roots:
            self._visit(state, reach, None, ("top", self.top(state)))

    def top(self, state: Any) -> str:
        """The opponent's infoset at a root."""
        return str(self.rules.infoset(state, 1 - self.seat))

    def _visit(self, state: Any, reach: float, mine: Key | None, theirs: Key) -> None:
        """Who follows what, and the opponent's chips by sequences of both."""
        rules, who = self.rules, self.rules.player(state)
        if who == TERMINAL:
            sign = 1.0 if self.seat == 1 else -1.0
            self.entries.append((theirs, mine, sign * reach * float(rules.utility(state))))
            return
        odds = list(rules.chance(state)) if who == CHANCE else []
        infoset = str(rules.infoset(state, who)) if who != CHANCE else ""
        if who == self.seat:
            self.before[infoset] = mine
        elif who != CHANCE:
            self.follows[infoset] = theirs
        for i, action in enumerate(rules.actions(state)):
            after = rules.child(state, action)
            if who == CHANCE:
                self._visit(after, reach * odds[i], mine, theirs)
                continue
            key = (infoset, witness.name_of(rules, state, action))
            if who == self.seat:
                self.columns.setdefault(key, len(self.columns))
                self._visit(after, reach, key, theirs)
            else:
                self._visit(after, reach, mine, key)

    def weights(self) -> dict[str, float]:
        """Chance's times the resolver's reach of each of the opponent's infosets at the top."""
        found: dict[str, float] = {}
        for state, reach, _ in self.roots:
            found[self.top(state)] = found.get(self.top(state), 0.0) + reach
        return found

    def estimate(self, reading: str) -> dict[str, float]:
        """P; all 0 if the opponent never comes."""
        weights = self.weights()
        shares = {self.top(state): own for state, _, own in self.roots}
        if reading == REAL:
            shares = {name: own * weights[name] for name, own in shares.items()}
        total = sum(shares.values())
        return {name: share / total if total > 0.0 else 0.0 for name, share in shares.items()}

    def worth(self, tables: dict[int, witness.Table]) -> dict[str, float]:
        """v: chips of the opponent given each infoset at the top, when both play tables."""

        def value(state: Any) -> float:
            if self.rules.player(state) == TERMINAL:
                return float(self.rules.utility(state)) * (1.0 if self.seat == 1 else -1.0)
            return sum(p * value(after) for p, after in witness.branches(self.rules, state, tables))

        found = dict.fromkeys(self.weights(), 0.0)
        for state, reach, _ in self.roots:
            found[self.top(state)] += reach * value(state)
        return {name: found[name] / weight for name, weight in self.weights().items() if weight > 0.0}

    def plan(self, table: witness.Table) -> np.ndarray:
        """(columns,) what a table of the resolver makes of its sequences."""
        found: dict[Key | None, float] = {None: 1.0}
        for infoset, name in self.columns:  # parents come first
            found[infoset, name] = found[self.before[infoset]] * table[infoset][name]
        return np.array([found[key] for key in self.columns])


def id_of(state: Any) -> Any:
    """What tells a state from others; those of random games are the nodes of a tree, those of many games arrays."""
    if isinstance(state, Node):
        return id(state)
    return tuple(state.tolist()) if isinstance(state, np.ndarray) else state


def pieces_of(rules: Any, game: cp.GameTree, at: str, seat: int, tables: dict[int, witness.Table]) -> list[Piece]:
    """The subgames of a place. Which histories begin one is asked of the library; all else comes from the rules."""
    roots = {
        id_of(game.state(int(history))): number
        for number, piece in enumerate(subgames_at(game, Place.of(at), seat))
        for history in piece.top.histories
    }
    found: dict[int, list[tuple[Any, float, float]]] = {}

    def visit(state: Any, reach: list[float]) -> None:
        who = rules.player(state)
        if id_of(state) in roots:
            mine, theirs = reach[seat], reach[1 - seat]
            found.setdefault(roots[id_of(state)], []).append((state, reach[2] * mine, theirs))
            return
        if who == TERMINAL:
            return
        for p, after in witness.branches(rules, state, tables):
            deeper = list(reach)
            deeper[who if who in (0, 1) else 2] *= p
            visit(after, deeper)

    visit(rules.root(), [1.0, 1.0, 1.0])
    return [Piece(rules, seat, roots) for roots in found.values()]


def objective(
    piece: Piece, alpha: float, worth: dict[str, float], estimate: dict[str, float], given: np.ndarray | None = None
) -> float:
    """The most that objective (2) can be, or what it is for a given plan of the resolver, by one linear program.

    Variables: the plan x, V(J) for each infoset J of the opponent, C(I) for each at the top, and the least margin m.
    """
    weights = piece.weights()
    if not any(estimate.values()):
        alpha = 0.0
    names = [name for name, weight in weights.items() if weight > 0.0]
    n, lower = len(piece.columns), list(piece.follows)
    at = {("V", infoset): n + i for i, infoset in enumerate(lower)}
    at |= {("C", name): n + len(lower) + i for i, name in enumerate(names)}
    size = n + len(lower) + len(names) + 1
    rows: dict[Key, np.ndarray] = {}
    constant: dict[Key, float] = {}

    def row(key: Key) -> np.ndarray:  # what a sequence of the opponent is worth, at most the variable of its infoset
        if key not in rows:
            rows[key], constant[key] = np.zeros(size), 0.0
            if key[0] != "top":
                rows[key][at["V", key[0]]] = -1.0
            elif weights[key[1]] > 0.0:
                rows[key][at["C", key[1]]] = -weights[key[1]]
        return rows[key]

    for theirs, mine, chips in piece.entries:
        row(theirs)
        if mine is None:
            constant[theirs] -= chips
        else:
            rows[theirs][piece.columns[mine]] += chips
    for infoset, before in piece.follows.items():
        row(before)[at["V", infoset]] += 1.0
    for name in names:  # m + C(I) ≤ v(I)
        rows["margin", name] = np.zeros(size)
        rows["margin", name][[at["C", name], size - 1]] = 1.0
        constant["margin", name] = worth[name]
    flow = np.zeros((len(piece.before), size))
    total = np.zeros(len(piece.before))
    for i, (infoset, before) in enumerate(piece.before.items()):
        for (own, _), column in piece.columns.items():
            flow[i, column] = float(own == infoset)
        if before is None:
            total[i] = 1.0
        else:
            flow[i, piece.columns[before]] = -1.0
    cost = np.zeros(size)
    cost[size - 1] = alpha - 1.0
    for name in names:
        cost[at["C", name]] = alpha * estimate[name]
    if given is not None:
        flow, total = np.eye(n, size), given
    if alpha == 1.0:
        flow, total = np.vstack([flow, np.eye(1, size, size - 1)]), np.append(total, 0.0)
        rows = {key: row for key, row in rows.items() if key[0] != "margin"}
    low = np.where(np.arange(size) < n, 0.0, -INF)
    most = np.array([constant[key] for key in rows])
    least = minimise(cost, np.array(list(rows.values())), most, flow, total, low)[0]
    return alpha * sum(estimate[name] * worth[name] for name in names) - least


@dataclass(frozen=True)
class Case:
    """A game with a blueprint and a model as tables. seat: the resolver's."""

    rules: Any
    game: cp.GameTree
    at: str
    seat: int
    blueprint: tuple[witness.Table, witness.Table]
    model: witness.Table

    def strategies(self) -> tuple[tuple[cp.Strategy, cp.Strategy], cp.Strategy]:
        """The blueprint and the model, for the library."""
        first, second = (cp.opponent(self.game, t.__getitem__, player=i) for i, t in enumerate(self.blueprint))
        return (first, second), cp.opponent(self.game, self.model.__getitem__, player=1 - self.seat)

    def resolved(self, **settings: Any) -> Resolution:
        """What `resolve` finds, with the settings of SES also where alpha is 0."""
        blueprint, model = self.strategies()
        ses: dict[str, Any] = {"gadget": "max-margin", "normalised": True, "values": "profile", "solver": "lp"}
        return resolve(self.game, blueprint, self.at, seat=self.seat, model=model, **{**ses, **settings})

    def pieces(self) -> list[Piece]:
        """The subgames to which the resolver's blueprint comes."""
        tables = {self.seat: self.blueprint[self.seat], 1 - self.seat: self.model}
        found = pieces_of(self.rules, self.game, self.at, self.seat, tables)
        return [piece for piece in found if any(piece.weights().values())]


def check(case: Case, alpha: float, slack: float, reading: str = REAL, **settings: Any) -> None:
    """Objective (2) of what `resolve` finds is the largest that there is, in every subgame."""
    table = table_of(case.game, case.resolved(alpha=alpha, **settings).strategy)
    for piece in case.pieces():
        worth, estimate = piece.worth(dict(enumerate(case.blueprint))), piece.estimate(reading)
        best = objective(piece, alpha, worth, estimate)
        found = objective(piece, alpha, worth, estimate, piece.plan(table))
        scale = max(1.0, case.game.span)
        assert found == pytest.approx(best, abs=slack * scale)


def table_of(game: cp.GameTree, strategy: cp.Strategy) -> witness.Table:
    """A strategy of the library as a table."""
    names = witness.infosets(game.rules, strategy.player)
    known = set(strategy.tree.labels.infosets)
    return {
        infoset: strategy.probabilities(infoset) if infoset in known else dict.fromkeys(actions, 1.0)
        for infoset, actions in names.items()
    }


def random_case(seed: int) -> Case | None:
    """A random game with a blueprint and a model, or None where no subgame begins after as many moves."""
    rng = random.Random(seed)
    rules = NamedRandomGame(
        Knobs(rng.choice((3, 4, 5, 5, 6)), seed, 2, True, rng.choice(("whole", "decimal", "outcome")))
    )
    seat, at = rng.randrange(2), f"moves:{rng.choice((1, 1, 2))}"
    game = cp.load(rules)
    try:
        places = subgames_at(game, Place.of(at), seat)
    except InputError:
        return None
    if (np.sum([piece.root >= 0 for piece in places], axis=0) > 1).any():  # see the test of nested subgames
        return None
    kind = rng.choice(KINDS)
    if rng.random() < 0.6:
        both = [table_of(game, cp.opponent(game, rng.choice(("nash", "dcfr:20")), player=i)) for i in (0, 1)]
    else:
        both = [random_table(rules, i, kind, seed + i) for i in (0, 1)]
    if rng.random() < 0.4:
        model = table_of(game, cp.opponent(game, rng.choice(("nash", "noise:0.1:nash")), player=1 - seat))
    else:
        model = random_table(rules, 1 - seat, rng.choice(("mixed", "sparse")), seed + 7)
    return Case(rules, game, at, seat, (both[0], both[1]), model)


def cases(first: int, last: int) -> Iterator[tuple[int, Case]]:
    """The random cases of these seeds."""
    for seed in range(first, last):
        case = random_case(seed)
        if case is not None:
            yield seed, case


def known_case(game: cp.GameTree, at: str, seat: int, seed: int) -> Case:
    """A random blueprint and a random model in a game of the library."""
    rules: Any = game.rules
    first, second = (random_table(rules, i, "mixed", seed + i) for i in (0, 1))
    return Case(rules, game, at, seat, (first, second), random_table(rules, 1 - seat, "mixed", seed + 7))
