"""Decisions of agents in play: how long they take, and how much memory ten thousand hands keep."""

from __future__ import annotations

import resource
import time

import numpy as np

import counterplay as cp
import ledger
from common import interleaved, table, yardstick
from counterplay.agents.agent import ContinualAgent
from counterplay.agents.factory.agent_factory import GAP
from counterplay.agents.worlds.histories import CompiledSearch
from counterplay.lookahead.search import LookAhead, Search

GAMES = ("leduc", "goofspiel:5", "liars_dice:1,4")
SETTINGS = {
    "CDBR-1": {"p": 1.0},
    "CDRNR-1, full": {"p": 0.5},
    "CDRNR-1, resolving": {"p": 0.5, "gadget": "resolving"},
    "CDRNR-1, max-margin": {"p": 0.5, "gadget": "max-margin"},
    "re-solving": {"p": 0.0, "gadget": "resolving"},
}
HANDS = 200


def decisions(spec: str, settings: dict, solver: str = "cfr+") -> np.ndarray:
    """Milliseconds of every decision that was solved, over hands against the model; nothing is remembered between hands."""
    game = cp.load(spec)
    look, stop = LookAhead(1, gadget=settings.get("gadget")), cp.Stop(exploitability=GAP * game.span)
    search = Search(look, settings["p"], solver=solver, stop=stop)
    agents = [
        CompiledSearch(game, seat, search, cp.opponent(game, "cfr+:10", 1 - seat), seed=1, remember=False)
        for seat in (0, 1)
    ]
    taken: list[float] = []
    rng = np.random.default_rng(1)
    for hand in range(HANDS + 10):
        play(game, agents[hand % 2], taken if hand >= 10 else [], rng)
    return np.array(taken)


def play(game: cp.GameTree, agent: ContinualAgent, taken: list[float], rng: np.random.Generator) -> None:
    """One hand of an agent against somebody who plays at random, timed where the agent decides."""
    rules = game.rules
    agent.new_hand()
    state = rules.root()
    while (who := rules.player(state)) != cp.TERMINAL:
        actions = list(rules.actions(state))
        if who == agent.seat:
            observation = rules.infoset(state, who)
            begin = time.perf_counter()
            name = agent.act(observation)
            taken.append(1e3 * (time.perf_counter() - begin))
            state = rules.child(state, next(a for a in actions if rules.action_name(state, a) == name))
        else:
            odds = rules.chance(state) if who == cp.CHANCE else None
            state = rules.child(state, actions[rng.choice(len(actions), p=odds)])


def memory(hands: int) -> tuple[float, float]:
    """Peak memory in MiB after a tenth of the hands and after all of them (merged Leduc, CDRNR-1, nothing remembered)."""
    game = cp.load("leduc:merged=true")
    search = Search(LookAhead(1), 0.5, solver="cfr+", stop=cp.Stop(iterations=20))
    agent = CompiledSearch(game, 0, search, cp.opponent(game, "cfr+:10", 1), seed=1, remember=False)
    rng, peaks = np.random.default_rng(1), []
    for hand in range(hands):
        play(game, agent, [], rng)
        if hand + 1 in (hands // 10, hands):
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return peaks[0], peaks[1]


def main() -> None:
    rows = []
    unit = 1e3 * interleaved({"": yardstick}, 1000, noted=False)[""]
    for spec in GAMES:
        for name, settings in SETTINGS.items():
            taken = decisions(spec, settings)
            ledger.note(f"{spec}: median decision of {name}", "yardstick", float(np.median(taken)) / unit)
            rows.append([spec, name, *(float(np.percentile(taken, q)) for q in (50, 99, 100)), len(taken)])
    title = f"Decisions of agents, CFR+ to a gap of {GAP:g} of the span, milliseconds"
    table(title, ("game", "agent", "median", "99 %", "slowest", "decisions"), rows)
    before, after = memory(10_000)
    print(f"\nPeak memory: {before:.0f} MiB after 1,000 hands, {after:.0f} MiB after 10,000")


if __name__ == "__main__":
    main()
