"""A spot that a command was asked for: read from a file, or solved."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from counterplay.commands.options.option_records import given_options
from counterplay.commands.options.spot_options import SpotFlags, SpotLimits
from counterplay.endings import SPOT
from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.commands.options.leak_options import LockRequest
    from counterplay.poker.public_tree.size_estimate import SpotSize
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot


@dataclass(frozen=True)
class SpotRequest:
    """A spot to solve or to show.

    Attributes:
        about: the spot's fields from options.
        file: a TOML file with the rest, or a solved spot.
        limits: solver and stopping rule.
        memory: GiB.
        nodes: paths that must be there.
        quiet: print no size and no progress.
    """

    about: SpotFlags
    file: Path | None
    limits: SpotLimits
    memory: float | None
    nodes: list[str]
    quiet: bool

    def solution(self, leaks: LockRequest | None) -> SolvedSpot:
        """Read or solve the spot; accurately enough for leaks, if requested.

        Raises:
            InputError: the question or the leaks do not fit, before anything is solved.
        """
        if self._is_solved:
            return self._read(leaks)
        self.limits.check_solve()
        spot = self._spot()
        if self._fits:
            spot = self._fitted(spot, leaks)
        if leaks:
            leaks.check(spot)
        return self._solved(spot, leaks)

    @property
    def _is_solved(self) -> bool:
        return self.file is not None and self.file.suffix == SPOT

    @property
    def _fits(self) -> bool:
        """Whether the sizes of bets are to be chosen."""
        from counterplay.poker.spots.fitted_sizes import FIT

        return self.about.bets is not None and self.about.bets.strip().lower() == FIT

    def _read(self, leaks: LockRequest | None) -> SolvedSpot:
        assert self.file is not None
        big_blind = self.about.big_blind  # which changes no number
        if given_options(replace(self.about, big_blind=None)) or given_options(self.limits):
            raise InputError(f"{self.file} is solved already: it takes --node, and no other spot or limit")
        from counterplay.poker.spots.solution import load_spot

        solved = load_spot(self.file)
        if big_blind is not None:
            solved = replace(solved, spot=replace(solved.spot, big_blind=big_blind))
        if leaks and not solved.is_equilibrium:
            raise InputError(f"{self.file} is already an answer to a model, not an equilibrium")
        if leaks:
            leaks.check(solved.spot)
        return solved

    def cut_short(self, solved: SolvedSpot) -> bool:
        """Whether Ctrl-C ended the solve."""
        return bool(solved.facts.get("interrupted")) and not self._is_solved

    def _spot(self) -> Spot:
        """The spot of the file, overridden by options, or of the options alone."""
        from counterplay.poker.spots.spot import Spot

        asked = replace(self.about, bets="a") if self._fits else self.about
        return Spot.from_table(asked.over({} if self.file is None else Spot.from_file(self.file).table()))

    def _fitted(self, spot: Spot, leaks: LockRequest | None) -> Spot:
        """The spot with as many sizes as fit."""
        from counterplay.poker.spots.fitted_sizes import fit_sizes

        fitted, _ = fit_sizes(spot, memory=self.memory, measure=lambda asked: self._size(asked, leaks))
        if not self.quiet:
            print(f"bets: {fitted.bets}", flush=True)
        return fitted

    def _precision(self, spot: Spot) -> str:
        """The precision of the solve."""
        from counterplay.poker.spots.solve_spot import METHOD, method_of, precision_of

        limit = None if self.memory is None else self.memory * 2**30
        return precision_of(spot, method_of(self.limits.method or METHOD), self.limits.precision, limit)

    def _size(self, spot: Spot, leaks: LockRequest | None) -> SpotSize:
        """The size of the solve."""
        from counterplay.poker.public_tree.size_estimate import size_of

        precision, shown = self._precision(spot), bool(self.nodes) or not leaks
        return size_of(
            spot.betting, spot.cards, alike=True, precision=precision, shown=shown,
            leaky=leaks.leaky(spot) if leaks else None,
        )  # fmt: skip

    def _solved(self, spot: Spot, leaks: LockRequest | None) -> SolvedSpot:
        """Announce the size, check the request, and solve."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.spots.solution_cache import cached_solution, keep_solution
        from counterplay.poker.spots.solve_spot import EXPLOITABILITY, METHOD, solve_spot
        from counterplay.poker.spots.solve_spot import stop_of as stop_for

        limits, fine = self.limits, self.limits.accuracy(spot)
        if fine is None:
            fine = leaks.accuracy(spot) if leaks else EXPLOITABILITY
        for path in self.nodes:  # that there is such a node is known before the work
            check_path(spot, path)
        precision, size = self._precision(spot), self._size(spot, leaks)
        if not self.quiet:
            print(size, flush=True)
        limit = None if self.memory is None else self.memory * 2**30
        size.check(limit)
        plain = not given_options(replace(limits, exploitability=None))
        if leaks and plain and (known := cached_solution(spot, fine, precisions=(precision,))) is not None:
            if not self.quiet:
                print(f"solved before, to {known.facts['exploitability_percent']:.3g} % of the pot", file=sys.stderr)
            return known
        stop = stop_for(spot, fine, limits.iterations, limits.seconds)
        with Bar(stop, self.quiet, spot.stakes) as progress:
            solved = solve_spot(
                spot, method=limits.method or METHOD, exploitability=fine, iterations=limits.iterations,
                seconds=limits.seconds, memory=limit, precision=precision, progress=progress,
            )  # fmt: skip
        keep_solution(solved)
        return solved


def check_path(spot: Spot, path: str) -> None:
    """Reject a path that the spot does not have.

    Raises:
        InputError: the message names the step.
    """
    from counterplay.poker.public_tree.public_terminals import place_of

    place_of(spot.betting, spot.deck.cards, spot.board, path)
