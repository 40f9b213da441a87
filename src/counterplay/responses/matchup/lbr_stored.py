"""Local best response in a large spot: `responses.lbr` on the plan store, for all betting nodes of a depth at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I8
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.responses.matchup.lbr_ranges import depths_of, folding_as
from counterplay.responses.matchup.outcome import Outcome


def local_best_response_of_store(model: CompactPlans, me: int) -> Outcome:
    """The complete strategy of a player who uses LBR at every decision (see `lbr_ranges`), on all boards; hands outside the
    range play uniformly.

    Args:
        model: the opponent's strategy.
        me: the player.
    """
    plans, betting = model.on_all_boards, model.tree.betting
    depth, decisions = depths_of(betting), plans.averages.decisions
    calls = plans.with_choices(
        me, lambda node, lanes: folding_as(betting, node, _none(betting, node, lanes)), keep=False
    )
    mine = [node for node, (_, one) in decisions.items() if one.player == me]
    chosen: dict[int, I8] = {}
    for level in np.unique(depth[mine]).tolist():

        def met(node: int, played: F64, level: int = level) -> F64:
            return played if depth[node] < level else folding_as(betting, node, played)

        averages, nodes = calls.with_changes(1 - me, met).averages, [node for node in mine if depth[node] == level]
        segments = [decisions[node][0] for node in nodes]
        worth = averages.action_cfvs(me, averages.sides[me][0], range(min(segments), max(segments) + 1))
        for node, segment in zip(nodes, segments, strict=True):
            held = averages.layout.own[me].layers[averages.layout.whole[segment].layer].kept.astype(np.int64)
            chosen[node] = worth.at(node, held).argmax(axis=0).astype(np.int8)

    def best(node: int, _: Any) -> F64:
        return np.asarray(chosen[node] == np.arange(len(betting.children(node)))[:, None], np.float64)

    return Outcome(plans.with_choices(me, best, keep=False), solver="sweep")


def _none(betting: Any, node: int, lanes: Any) -> F64:
    return np.zeros((len(betting.children(node)), len(lanes)))
