"""Three answers to a leak side by side: equilibrium, safe exploitation and full exploitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.poker.betting.rake import RISK, check_zero_sum
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.exploit_leak import FREE, check_dials, chips, needed_accuracy
from counterplay.poker.locking.leak_response import LeakResponder, Phase
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.solvers.cfr import Progress
from counterplay.tables import aligned

MOST_SAFE = "1%"
"""Largest exploitability of the middle answer by default: a share of the pot."""


@dataclass(frozen=True, eq=False)
class AnswerColumn:
    """One answer. EVs are chips that the responder takes out of the pot, so that they add up to it with the opponent's.

    Attributes:
        name: "equilibrium", "safe", "rnr" or "full exploit".
        plans: the strategy, in the responder's seat.
        against_leak: EV against the worst opponent who has the leak.
        against_equilibrium: EV against the equilibrium's opponent.
        worst_case: EV against a best responder.
    """

    name: str
    plans: SpotPlans
    against_leak: float
    against_equilibrium: float
    worst_case: float


class ActionShares(NamedTuple):
    """The frequencies of a node: its path, its actions, and (answers, actions) shares of the range there."""

    path: str
    actions: tuple[str, ...]
    shares: F64


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Answers to one leak.

    Attributes:
        lock: the opponent.
        solved: the equilibrium.
        columns: equilibrium, safe (or for a probability p: rnr), full exploit.
        worst_opponent: see `LeakResponder.worst_opponent`.
        p, max_exploitability, elsewhere: the dials of the middle one, and the opponent's play where nothing is locked.
        value: upper bound on the EV of the spot for the responder.
        value_gap: the most by which the EV is below that; None with a rake.
        interrupted: whether Ctrl-C stopped it.
    """

    lock: NodeLock
    solved: SolvedSpot
    columns: tuple[AnswerColumn, AnswerColumn, AnswerColumn]
    worst_opponent: SpotPlans | None
    p: float | None
    max_exploitability: float | None
    elsewhere: str
    value: float
    value_gap: float | None
    interrupted: bool

    def __repr__(self) -> str:
        return brief(self, *(labelled(one.name, one.against_leak) for one in self.columns))

    @property
    def player(self) -> int:
        """The responder: 0 (oop) or 1 (ip)."""
        return 1 - self.lock.opponent

    def answered(self, column: int) -> SolvedSpot:
        """The spot with an answer in the responder's seat, and the worst opponent with the leak in the other."""
        one = self.columns[column]
        facts = {
            "opponent": PLAYERS[self.lock.opponent],
            "method": one.name,
            "version": self.solved.facts.get("version"),
        }
        facts |= {"value_gap": self.value_gap, **self._worth(one)}
        plans = one.plans.facing(self.lock.opponent, self.worst_opponent or self.lock.plans)
        return replace(self.solved, plans=plans, facts=facts)

    def _worth(self, one: AnswerColumn) -> dict[str, float]:
        """Gain and exploitability of an answer, and its edge over the equilibrium."""
        return {
            "exploitability": max(0.0, self.value - one.worst_case), "gain": one.against_leak - self.value,
            "edge": one.against_leak - self.columns[0].against_leak,
        }  # fmt: skip

    def frequencies(self, path: str) -> ActionShares:
        """How often each answer takes each action at a node."""
        nodes = [self.answered(k).node(path) for k in range(len(self.columns))]
        if nodes[0].player != self.player:
            raise InputError(f"at '{path or 'the root'}' {PLAYERS[self.player]} does not act, whose answers these are")
        shares = [_shares(one.probabilities, one.ranges[self.player]) for one in nodes]
        return ActionShares(nodes[0].path, nodes[0].actions, np.array(shares))

    def most_changed(self, nodes: int) -> list[str]:
        """Paths of the nodes where full exploitation wins most beyond the equilibrium; one, if nothing changes."""
        found = diff_strategies(self.answered(0), self.answered(2), self.player)
        return [one.path for one in found[:nodes] if one.size > 0.0] or [one.path for one in found[:1]]

    def facts(self) -> dict[str, Any]:
        """Everything but the strategies, as plain numbers and texts."""
        answers = [
            {name: value for name, value in vars(one).items() if name != "plans"} | self._worth(one)
            for one in self.columns
        ]
        return {
            "opponent": PLAYERS[self.lock.opponent], "p": self.p, "max_exploitability": self.max_exploitability,
            "elsewhere": self.elsewhere, "value": self.value, "value_gap": self.value_gap, "answers": answers,
            "interrupted": self.interrupted,
        }  # fmt: skip


def compare_answers(
    lock: NodeLock,
    *,
    p: float | None = None,
    max_exploitability: float | str | None = None,
    elsewhere: str = FREE,
    accuracy: float | None = None,
    progress: Progress | None = None,
    phase: Phase | None = None,
) -> SideBySide:
    """Equilibrium, safe and full exploitation of a leak. Arguments and errors as of `exploit_leak.exploit_leak`; without
    p and a largest exploitability the middle answer may lose `MOST_SAFE`."""
    check_dials(p, max_exploitability, elsewhere)
    spot = lock.solved.spot
    if p is None:
        check_zero_sum(spot.rake, RISK)
    epsilon = chips(MOST_SAFE if max_exploitability is None else max_exploitability, spot.stakes) if p is None else None
    fine = needed_accuracy(spot, epsilon, accuracy)
    case = LeakResponder(lock, elsewhere == FREE, 0.01 * fine * spot.pot, progress, phase)
    full, _ = case.response(1.0)
    middle = case.safe(epsilon)[0] if epsilon is not None else case.response(p or 0.0)[0]
    half = 0.5 * spot.pot
    names = ("equilibrium", "rnr" if epsilon is None else "safe", "full exploit")
    columns = [
        AnswerColumn(
            name, plans, half + case.against_leak(plans),
            half + plans.facing(lock.opponent, case.equilibrium).value(1 - lock.opponent), half + case.against_all(plans),
        )
        for name, plans in zip(names, (case.equilibrium, middle, full), strict=True)
    ]  # fmt: skip
    return SideBySide(
        lock,
        case.solved,
        (columns[0], columns[1], columns[2]),
        case.worst_opponent(),
        p,
        epsilon,
        elsewhere,
        half + case.value,
        case.value_gap,
        case.interrupted,
    )


def report_columns(found: SideBySide, paths: Sequence[str]) -> list[str]:
    """The answers as a table: EVs in chips and per cent of the pot (or big blinds), and frequencies at some nodes."""
    spot = found.solved.spot

    def worth(number: float) -> str:
        if spot.big_blind is not None:
            return f"{number / spot.big_blind:.4g} bb"
        return f"{number:.4g} chips"

    middle = f"p = {found.p:g}" if found.p is not None else f"at most {worth(found.max_exploitability or 0.0)}"
    heads = ("equilibrium", f"{found.columns[1].name}, {middle}", "full exploit")
    rows = [
        ("EV against the leak", [worth(one.against_leak) for one in found.columns]),
        ("EV against equilibrium", [worth(one.against_equilibrium) for one in found.columns]),
        ("EV in the worst case", [worth(one.worst_case) for one in found.columns]),
    ]
    for path in paths:
        told = found.frequencies(path)
        rows.append((f"at {told.path or 'the root'}:", ["", "", ""]))
        for action, shares in zip(told.actions, told.shares.T, strict=True):
            rows.append((f"  {action}", ["-" if np.isnan(x) else f"{100.0 * x:.1f} %" for x in shares]))
    table = [("", *heads), *((name, *cells) for name, cells in rows)]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    return aligned([f"<{widths[0]}", *(f">{width + 2}" for width in widths[1:])], table)


def report_side_by_side(found: SideBySide, paths: Sequence[str]) -> list[str]:
    """The table with a line on what it compares."""
    who, them = PLAYERS[found.player], PLAYERS[found.lock.opponent]
    after = "as well as possible" if found.elsewhere == FREE else "as in the equilibrium"
    lines = [f"Answers of {who} to the leak of {them}, who elsewhere plays {after}:", "", *report_columns(found, paths)]
    return lines + (["", "Ctrl-C ended the work early."] if found.interrupted else [])


def _shares(probabilities: F64, weights: F64) -> F64:
    """(actions,) frequencies over a range; NaN without one."""
    held = weights > 0.0
    total = weights[held].sum()
    return weights[held] @ probabilities[held] / total if total > 0.0 else np.full(probabilities.shape[1], np.nan)
