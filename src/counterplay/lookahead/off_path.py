"""Off-path decisions: those that the player's strategy or the model never reaches.

Play may lead anywhere, so that an agent needs a sensible strategy everywhere; and a complete strategy must equal that
of an agent, also off the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from counterplay.gadgets import Resolving
from counterplay.lookahead.decisions import Decision, DecisionGroup, acting_in
from counterplay.lookahead.search import Search
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group

_NOTHING = 1e-300


def decide(chain: SearchState, unit: DecisionGroup) -> None:
    """Solve a unit of one public state as an agent would: without the model where it has no reach, and as if the
    player's own strategy had reach where it has none."""
    for explained in (True, False):
        part = tuple(one for one in unit.decisions if is_explained(chain, one) == explained)
        if part:
            some = replace(unit, decisions=part)
            with make_reachable(chain, some):
                decide_group(chain, some, chain.search if explained else without_model(chain.search))


def without_model(search: Search) -> Search:
    return replace(search.tilted(0.0).looking(gadget=Resolving()), p=0.0)


def trusts(search: Search) -> bool:
    return search.p > 0.0 or search.tremble.alpha > 0.0


def is_explained(chain: SearchState, decision: Decision) -> bool:
    """Whether the model reaches a decision by its own choices, if it is used."""
    if not trusts(chain.search):
        return True
    if chain.model is None:
        return False
    here = acting_in(chain.game, decision.state, chain.seat)
    came = chain.game.histories.reach[here] * chain.model.plan[chain.game.sequences[1 - chain.seat][here]]
    return float(came.sum()) > _NOTHING


@contextmanager
def make_reachable(chain: SearchState, unit: DecisionGroup) -> Iterator[bool]:
    """Within the block, mix the player's strategy with uniform play on the path to a unit that it never reaches.

    Yields:
        Whether this was needed.
    """
    kept = []
    if unit.before is not None and not any(_comes(chain, one) for one in unit.decisions):
        tree = chain.game.trees[chain.seat]
        uniform = tree.uniform()
        for one in unit.before.path:
            for lane in one.lanes.tolist():
                where = tree.sequences_of(lane)
                kept.append((where, chain.behaviour[where].copy()))
                chain.behaviour[where] = 0.5 * chain.behaviour[where] + 0.5 * uniform[where]
    try:
        yield bool(kept)
    finally:
        for where, odds in kept:
            chain.behaviour[where] = odds


def _comes(chain: SearchState, decision: Decision) -> bool:
    """Whether chance and the player's strategy reach a decision."""
    here = acting_in(chain.game, decision.state, chain.seat)
    weight = chain.game.histories.reach[here] * chain.plan[chain.game.sequences[chain.seat][here]]
    return float(weight.sum()) > _NOTHING
