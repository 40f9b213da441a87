"""Sampled values, one backward pass against a solve, and decisions in Battleships 5x5."""

from __future__ import annotations

import resource
import time

import numpy as np

import counterplay as cp
from common import interleaved, table
from counterplay.games import make_game
from counterplay.games.policy import policy_of
from counterplay.gametree.build.rollouts import rollouts
from counterplay.gametree.compile.expectation import sample_walks
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead import step
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import LookAhead, Search
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.value_functions.portfolio import Portfolio

SPEC = "battleships:5,5,2x2/2x2"
LARGE = "battleships:10,10,1x5/1x4/1x3/1x3/1x2"
AGENT = "abd:p=1,depth=1,leaf=sampled:100:uniform;even;odd,expand=way,to=last:A1"


def moves_per_second() -> list[list[object]]:
    """Million moves a second of random games by the rules, and of walks through Leduc in memory."""
    rows: list[list[object]] = []
    for spec in (SPEC, LARGE):
        game = make_game(spec)
        state = game.root()
        while game.player(game.child(state, game.actions(state)[0])) != 3 and not any(state[8:9]):
            state = game.child(state, game.actions(state)[len(game.actions(state)) // 2])
        states = np.repeat(state[None, :], 20_000, 0)
        policies = policy_of(game, "even"), policy_of(game, "uniform")
        moves = length(game, state)
        seconds = interleaved({spec: lambda g=game, s=states, p=policies: rollouts(g, s, 5, 1, p)}, 5)[spec]
        rows.append([spec, moves, 1e-6 * len(states) * 5 * moves / seconds])
    leduc = cp.load("leduc")
    pair = cp.opponent(leduc, "uniform", 0).behaviour, cp.opponent(leduc, "uniform", 1).behaviour
    which = np.zeros(20_000, np.int64)
    walks = {"walks through leduc": lambda: sample_walks(leduc, which, pair, 20, 1)}
    (seconds,) = interleaved(walks, 5).values()
    steps = 6.0  # from the root of Leduc a uniform game takes 5.9 steps, chance's three included
    rows.append(["leduc, in memory", steps, 1e-6 * len(which) * 20 * steps / seconds])
    return rows


def length(game: object, state: np.ndarray) -> float:
    """Mean moves of a game from a state, both uniform."""
    rng, total = np.random.default_rng(0), 0
    for _ in range(20):
        now = state
        while game.player(now) != 3:  # type: ignore[attr-defined]
            actions = game.actions(now)  # type: ignore[attr-defined]
            now = game.child(now, actions[rng.integers(len(actions))])  # type: ignore[attr-defined]
            total += 1
    return total / 20


def backward_pass() -> list[list[object]]:
    """All decisions of seat 0 in Leduc at p = 1, each public state alone, in milliseconds a decision: the backward pass, and
    the same look-aheads by linear program and by CFR+ to a thousandth of the span."""
    game = cp.load("leduc")
    value = Portfolio((("passive", "aggressive"), ("passive", "aggressive")))
    model = cp.opponent(game, "cfr+:10", 1)

    def walk(solver: str, alone: bool) -> None:
        search = Search(LookAhead("round", value), 1.0, solver=solver, stop=Stop(exploitability=1e-3 * game.span))
        chain = SearchState(game, 0, search, model)
        for unit in all_units:
            found = step._alone(chain, unit, search) if alone else general(chain, unit, search)
            chain.behaviour = found.behaviour
            for decision in unit.decisions:
                chain.decided[decision.lanes] = True

    def general(chain: SearchState, unit: DecisionGroup, search: Search) -> step.StepResult:
        posed = step._cut(chain, unit, search)
        problem = posed.solve._problem
        if search.method == "lp":
            return posed.read(chain, solve_lp(problem, 0))
        return posed.read(chain, solve_cfr(problem, minimiser(search.method), search.stop))

    all_units = decision_groups(game, 0, Depth(), joint=False)
    calls = {
        "backward pass": lambda: walk("lp", True),
        "linear program": lambda: walk("lp", False),
        "CFR+": lambda: walk("cfr+", False),
    }
    best = interleaved(calls, 3)
    return [[name, 1e3 * s / len(all_units), s / best["backward pass"]] for name, s in best.items()]


def decisions() -> list[list[object]]:
    """Seconds of the first decision and of the later ones, over two hands a seat."""
    game = make_game(SPEC)
    rows = []
    for seat in (0, 1):
        first, later = 0.0, []
        for hand in range(2):
            taken: list[float] = []
            agent, other = cp.agent(game, AGENT, seat, seed=hand), cp.agent(game, "last:A1", 1 - seat, seed=hand)
            state = game.root()
            while (who := game.player(state)) != 3:
                begin = time.perf_counter()
                name = agent.act(game.infoset(state, who)) if who == seat else other.act_at(state)
                if who == seat:
                    taken.append(time.perf_counter() - begin)
                state = game.child(state, next(a for a in game.actions(state) if game.action_name(state, a) == name))
            first = max(first, taken[0])
            later += taken[1:]
        rows.append([seat, first, float(np.median(later)), max(later)])
    return rows


def main() -> None:
    table("Random games", ("game", "moves a game", "million moves a second"), moves_per_second())
    table("p = 1 in Leduc, every decision alone", ("by", "ms a decision", "times the pass"), backward_pass())
    head = ("seat", "first decision, s", "later, median, s", "later, slowest, s")
    table(f"ABD in {SPEC}, depth 1 (the paper's 2), 100 samples", head, decisions())
    print(f"\nPeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
