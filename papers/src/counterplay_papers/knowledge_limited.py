"""Re-solving at one's own infoset with limited knowledge of what the opponent knows (Zhang and Sandholm 2021).

A player who comes to an infoset re-solves less than the public state: the histories that are at most k steps away, where a
step leads to another history that one of the players cannot tell apart. Of the first order these are the infosets of the
opponent that meet the own one, and all other own infosets stay as they are. Infosets of the opponent that meet no free one
keep their values, in the subgame or not: so it is the gadget game of the public state with the other own infosets fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from counterplay import GameTree, Strategy
from counterplay.arrays import F64, Flags
from counterplay.lookahead.resolver import Knowledge, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.subgames.cut import Cut
from counterplay.subgames.cut_game import CutGame, build_gadget_game
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.restriction import Numbers, fix_decisions


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitedCut(Cut):
    """A subgame in which only some of the resolver's infosets are free.

    Attributes:
        free: (own lanes in the whole game,).
        standing: (own size in the whole game,) the behaviour elsewhere.
    """

    free: Flags
    standing: F64

    @staticmethod
    def of(cut: Cut, free: Flags, standing: F64) -> LimitedCut:
        """A subgame with these own infosets (lanes,) free; the others play as in `standing` (own size,)."""
        known = {field.name: getattr(cut, field.name) for field in fields(cut)}
        return LimitedCut(**known, free=free, standing=standing)

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> CutGame:
        """The subgame after an entry, with the resolver's other infosets fixed."""
        me, game = self.resolver, build_gadget_game(self, entry, plan, unit=unit)
        inner, outer = game.matched[me]
        fixed = ~self.free[self.game.trees[me].owner[outer]]
        tree, own = game.subgame.trees[me], game.subgame.restrictions[me]
        bound = fix_decisions(tree, inner[fixed], self.standing[outer[fixed]], own)
        known = {field.name: getattr(game, field.name) for field in fields(game)}
        return CutGame(**{**known, "subgame": game.subgame.restricted(me, bound)})


def own_parts(cut: Cut) -> list[Flags]:
    """For each of the resolver's augmented infosets at the top, in order, the own infosets (lanes,) at and below it."""
    me, game = cut.resolver, cut.game
    inside = np.flatnonzero((cut.root >= 0) & (game.histories.player == me))
    lane = game.lanes[me][game.histories.info[me][inside]]
    above = cut.known(me, inside)
    found = []
    for number in range(cut.top.sizes[me]):
        part = np.zeros(game.trees[me].lanes, np.bool_)
        here = lane[above == number]
        part[here[here >= 0]] = True
        found.append(part)
    return found


def free_with(cut: Cut, order: int) -> Flags:
    """(n, n) whether the resolver's second augmented infoset at the top is free where the first re-solves: those that differ
    by fewer than `order` infosets of the opponent. Of order 1 it is the infoset itself.
    """
    mine, theirs = cut.top.known[cut.resolver], cut.top.known[cut.opponent]
    meets = np.zeros((cut.top.sizes[cut.resolver], cut.top.sizes[cut.opponent]), np.bool_)
    meets[mine, theirs] = True
    near = np.eye(len(meets), dtype=np.bool_)
    beside = (meets.astype(np.int64) @ meets.T.astype(np.int64)) > 0
    for _ in range(order - 1):
        near = (near.astype(np.int64) @ beside.astype(np.int64)) > 0
    return near


def resolve_by_infoset(
    blueprint: tuple[Strategy, Strategy],
    game: GameTree,
    cuts: Sequence[Cut],
    search: Search,
    order: int = 1,
    step: str = "whole",
) -> Strategy:
    """The strategy of a player who re-solves at each own infoset, by order-k knowledge, and plays what comes out there.

    Args:
        blueprint: strategies of both players.
        game: compiled.
        cuts: the public states where it is done, of one resolver.
        search: gadget, prior and solver.
        order: of the knowledge.
        step: `whole` plays each solution, found from the blueprint; `shared` mixes it with the blueprint, with weight
            1/n where a public state has n own infosets; `in turn` puts each into the blueprint before the next.
    """
    me = cuts[0].resolver
    tree, behaviour = game.trees[me], blueprint[me].behaviour
    for cut in cuts:
        before = Strategy(tree, behaviour.copy())
        parts, near, changed = own_parts(cut), free_with(cut, order), 0
        found = before.behaviour.copy()
        for part, others in zip(parts, near, strict=True):
            free = np.logical_or.reduce([parts[one] for one in np.flatnonzero(others)])
            if not part.any():
                continue
            changed += 1
            now = Strategy(tree, found.copy()) if step == "in turn" else before
            both = (now, blueprint[1]) if me == 0 else (blueprint[0], now)
            known = Knowledge(ArrayPlans.of(game.subgame, *both))
            solved = resolve_subtree(LimitedCut.of(cut, free, now.behaviour), search, known)
            if solved is None:
                continue
            if solved.interrupted:
                raise KeyboardInterrupt
            here = (tree.owner >= 0) & part[tree.owner]
            found = np.where(here, solved.splice(me, now.behaviour), found)
        behaviour = found
        if step == "shared" and changed:
            whole = Strategy(tree, found).plan
            mixed = before.plan + (whole - before.plan) / changed
            behaviour = Strategy.from_plan(tree, mixed).behaviour
    return Strategy(tree, behaviour)
