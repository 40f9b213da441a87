"""Decisions of a searching agent: look-aheads within its limits, interrupted ones continued later, failures caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from counterplay.agents.player import cut_short
from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.unfinished_solves import Unfinished
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.gadgets import Resolving
from counterplay.lookahead.decisions import Decision, DecisionGroup, group_of_decision
from counterplay.lookahead.off_path import is_explained, make_reachable, without_model
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.solve import Posed
from counterplay.lookahead.state import SearchState, StepResult
from counterplay.lookahead.step import decide_group, decide_infosets


class Searcher:
    """Decides public states of a position's chain.

    Args:
        sight: the agent's position.
        note: writes a line into the agent's log.

    Attributes:
        remember: whether unfinished solves are kept.
        unfinished: the unfinished solves.
    """

    def __init__(self, sight: CompiledTracker | ExpandingTracker, note: Callable[[str], None], remember: bool) -> None:
        self._sight, self._note, self.remember = sight, note, remember
        self.unfinished = Unfinished()

    @property
    def _chain(self) -> SearchState:
        return self._sight.chain

    def respond(self, lane: int, decision: Decision) -> None:
        """Decide by the own infoset alone, against a certain model."""
        chain = self._chain
        if self._has_time(decision):
            unit = group_of_decision(chain.game, decision, chain.search.depth, [decision])
            try:
                decide_infosets(chain, np.array([lane], np.int32), unit, chain.search)
            except Exception as error:  # a value function may be anybody's code
                self._note(f"{decision_name(decision)} is not solved, {self._standing()}: {error}")
        chain.decided[lane] = True

    def solve(self, decision: Decision) -> None:
        """Solve the look-ahead of a decision, and those of the others decided with it, in the order of `decide`.

        Raises:
            KeyboardInterrupt: Ctrl-C cut it short; the best so far decides.
        """
        chain = self._chain
        unit = group_of_decision(chain.game, decision, chain.search.depth, self._sight.among())
        for explained in (True, False):
            part = tuple(one for one in unit.decisions if is_explained(chain, one) == explained)
            if part:
                self._solve_part(replace(unit, decisions=part), decision if decision in part else part[0], explained)

    def _has_time(self, decision: Decision) -> bool:
        stop = self._chain.search.stop
        if stop.iterations == 0 or stop.seconds <= 0.0 or not time_left():
            self._note(f"no budget for {decision_name(decision)}: {self._standing()}")
            return False
        return True

    def _solve_part(self, unit: DecisionGroup, decision: Decision, explained: bool) -> None:
        """Solve a unit, whether or not the model reaches it; it is decided afterwards even after failures."""
        chain, name = self._chain, decision_name(decision)
        if self._has_time(decision):
            search = chain.search
            if not explained:
                self._note(f"the model never reaches {name}: solved without it")
                search = without_model(search)
            solved = self._search(unit, search, name)
            if not solved and isinstance(self._sight, CompiledTracker) and self._search(unit, _exact(search), name):
                self._note(f"{name} is solved with exact values and without a model instead")
        for one in unit.decisions:
            chain.decided[one.lanes] = True

    def _standing(self) -> str:
        """The fallback without a solution, in words."""
        return "the previous plan stands" if self._chain.planned else "nothing is planned, uniform play"

    def _search(self, unit: DecisionGroup, search: Search, name: str) -> bool:
        """Solve a unit, or leave everything unchanged; returns whether it is solved."""
        chain, before = self._chain, self._chain.copy()
        keeps = self.remember and chain.final is None and self._sight.keeps
        posed = self.unfinished.find(chain.game, unit, search) if keeps else None
        with make_reachable(chain, unit) as needed:
            if needed:
                self._note(f"the agent's own strategy never reaches {name}: taken as if it did")
            try:
                found = decide_group(chain, unit, search, posed)
                if not (np.isfinite(chain.behaviour).all() and np.isfinite(chain.other).all()):
                    raise InputError("its solution has probabilities that are not numbers")
            except Exception as error:  # a value function may be anybody's code
                chain.behaviour, chain.other, chain.claims = before.behaviour, before.other, before.claims
                self._note(f"{name} is not solved, {self._standing()}: {error}")
                return False
        if found.unfinished is None:
            if posed is not None:
                self._note(f"{name} is solved, at visit {posed.solve.calls}: gap {found.gap:.3g} chips")
            if chain.final is None:
                self.unfinished.settle(unit)
            return True
        if keeps:
            self.unfinished.keep(chain.game, unit, search, found.unfinished)
        if not found.unfinished.solve.iterations and not found.interrupted:
            chain.behaviour, chain.other, chain.claims = before.behaviour, before.other, before.claims
            self._note(f"no time was left for an iteration at {name}: {self._standing()}")
        self._cut_short(found, found.unfinished, before, name, keeps)
        return True

    def _cut_short(self, found: StepResult, posed: Posed, before: SearchState, name: str, keeps: bool) -> None:
        """Use the result for this hand only; the next one begins from the state before this hand."""
        if self._chain.final is None:
            self._chain.final = before
        self._note(cut_short(name, found.interrupted, posed.solve.iterations, found.gap, keeps))
        if found.interrupted:
            raise KeyboardInterrupt


def _exact(search: Search) -> Search:
    """A search without user code: the exact value function, no model."""
    stop = replace(search.stop, seconds=max(search.stop.seconds, 1.0))
    return Search(LookAhead(search.depth, gadget=Resolving(), solve=search.look.solve), solver=search.solver, stop=stop)


def decision_name(decision: Decision) -> str:
    """The name of a decision in log lines."""
    return f"public state {decision.state} (level {decision.level})"
