"""Options of commands on spots: accuracy, nodes to show, an opponent with leaks; and the question about that opponent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.commands.options.shared_options import exploitability_of, stop_of
from counterplay.errors import InputError, quoted, unknown
from counterplay.option import Option
from counterplay.poker.betting.stakes import PERCENT, RISK, check_zero_sum

if TYPE_CHECKING:
    from counterplay.opponents.tilting.spot_tilt import SpotTilt
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.locking.node_lock import NodeLock
    from counterplay.poker.public_tree.size_estimate import SpotSize

FREE = "free"
"""Without leaks at a place, the player plays there as well as they can."""


@dataclass(frozen=True)
class SpotLimits:
    """The solver of a spot, and its stopping rule."""

    solver: Annotated[str | None, "cfr, cfr+, dcfr, pcfr+ or pdcfr+."] = None
    exploitability: Annotated[
        str | None, Option("Stop at so many % of the pot (0.5), or at 0.3chips, 5mbb.", metavar="PERCENT")
    ] = None
    iterations: Annotated[int | None, "Stop after this many iterations."] = None
    seconds: Annotated[float | None, "Stop the solve of the spot after so many seconds."] = None
    precision: Annotated[str | None, "double, single or half: less memory, faster (double; flops: single)."] = None

    def check(self) -> None:
        exploitability_of(self.exploitability, PERCENT)

    def check_solve(self) -> None:
        """Reject, before anything is read or built, invalid limits and names."""
        from counterplay.jit.threads import threads

        fine = exploitability_of(self.exploitability, PERCENT)
        if fine is not None and fine.number == 0.0 and self.iterations is None and self.seconds is None:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        threads()  # which refuses an absurd number in the environment
        stop_of(None, self.iterations, self.seconds)
        if self.solver is not None:
            from counterplay.poker.spots.solve_spot import method_of

            method_of(self.solver)

    def accuracy(self, spot: cp.Spot) -> float | None:
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
        from counterplay.poker.ranges.range import NOTATIONS

        if self.ranges is None:
            return
        if self.ranges not in NOTATIONS:
            raise unknown("notation", self.ranges, NOTATIONS, lacks="--ranges")
        if as_json:
            raise InputError("--ranges is for what is shown; with --json each hand has its weight and probabilities")


@dataclass(frozen=True)
class LockFlags:
    """A player of a spot, by leaks or as a villain and where they sit, and the kind of answer to them."""

    lock: Annotated[Path | None, "A file with one player's leaks; what to do?"] = None
    p: Annotated[float | None, "With --lock: how likely the leaks are (surely)."] = None
    max_exploitability: Annotated[
        str | None, Option("With --lock: most to be won back: chips, 1% or 5mbb.", metavar="CHIPS")
    ] = None
    elsewhere: Annotated[str | None, "With --lock: where none is, the player is free or as solved (free)."] = None
    villain: Annotated[
        str | None, Option("hands:FILE,player=NAME or 'profile:fold to c-bet=70'; what to do?", metavar="OPPONENT")
    ] = None
    opponent: Annotated[str | None, "With --villain: they are oop or ip (ip)."] = None

    def check(self, *more: str) -> None:
        """Reject invalid dials, and dials or other options (more) without an opponent."""
        given = [name for name in ("p", "max_exploitability", "elsewhere") if getattr(self, name) is not None]
        given += more if self.villain is None else []
        if self.lock is None and self.villain is None and given:
            raise InputError(f"--{given[0].replace('_', '-')} needs a --lock")
        from counterplay.poker.locking.exploit_leak import check_dials

        check_dials(self.p, self.max_exploitability, self.elsewhere or FREE)


@dataclass(frozen=True)
class LockRequest:
    """A question about a player of a spot: leaks, from the file of `how`, or a model and its seat, 0 (oop) or 1 (ip).
    tilts: the model in the spots so far; the last is shown."""

    how: LockFlags
    leaks: Leaks | None = None
    model: cp.OpponentModel | None = None
    seat: int = 1
    tilts: list[SpotTilt] = field(default_factory=list)

    def check(self, spot: cp.Spot) -> None:
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

    def size(self, spot: cp.Spot, **about: Any) -> SpotSize:
        """The size of the solves that the answer takes; about: further arguments of `size_of`."""
        from counterplay.poker.locking.leak_match import nodes_of, opponent_of
        from counterplay.poker.public_tree.size_estimate import Leaky, size_of

        how, leaks = self.how, self.leaks
        limited = how.max_exploitability is not None
        twice = limited or (how.p is not None and 0.0 < how.p < 1.0)  # met with and without the leaks at once
        player = self.seat if leaks is None else opponent_of(leaks, spot.betting)
        nodes = None if leaks is None else nodes_of(leaks, spot.betting)
        return size_of(spot.betting, spot.cards, leaky=Leaky(player, twice, limited, nodes), **about)

    def lock(self, solved: cp.SolvedSpot) -> NodeLock:
        from counterplay.poker.locking.node_lock import lock_nodes

        if self.leaks is not None:
            return lock_nodes(solved, self.leaks)
        assert self.model is not None
        self.tilts.append(self.model.tilt(solved, self.seat))
        return self.tilts[-1].lock

    def answer(self, solved: cp.SolvedSpot, accuracy: float | None, quiet: bool, side_by_side: bool) -> Any:
        """Lock, and answer: a `LeakAnswer`, or a `SideBySide` of three."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import compare_answers, exploit_leak
        from counterplay.poker.locking.leak_response import MOST_SOLVES

        locked, how = self.lock(solved), self.how
        ask: Any = compare_answers if side_by_side else exploit_leak
        searches = how.p is None if side_by_side else how.max_exploitability is not None
        bar = Bar(None, quiet, solved.spot.stakes, MOST_SOLVES if searches else 3 if side_by_side else 2)
        with bar as progress:
            return ask(
                locked, p=how.p, max_exploitability=how.max_exploitability, elsewhere=how.elsewhere or FREE,
                accuracy=accuracy or None, progress=progress, phase=bar.phase,
            )  # fmt: skip


def read_lock(how: LockFlags, grid: bool = False, side_by_side: bool = False) -> LockRequest | None:
    """The request about a lock or a villain; None without either."""
    from counterplay.opponents.model import MODELS
    from counterplay.poker.betting.rules import PLAYERS
    from counterplay.poker.locking.leak_text import Leaks

    if how.villain is None and how.opponent is not None:
        raise InputError("--opponent needs a --villain")
    if how.villain is not None and how.lock is not None:
        raise InputError("--lock and --villain both name the opponent: give one of them")
    how.check(*(name for name, given in (("grid", grid), ("side-by-side", side_by_side)) if given))
    if how.villain is None:
        return None if how.lock is None else LockRequest(how, Leaks.from_file(how.lock))
    seat = how.opponent or PLAYERS[1]
    if seat not in PLAYERS:
        raise InputError(f"--opponent is oop or ip, not {quoted(seat)}")
    model = MODELS.parse(how.villain)
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
