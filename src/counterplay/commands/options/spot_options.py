"""Options of commands on spots: the spot, its accuracy, nodes to show, an opponent with leaks; and the solve of a spot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from counterplay.commands.options.option_records import given_options
from counterplay.commands.options.shared_options import exploitability_of, stop_of
from counterplay.endings import SPOT
from counterplay.errors import InputError, quoted, unknown
from counterplay.option import Option
from counterplay.poker.betting.stakes import PERCENT, RISK, check_zero_sum

if TYPE_CHECKING:
    from counterplay.opponents.model import OpponentModel
    from counterplay.opponents.tilting.spot_tilt import SpotTilt
    from counterplay.poker.locking.exploit_leak import LeakAnswer, SideBySide
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.locking.node_lock import NodeLock
    from counterplay.poker.public_tree.size_estimate import SpotSize
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot

FREE = "free"
"""Without leaks at a place, the player plays there as well as they can."""


@dataclass(frozen=True)
class SpotLimits:
    """The solver of a spot, and its stopping rule."""

    method: Annotated[str | None, "cfr, cfr+, dcfr, pcfr+ or pdcfr+."] = None
    exploitability: Annotated[
        str | None, Option("Stop at so many % of the pot (0.5), or at 0.3chips, 5mbb.", metavar="PERCENT")
    ] = None
    iterations: Annotated[int | None, "Stop after this many iterations."] = None
    seconds: Annotated[float | None, "Stop the solve of the spot after so many seconds."] = None
    precision: Annotated[str | None, "double, single or half: less memory, faster (double; flops: single)."] = None

    def check(self) -> None:
        """Reject an invalid exploitability."""
        exploitability_of(self.exploitability, PERCENT)

    def check_solve(self) -> None:
        """Reject, before anything is read or built, invalid limits and names."""
        from counterplay.jit.threads import threads

        fine = exploitability_of(self.exploitability, PERCENT)
        if fine is not None and fine.number == 0.0 and self.iterations is None and self.seconds is None:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        threads()  # which refuses an absurd number in the environment
        stop_of(None, self.iterations, self.seconds)
        if self.method is not None:
            from counterplay.poker.spots.solve_spot import method_of

            method_of(self.method)

    def accuracy(self, spot: Spot) -> float | None:
        """The requested exploitability, in per cent of the pot; None if not given."""
        fine = exploitability_of(self.exploitability, PERCENT)
        if fine is None or fine.unit == PERCENT:
            return None if fine is None else fine.number
        return 100.0 * fine.chips(spot.stakes, "--exploitability") / spot.pot


@dataclass(frozen=True)
class SpotNodeFlags:
    """The nodes to show, and how."""

    node: Annotated[list[str] | None, Option("Show this node: 'x b100 c Ah'; several times.", metavar="PATH")] = None
    values: Annotated[bool, "Show the EV of each action at the nodes too."] = False
    ranges: Annotated[
        str | None, Option("Write the range of each action: plain, percent, gto+, pio.", metavar="NOTATION")
    ] = None
    csv: Annotated[Path | None, Option("Write the nodes hand by hand as a table (.csv).", metavar="FILE")] = None

    def check(self, as_json: bool) -> None:
        """Reject a notation of ranges that does not exist, and ranges as text where all weights are printed."""
        from counterplay.poker.ranges.notation import NOTATIONS

        if self.ranges is None:
            return
        if self.ranges not in NOTATIONS:
            raise unknown("notation", self.ranges, NOTATIONS, lacks="--ranges")
        if as_json:
            raise InputError("--ranges is for what is shown; with --json each hand has its weight and probabilities")


@dataclass(frozen=True)
class LockFlags:
    """The leaks of one player, and the kind of answer: arguments of `exploit_leak.exploit_leak`."""

    lock: Annotated[Path | None, "A file with one player's leaks; what to do?"] = None
    p: Annotated[float | None, "With --lock: how likely the leaks are (surely)."] = None
    max_exploitability: Annotated[
        str | None, Option("With --lock: most to be won back: chips, 1% or 5mbb.", metavar="CHIPS")
    ] = None
    elsewhere: Annotated[str | None, "With --lock: where none is, the player is free or as solved (free)."] = None

    def check(self, *more: str, locked: bool = False) -> None:
        """Reject invalid dials, and any without an opponent.

        Args:
            more: other options that need a lock, as given.
            locked: whether something else than --lock names the opponent.
        """
        given = [name for name in given_options(self) if name != "lock"] + list(more)
        if self.lock is None and given and not locked:
            raise InputError(f"--{given[0].replace('_', '-')} needs a --lock")
        from counterplay.poker.locking.exploit_leak import check_dials

        check_dials(self.p, self.max_exploitability, self.elsewhere or FREE)


@dataclass(frozen=True)
class VillainFlags:
    """A player of a spot, and where they sit."""

    villain: Annotated[
        str | None, Option("hands:FILE,player=NAME or 'profile:fold to c-bet=70'; what to do?", metavar="OPPONENT")
    ] = None
    opponent: Annotated[str | None, "With --villain: they are oop or ip (ip)."] = None


@dataclass(frozen=True)
class LockRequest:
    """A question about one player of a spot, who has leaks or is known from hands or figures.

    Attributes:
        how: the kind of answer.
        leaks: of the player, from the file of `how`; None for a model.
        model, seat: the player, and where they sit: 0 (oop) or 1 (ip).
        tilts: the model in the spots that were asked about; the last is shown.
    """

    how: LockFlags
    leaks: Leaks | None = None
    model: OpponentModel | None = None
    seat: int = 1
    tilts: list[SpotTilt] = field(default_factory=list)

    def check(self, spot: Spot) -> None:
        """Reject a player and numbers that do not fit the spot."""
        from counterplay.poker.locking.exploit_leak import chips
        from counterplay.poker.locking.leak_match import check_leaks

        if self.how.max_exploitability is not None:
            check_zero_sum(spot.rake, RISK)
            chips(self.how.max_exploitability, spot.stakes)
        if self.model is not None:
            self.model.check_spot(spot, self.seat)
        if self.leaks is not None:
            try:
                check_leaks(self.leaks, spot)
            except InputError as error:
                raise InputError(f"{self.how.lock}: {error}") from None

    def size(self, spot: Spot, **about: Any) -> SpotSize:
        """The size of the solves that the answer takes; about: further arguments of `size_of`."""
        from counterplay.poker.locking.leak_match import nodes_of, opponent_of
        from counterplay.poker.public_tree.size_estimate import Leaky, size_of

        how, leaks = self.how, self.leaks
        limited = how.max_exploitability is not None
        twice = limited or (how.p is not None and 0.0 < how.p < 1.0)  # met with and without the leaks at once
        player = self.seat if leaks is None else opponent_of(leaks, spot.betting)
        nodes = None if leaks is None else nodes_of(leaks, spot.betting)
        return size_of(spot.betting, spot.cards, leaky=Leaky(player, twice, limited, nodes), **about)

    def lock(self, solved: SolvedSpot) -> NodeLock:
        """The player in a solved spot."""
        from counterplay.poker.locking.node_lock import lock_nodes

        if self.leaks is not None:
            return lock_nodes(solved, self.leaks)
        assert self.model is not None
        self.tilts.append(self.model.tilt(solved, self.seat))
        return self.tilts[-1].lock

    def answer(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> LeakAnswer:
        """Lock, and answer."""
        from counterplay.poker.locking.exploit_leak import exploit_leak
        from counterplay.poker.locking.leak_response import MOST_SOLVES

        limited = self.how.max_exploitability is not None
        answer: LeakAnswer = self._answered(exploit_leak, solved, accuracy, quiet, MOST_SOLVES if limited else 2)
        return answer

    def columns(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> SideBySide:
        """Lock, and answer in three ways."""
        from counterplay.poker.locking.exploit_leak import compare_answers
        from counterplay.poker.locking.leak_response import MOST_SOLVES

        solves = MOST_SOLVES if self.how.p is None else 3
        columns: SideBySide = self._answered(compare_answers, solved, accuracy, quiet, solves)
        return columns

    def _answered(self, ask: Any, solved: SolvedSpot, accuracy: float | None, quiet: bool, solves: int) -> Any:
        from counterplay.measure.progress import Bar

        locked, how = self.lock(solved), self.how
        bar = Bar(None, quiet, solved.spot.stakes, solves)
        with bar as progress:
            return ask(
                locked, p=how.p, max_exploitability=how.max_exploitability, elsewhere=how.elsewhere or FREE,
                accuracy=accuracy or None, progress=progress, phase=bar.phase,
            )  # fmt: skip


def read_lock(
    how: LockFlags, villain: VillainFlags | None = None, grid: bool = False, side_by_side: bool = False
) -> LockRequest | None:
    """The request about a lock or a villain; None without either."""
    villain = villain or VillainFlags()
    if villain.villain is None:
        if villain.opponent is not None:
            raise InputError("--opponent needs a --villain")
        how.check(*(name for name, given in (("grid", grid), ("side-by-side", side_by_side)) if given))
        if how.lock is None:
            return None
        from counterplay.poker.locking.leak_text import Leaks

        return LockRequest(how, Leaks.from_file(how.lock))
    if how.lock is not None:
        raise InputError("--lock and --villain both name the opponent: give one of them")
    how.check(locked=True)
    from counterplay.opponents.model import MODELS
    from counterplay.poker.betting.rules import PLAYERS

    seat = villain.opponent or PLAYERS[1]
    if seat not in PLAYERS:
        raise InputError(f"--opponent is oop or ip, not {quoted(seat)}")
    model = MODELS.parse(villain.villain)
    model.check()
    return LockRequest(how, model=model, seat=PLAYERS.index(seat))


def table_with(options: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of the fields of a spot, overridden by options; one that takes the rake away takes its cap too."""
    found = {**table, **options}
    if not found.get("rake") and "rake_cap" in options:
        raise InputError("--rake-cap goes with --rake")
    if options.get("rake") == 0.0:
        found.pop("rake_cap", None)
    return found


@dataclass(frozen=True)
class SpotRequest:
    """A spot to solve or to show.

    Attributes:
        fields: of the spot, from options.
        file: a TOML file with the rest, or a solved spot.
        limits: solver and stopping rule.
        memory: GiB.
        nodes: paths that must be there.
        quiet: print no size and no progress.
    """

    fields: Mapping[str, Any]
    file: Path | None
    limits: SpotLimits
    memory: float | None
    nodes: list[str]
    quiet: bool

    def solution(self, leaks: LockRequest | None) -> SolvedSpot:
        """Read or solve the spot; accurately enough for leaks, if requested."""
        from counterplay.poker.spots.fitted_sizes import FIT, fit_sizes
        from counterplay.poker.spots.spot import Spot

        if self._is_solved:
            return self._read(leaks)
        self.limits.check_solve()
        fits = str(self.fields.get("bets", "")).strip().lower() == FIT
        options = {**self.fields, "bets": "a"} if fits else self.fields
        spot = Spot.from_table(table_with(options, {} if self.file is None else Spot.from_file(self.file).table()))
        if fits:  # the sizes of bets are chosen
            spot, _ = fit_sizes(spot, memory=self.memory, measure=lambda tried: self._size(tried, leaks))
            if not self.quiet:
                print(f"bets: {spot.bets}", flush=True)
        if leaks:
            leaks.check(spot)
        return self._solved(spot, leaks)

    @property
    def _is_solved(self) -> bool:
        return self.file is not None and self.file.suffix == SPOT

    def cut_short(self, solved: SolvedSpot) -> bool:
        """Return whether Ctrl-C ended the solve."""
        return bool(solved.facts.get("interrupted")) and not self._is_solved

    def _read(self, leaks: LockRequest | None) -> SolvedSpot:
        from counterplay.poker.spots.solution import load_spot

        assert self.file is not None
        if self.fields.keys() - {"big_blind"} or given_options(self.limits):  # a big blind changes no number
            raise InputError(f"{self.file} is solved already: it takes --node, and no other spot or limit")
        solved = load_spot(self.file)
        if self.fields:
            solved = replace(solved, spot=replace(solved.spot, **self.fields))
        if leaks and not solved.is_equilibrium:
            raise InputError(f"{self.file} is already an answer to a model, not an equilibrium")
        if leaks:
            leaks.check(solved.spot)
        return solved

    def _precision(self, spot: Spot) -> str:
        from counterplay.poker.spots.solve_spot import METHOD, method_of, precision_of

        return precision_of(spot, method_of(self.limits.method or METHOD), self.limits.precision, self._bytes)

    @property
    def _bytes(self) -> float | None:
        return None if self.memory is None else self.memory * 2**30

    def _size(self, spot: Spot, leaks: LockRequest | None) -> SpotSize:
        from counterplay.poker.public_tree.size_estimate import size_of

        if leaks:
            return leaks.size(spot, alike=True, precision=self._precision(spot), shown=bool(self.nodes))
        return size_of(spot.betting, spot.cards, alike=True, precision=self._precision(spot), shown=True, leaky=None)

    def _solved(self, spot: Spot, leaks: LockRequest | None) -> SolvedSpot:
        """Announce the size, check the request, and solve."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import needed_accuracy
        from counterplay.poker.public_tree.public_terminals import place_of
        from counterplay.poker.spots.solution_cache import cached_solution, keep_solution
        from counterplay.poker.spots.solve_spot import EXPLOITABILITY, METHOD, solve_spot
        from counterplay.poker.spots.solve_spot import stop_of as stop_for

        limits, fine = self.limits, self.limits.accuracy(spot)
        if fine is None:  # as the answer needs it, so that the spot is not solved twice
            fine = needed_accuracy(spot, leaks.how.max_exploitability) if leaks else EXPLOITABILITY
        for path in self.nodes:  # that there is such a node is known before the work
            place_of(spot.betting, spot.deck.cards, spot.board, path)
        precision, size = self._precision(spot), self._size(spot, leaks)
        if not self.quiet:
            print(size, flush=True)
        size.check(self._bytes)
        plain = not given_options(replace(limits, exploitability=None))
        if leaks and plain and (known := cached_solution(spot, fine, precisions=(precision,))) is not None:
            if not self.quiet:
                print(f"solved before, to {known.facts['exploitability_percent']:.3g} % of the pot", file=sys.stderr)
            return known
        stop = stop_for(spot, fine, limits.iterations, limits.seconds)
        with Bar(stop, self.quiet, spot.stakes) as progress:
            solved = solve_spot(
                spot, method=limits.method or METHOD, exploitability=fine, iterations=limits.iterations,
                seconds=limits.seconds, memory=self._bytes, precision=precision, progress=progress,
            )  # fmt: skip
        keep_solution(solved)
        return solved
