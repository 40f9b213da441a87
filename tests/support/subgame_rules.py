"""A second answer about a subgame: its tree from the rules alone, and dense programs over it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import counterplay as cp
from counterplay.lookahead.tremble import odds_of
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.subgames.cut import Cut
from counterplay.subgames.cut_game import CutGame
from tests.support import witness
from tests.support.blueprint_spots import signed, weights_of
from tests.support.linear_program import minimise


@dataclass
class Forest:
    """A subgame as dense matrices, from the rules: x are own sequences in it (0 the empty one), y opposing ones, the first
    `size` of them the empty ones behind each augmented infoset of the opponent. Chips of the resolver, times chance's and
    the resolver's reach."""

    piece: Cut
    blueprint: witness.Table
    weights: np.ndarray
    own: dict[Any, int] = field(default_factory=lambda: {None: 0})
    own_parent: dict[str, int] = field(default_factory=dict)
    other: dict[Any, int] = field(default_factory=dict)
    other_parent: dict[str, int] = field(default_factory=dict)
    entries: list[tuple[int, int, float]] = field(default_factory=list)

    @staticmethod
    def of(piece: Cut, mine: cp.Strategy) -> Forest:
        game, me = piece.game, piece.resolver
        total = weights_of(piece, mine).sum()  # the library solves a subgame as if it were always reached
        found = Forest(piece, mine.table(), weights_of(piece, mine) / total)
        found.other = {("top", s): s for s in range(piece.size)}
        for history, known in zip(piece.top.histories.tolist(), piece.top.known[piece.opponent].tolist(), strict=True):
            reach = game.histories.reach[history] * mine.plan[game.sequences[me][history]] / total
            found._visit(game.state(history), float(reach), 0, int(known))
        return found

    def _visit(self, state: Any, reach: float, mine: int, theirs: int) -> None:
        rules, me = self.piece.game.rules, self.piece.resolver
        who = rules.player(state)
        if who == cp.TERMINAL:
            self.entries.append((mine, theirs, reach * signed(me, float(rules.utility(state)))))
            return
        odds = list(rules.chance(state)) if who == cp.CHANCE else []
        text = rules.infoset(state, who) if who != cp.CHANCE else ""
        known, before = (self.own, self.own_parent) if who == me else (self.other, self.other_parent)
        last = mine if who == me else theirs
        if who != cp.CHANCE:
            assert before.setdefault(text, last) == last
        for i, action in enumerate(rules.actions(state)):
            after = rules.child(state, action)
            if who == cp.CHANCE:
                self._visit(after, reach * odds[i], mine, theirs)
                continue
            number = known.setdefault((text, witness.name_of(rules, state, action)), len(known))
            self._visit(after, reach, *((number, theirs) if who == me else (mine, number)))

    @property
    def payoff(self) -> np.ndarray:
        A = np.zeros((len(self.own), len(self.other)))
        for i, j, chips in self.entries:
            A[i, j] += chips
        return A

    def program(self, table: witness.Table | None) -> tuple[Any, ...]:
        """Variables: x, V(s), v(J). Inequalities G z <= 0 bound V and v; equalities are the flow, or the table."""
        n, size, infosets = len(self.own), self.piece.size, list(self.other_parent)
        column = {text: n + size + i for i, text in enumerate(infosets)}
        width = n + size + len(infosets)
        A, G = self.payoff, np.zeros((len(self.other), width))
        for key, j in self.other.items():
            G[j, :n] = -A[:, j]
            G[j, n + key[1] if key[0] == "top" else column[key[0]]] += 1.0
        for text, parent in self.other_parent.items():
            G[parent, column[text]] -= 1.0
        rows, right = [np.eye(width)[0]], [1.0]
        for text, parent in self.own_parent.items():
            row = np.zeros(width)
            row[parent] = -1.0
            for (infoset, action), i in list(self.own.items())[1:]:
                if infoset != text:
                    continue
                row[i] = 1.0
                if table is not None:
                    exact = np.zeros(width)
                    exact[i], exact[parent] = 1.0, -table[text][action]
                    rows.append(exact)
                    right.append(0.0)
            rows.append(row)
            right.append(0.0)
        return n, width, G, np.array(rows), np.array(right)

    def values(self, table: witness.Table) -> np.ndarray:
        """(size,) what the resolver gets with each infoset of the opponent who answers best, if it plays this table."""
        n, width, G, E, right = self.program(table)
        cost = np.zeros(width)
        cost[n : n + self.piece.size] = -1.0
        return self._solve(cost, G, np.zeros(len(G)), E, right)[n : n + self.piece.size]

    def _solve(self, cost: np.ndarray, G: np.ndarray, h: np.ndarray, E: np.ndarray, right: np.ndarray) -> np.ndarray:
        n = len(self.own)
        unit = max(np.abs(self.payoff).max(), 1e-300)
        scaled_G, scaled = G.copy(), h.copy()
        scaled_G[: len(self.other), :n] /= unit  # V and v are in this unit
        low = np.concatenate([np.zeros(n), np.full(len(cost) - n, -np.inf)])
        found = minimise(cost, scaled_G, scaled / unit, E, right, low)[1]
        return np.concatenate([found[:n], found[n:] * unit])

    def refined(
        self, name: str, prior: np.ndarray | None, scale: np.ndarray, trembles: float = 0.0
    ) -> tuple[float, float]:
        """The value of the gadget game, and the most that one of its equilibria has against the prior: the limit in two
        stages. With `trembles`, first the value of the game in which the opponent errs that often, and NaN."""
        size = self.piece.size
        floors = self.values(self.blueprint) * scale
        n, width, G, E, right = self.program(None)
        # More variables: u(s) <= scale V(s), u(s) <= T(s) (resolving), or g <= scale V(s) - T(s) (max-margin).
        more = size if name == "resolving" else 1
        wide = np.hstack([G, np.zeros((len(G), more))])
        extra, bound = [], []
        for s in range(size):
            row = np.zeros(width + more)
            row[n + s], row[width + (s if name == "resolving" else 0)] = -scale[s], 1.0
            if name == "resolving":
                extra.append(row)
                bound.append(0.0)
                ceiling = np.zeros(width + more)
                ceiling[width + s] = 1.0
                extra.append(ceiling)
                bound.append(floors[s])
            elif scale[s] > 0.0:
                extra.append(row)
                bound.append(-floors[s])
        if name != "resolving" and not extra:
            return 0.0, 0.0
        wide, h = np.vstack([wide, extra]), np.concatenate([np.zeros(len(G)), bound])
        E = np.hstack([E, np.zeros((len(E), more))])
        main_cost, prior_cost = np.zeros(width + more), np.zeros(width + more)
        main_cost[width:] = -1.0
        constant = 0.0
        if prior is not None:
            prior_cost[n : n + size] = -prior * scale
            constant = float((1.0 - prior) @ floors) if name == "resolving" else -float(prior @ floors)
        if trembles:
            z = self._solve((1.0 - trembles) * main_cost + trembles * prior_cost, wide, h, E, right)
            return -float((1.0 - trembles) * main_cost @ z + trembles * prior_cost @ z) + trembles * constant, np.nan
        z = self._solve(main_cost, wide, h, E, right)
        best = -float(main_cost @ z)
        if prior is None:
            return best, np.nan
        unit = max(np.abs(self.payoff).max(), 1e-300)
        kept = np.vstack([wide, main_cost])
        z = self._solve(prior_cost, kept, np.append(h, -best + 1e-11 * unit), E, right)
        return best, constant - float(prior_cost @ z)


def matched(problem: CutGame, strategy: cp.Strategy) -> np.ndarray:
    """The plan in a problem of a resolver who plays a strategy of the whole game."""
    me = problem.piece.resolver
    tree = problem.subgame.trees[me]
    return problem.subgame.restrictions[me].played(tree, problem.taken(me, strategy.behaviour))


def refinement(problem: CutGame, prior: Any, other: cp.Strategy | None = None) -> tuple[Refinement, np.ndarray]:
    """The program of a problem with a prior, and the prior's odds."""
    odds = odds_of(prior, problem.piece, problem.entry, other.plan if other else None)
    toward = problem.trembling([(1.0, odds)]).subgame.restrictions[problem.piece.opponent]
    return Refinement(problem.subgame, toward, problem.piece.resolver), odds
