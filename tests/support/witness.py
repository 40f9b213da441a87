"""Second answers: everything is computed again from the rules alone, slowly and plainly, with no line of the library.

A table maps infoset to action to probability, by their texts. Values are chips of player 0 unless a player is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay import CHANCE, TERMINAL
from tests.support.linear_program import minimise

Table = dict[str, dict[str, float]]


def name_of(game: Any, state: Any, action: Any) -> str:
    """The text of an action."""
    named = getattr(game, "action_name", None)
    return str(named(state, action)) if named else str(action)


def states(game: Any) -> list[Any]:
    """All histories, parents first."""
    found, todo = [], [game.root()]
    while todo:
        state = todo.pop()
        found.append(state)
        if game.player(state) != TERMINAL:
            todo.extend(game.child(state, action) for action in game.actions(state))
    return found


def infosets(game: Any, player: int) -> dict[str, list[str]]:
    """The texts of a player's infosets, each with those of its actions."""
    return {
        game.infoset(state, player): [name_of(game, state, action) for action in game.actions(state)]
        for state in states(game)
        if game.player(state) == player
    }


def branches(game: Any, state: Any, tables: dict[int, Table]) -> list[tuple[float, Any]]:
    """Probability and next state of every action of chance, or of a player given by a table."""
    who, actions = game.player(state), game.actions(state)
    if who == CHANCE:
        odds = list(game.chance(state))
    else:
        row = tables[who][game.infoset(state, who)]
        odds = [row[name_of(game, state, action)] for action in actions]
    return [(p, game.child(state, action)) for p, action in zip(odds, actions, strict=True)]


def expected(game: Any, table0: Table, table1: Table, start: Any = None) -> float:
    """The value when both play tables, of the game or from a history on."""
    tables = {0: table0, 1: table1}

    def value(state: Any) -> float:
        if game.player(state) == TERMINAL:
            return float(game.utility(state))
        return sum(p * value(after) for p, after in branches(game, state, tables))

    return value(game.root() if start is None else start)


def best_response(game: Any, player: int, table: Table) -> tuple[float, Table]:
    """What `player` wins at most, in own chips, from the other player's table, and a pure table that does it."""
    tables, sign = {1 - player: table}, 1.0 if player == 0 else -1.0
    members: dict[str, list[tuple[float, Any]]] = {}
    todo = [(1.0, game.root())]
    while todo:
        weight, state = todo.pop()
        who = game.player(state)
        if who == player:
            members.setdefault(game.infoset(state, player), []).append((weight, state))
            todo.extend((weight, game.child(state, action)) for action in game.actions(state))
        elif who != TERMINAL:
            todo.extend((weight * p, after) for p, after in branches(game, state, tables))
    choice: dict[str, int] = {}

    def chosen(infoset: str) -> int:
        if infoset not in choice:
            totals = np.zeros(len(game.actions(members[infoset][0][1])))
            for weight, state in members[infoset]:
                totals += [weight * value(game.child(state, action)) for action in game.actions(state)]
            choice[infoset] = int(totals.argmax())
        return choice[infoset]

    def value(state: Any) -> float:
        who = game.player(state)
        if who == TERMINAL:
            return sign * float(game.utility(state))
        if who == player:
            return value(game.child(state, game.actions(state)[chosen(game.infoset(state, player))]))
        return sum(p * value(after) for p, after in branches(game, state, tables))

    worth = value(game.root())
    pure: Table = {}
    for infoset, among in members.items():
        names = [name_of(game, among[0][1], action) for action in game.actions(among[0][1])]
        pure[infoset] = {name: float(i == chosen(infoset)) for i, name in enumerate(names)}
    return worth, pure


@dataclass
class SequenceForm:
    """Dense matrices of the sequence form (von Stengel 1996).

    Row i of E[q] says that infoset i-1's sequences add up to the one before; row 0 that the empty sequence is 1. A is
    the payoff of player 0 by sequences of players 0 and 1.
    """

    sequences: tuple[dict[Any, int], dict[Any, int]]
    E: tuple[np.ndarray, np.ndarray]
    A: np.ndarray

    def plan(self, player: int, table: Table) -> np.ndarray:
        """The realization plan of a table."""
        E, plan = self.E[player], np.zeros(len(self.sequences[player]))
        plan[0] = 1.0
        for (infoset, name), column in list(self.sequences[player].items())[1:]:
            row = E[int(np.flatnonzero(E[:, column] > 0)[0])]
            plan[column] = plan[int(np.flatnonzero(row < 0)[0])] * table[infoset][name]
        return plan


@dataclass
class _Builder:
    game: Any
    sequences: tuple[dict[Any, int], dict[Any, int]] = field(default_factory=lambda: ({None: 0}, {None: 0}))
    before: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))
    entries: list[tuple[int, int, float]] = field(default_factory=list)

    def visit(self, state: Any, reach: float, last: tuple[int, int]) -> None:
        game, who = self.game, self.game.player(state)
        if who == TERMINAL:
            self.entries.append((*last, reach * float(game.utility(state))))
            return
        odds = list(game.chance(state)) if who == CHANCE else []
        if who != CHANCE:
            infoset = game.infoset(state, who)
            assert self.before[who].setdefault(infoset, last[who]) == last[who], f"imperfect recall at '{infoset}'"
        for i, action in enumerate(game.actions(state)):
            after = game.child(state, action)
            if who == CHANCE:
                self.visit(after, reach * odds[i], last)
                continue
            known = self.sequences[who]
            mine = known.setdefault((infoset, name_of(game, state, action)), len(known))
            self.visit(after, reach, (mine, last[1]) if who == 0 else (last[0], mine))


def sequence_form(game: Any) -> SequenceForm:
    """The sequence form of a game, by one recursion."""
    builder = _Builder(game)
    builder.visit(game.root(), 1.0, (0, 0))
    A = np.zeros([len(s) for s in builder.sequences])
    for i, j, value in builder.entries:
        A[i, j] += value
    flows = []
    for sequences, before in zip(builder.sequences, builder.before, strict=True):
        E = np.zeros((1 + len(before), len(sequences)))
        E[0, 0] = 1.0
        rows = {infoset: 1 + i for i, infoset in enumerate(before)}
        for infoset, parent in before.items():
            E[rows[infoset], parent] = -1.0
        for key, column in list(sequences.items())[1:]:
            E[rows[key[0]], column] = 1.0
        flows.append(E)
    return SequenceForm(builder.sequences, (flows[0], flows[1]), A)


def program(form: SequenceForm, seat: int, reward: np.ndarray, weight: float, least: float = -np.inf) -> float:
    """max reward · x + weight · g over the plans x of `seat` and g = f'v with F'v ≤ A'x and g ≥ least.

    g is what x wins at least from everybody; FIELD's program of the safe response is weight 0 and least v* - ε, the
    restricted Nash response is reward p · Aŷ and weight 1 - p, the equilibrium is reward 0 and weight 1.
    """
    payoff = form.A if seat == 0 else -form.A.T
    E, F = form.E[seat], form.E[1 - seat]
    n, m = E.shape[1], F.shape[0]
    cost = np.concatenate([-reward, np.zeros(m)])
    cost[n] -= weight
    bound = np.zeros(E.shape[0])
    bound[0] = 1.0
    low = np.concatenate([np.zeros(n), [least], np.full(m - 1, -np.inf)])
    below, equal = np.hstack([-payoff.T, F.T]), np.hstack([E, np.zeros((len(E), m))])
    return -minimise(cost, below, np.zeros(F.shape[1]), equal, bound, low)[0]


def value(game: Any, seat: int = 0) -> float:
    """What `seat` is guaranteed in equilibrium, in own chips."""
    form = sequence_form(game)
    return program(form, seat, np.zeros(form.E[seat].shape[1]), 1.0)


def _rewards(form: SequenceForm, seat: int, model: Table) -> np.ndarray:
    plan = form.plan(1 - seat, model)
    return form.A @ plan if seat == 0 else -form.A.T @ plan


def restricted_value(game: Any, seat: int, model: Table, p: float) -> float:
    """max over x of p · u(x, model) + (1-p) · min over y of u(x, y), by the dense program."""
    form = sequence_form(game)
    return program(form, seat, p * _rewards(form, seat, model), 1.0 - p)


def safe_value(game: Any, seat: int, model: Table, epsilon: float) -> float:
    """The most that `seat` wins from the model with exploitability at most epsilon (0: the best equilibrium)."""
    form = sequence_form(game)
    least = program(form, seat, np.zeros(form.E[seat].shape[1]), 1.0) - epsilon
    return program(form, seat, _rewards(form, seat, model), 0.0, least - 1e-10)


class TwoCopies:
    """The explicit game of the restricted Nash response (Johanson, Zinkevich and Bowling 2007).

    A hidden chance move decides with probability p that the opponent is the model (chance then draws the opponent's
    actions); else the opponent plays, and knows it. The responder cannot tell. A state is (is it the model?, state).
    """

    def __init__(self, game: Any, opponent: int, model: Table, p: float) -> None:
        self.game, self.opponent, self.model, self.p = game, opponent, model, p
        self.name = f"two copies of {game.name}"

    def root(self) -> Any:
        return None

    def player(self, state: Any) -> int:
        if state is None:
            return CHANCE
        who = self.game.player(state[1])
        return CHANCE if state[0] and who == self.opponent else who

    def actions(self, state: Any) -> Any:
        return (True, False) if state is None else self.game.actions(state[1])

    def chance(self, state: Any) -> Any:
        if state is None:
            return (self.p, 1.0 - self.p)
        if self.game.player(state[1]) == CHANCE:
            return self.game.chance(state[1])
        row = self.model[self.game.infoset(state[1], self.opponent)]
        return [row[name_of(self.game, state[1], action)] for action in self.game.actions(state[1])]

    def child(self, state: Any, action: Any) -> Any:
        return (action, self.game.root()) if state is None else (state[0], self.game.child(state[1], action))

    def infoset(self, state: Any, player: int) -> str:
        return self.game.infoset(state[1], player)

    def action_name(self, state: Any, action: Any) -> str:
        return str(action) if state is None else name_of(self.game, state[1], action)

    def utility(self, state: Any) -> float:
        return self.game.utility(state[1])


class Trembles:
    """The explicit game of the data-biased response (Johanson and Bowling 2009).

    Before every decision of the opponent chance decides with probability trust[infoset] that the model's action is
    played. The opponent sees this and the responder does not. A state is (state, did chance decide just now: 'forced',
    'free' or '', what the opponent remembers of these draws).
    """

    def __init__(self, game: Any, opponent: int, model: Table, trust: dict[str, float]) -> None:
        self.game, self.opponent, self.model, self.trust = game, opponent, model, trust
        self.name = f"trembles in {game.name}"

    def root(self) -> Any:
        return (self.game.root(), "", "")

    def _undecided(self, state: Any) -> bool:
        return state[1] == "" and self.game.player(state[0]) == self.opponent

    def player(self, state: Any) -> int:
        return CHANCE if self._undecided(state) or state[1] == "forced" else self.game.player(state[0])

    def actions(self, state: Any) -> Any:
        return ("forced", "free") if self._undecided(state) else self.game.actions(state[0])

    def chance(self, state: Any) -> Any:
        if state[1] == "" and not self._undecided(state):
            return self.game.chance(state[0])
        infoset = self.game.infoset(state[0], self.opponent)
        if self._undecided(state):
            return (self.trust[infoset], 1.0 - self.trust[infoset])
        return [self.model[infoset][name_of(self.game, state[0], action)] for action in self.game.actions(state[0])]

    def child(self, state: Any, action: Any) -> Any:
        inner, drawn, past = state
        if self._undecided(state):
            return (inner, action, past)
        after = f"{past} {drawn} {name_of(self.game, inner, action)}" if drawn else past
        return (self.game.child(inner, action), "", after)

    def infoset(self, state: Any, player: int) -> str:
        text = self.game.infoset(state[0], player)
        return f"{text} | {state[2]}" if player == self.opponent else text

    def action_name(self, state: Any, action: Any) -> str:
        return str(action) if self._undecided(state) else name_of(self.game, state[0], action)

    def utility(self, state: Any) -> float:
        return self.game.utility(state[0])
