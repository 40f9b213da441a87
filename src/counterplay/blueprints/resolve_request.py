"""The request of `resolve`: one record, whose fields are its keywords and the options of its command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from counterplay.blueprints.resolve_fields import ResolveFields
from counterplay.blueprints.resolve_subtrees import Watch
from counterplay.blueprints.resolved_blueprint import ITERATIONS, PROFILE, VALUES, ResolveSettings
from counterplay.errors import InputError
from counterplay.gadgets import MaxMargin, Resolving, gadget_of
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import check_share, check_weights, prior_of
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import check_keywords
from counterplay.work.processes import WorkerCount, check_workers, executor_of
from counterplay.work.run_work import Executor


class ResolveOptions(TypedDict, total=False):
    """The keywords of `resolve`: the fields of `ResolveRequest`."""

    seat: int
    model: Any
    solver: Solver
    stop: Stop | None
    gadget: Any
    prior: str | Mapping[str, float]
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool | None
    values: str | None
    declared: bool
    only: str | None
    continuation: bool
    interval: bool
    bounds: bool
    seed: int
    record: Path | None
    workers: WorkerCount
    watch: Watch | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ResolveRequest(ResolveFields):
    """The settings of re-solving, and further measurements.

    Attributes:
        seat: the resolver's seat, 0 or 1.
        model: anything that `opponent` takes; for alpha, and to measure gains.
        solver: `lp` or a regret minimiser.
        stop: stopping rule of a minimiser; by default 5,000 iterations.
        gadget: `unsafe`, `resolving` (the default), `max-margin` (the default with alpha), `reach-max-margin` or
            `full`; by name, as a record such as `cp.MaxMargin()`, or a user's (see `cp.Gadget`).
        prior: selects the equilibrium of the gadget game (GGSE): `none` (any), `uniform`, `blueprint`, a .json file, or
            a weight for each infoset of the opponent at the top.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        alpha: exploitation level of SES, 0 to 1.
        error: L1 distance of an error added to the estimate of the opponent's range.
        normalised: whether infosets of the opponent have equal weight, whatever their reach by chance and the resolver;
            by default if alpha is above 0, as in SES.
        values: alternative values of the blueprint `profile`, or of a `best-response` to it; by default the profile's
            if alpha is above 0 and the opponent's part is known.
        declared: whether to use the public states that the game declares; in hold'em they are the computed ones.
        only: an infoset of the resolver; only its subgame is solved. In a spot a path up to a card, such as "x x Ah", in a
            whole game of hold'em the betting and the board, such as "c x Ah Kd 2c".
        continuation, interval, bounds: also measure the optimal continuation, the interval of exploitabilities over all
            equilibria of the gadget games, the bounds of SES.
        seed: seed of random blueprints without their own, and of the estimate's errors.
        record: file that keeps the solution of every subgame, and from which a later call continues (.work).
        workers: number of processes that solve subgames; it does not change the result. Subgames that depend on one
            another are solved one after the other: behind `full` or `reach-max-margin`, and with an error.
        watch: called with the number of solved subgames, and their total.
    """

    seat: int = 0
    model: Any = None
    solver: Solver = "cfr+"
    stop: Stop | None = None
    declared: bool = False
    seed: int = 0
    watch: Watch | None = None

    @staticmethod
    def of(options: ResolveOptions) -> ResolveRequest:
        check_keywords("resolve", options, ResolveOptions)
        found = ResolveRequest(**options)
        check_share("alpha", found.alpha)
        check_workers(found.workers)
        if found.seat not in (0, 1):
            raise InputError(f"the resolver's seat must be 0 or 1, not {found.seat}")
        if found.values is not None and found.values not in VALUES:
            raise InputError(f"alternative values must be of the {' or the '.join(VALUES)}, not of '{found.values}'")
        return found

    @property
    def measures_further(self) -> bool:
        """Return whether more than exploitability and gains is measured."""
        return self.continuation or self.interval or self.bounds

    @property
    def executor(self) -> Executor:
        return executor_of(self.workers)

    def settings(self, *, both: bool) -> ResolveSettings:
        """The settings of every subgame, with the defaults of SES where alpha is above 0."""
        ses, prior = self.alpha > 0.0, self.prior
        look = LookAhead(
            gadget=gadget_of(self.gadget or (MaxMargin() if ses else Resolving())),
            prior=prior_of(prior) if isinstance(prior, str) else check_weights(prior),
            epsilon=self.epsilon,
            normalised=self.normalised,
        )
        profile = ses and both if self.values is None else self.values == PROFILE
        stop = self.stop or Stop(iterations=ITERATIONS)
        return ResolveSettings(look, self.alpha, self.error, profile, self.solver, stop)
