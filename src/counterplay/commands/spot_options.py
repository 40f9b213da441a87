"""What is asked of a spot on the command line: which spot, how exactly, and what about the leaks of one player."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.commands.inputs import stop_of
from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rake import RISK, check_zero_sum
from counterplay.poker.betting.stakes import PERCENT

if TYPE_CHECKING:
    from counterplay.poker.betting.stakes import Amount
    from counterplay.poker.locking.exploit_leak import LeakAnswer
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot

SOLVED = ".spot"


@dataclass(frozen=True)
class SpotOptions:
    """A spot to solve, or to look at.

    Attributes:
        table: what the options say of the spot.
        file: a TOML file with the rest, or a solved spot.
        limits: when to stop: an `Amount` of exploitability, iterations, seconds.
        method, precision: of the solve; None as usual.
        memory: GiB.
        nodes: paths that must be there.
        quiet: print no size and no progress.
    """

    table: dict[str, Any]
    file: Path | None
    limits: dict[str, Any]
    method: str | None
    precision: str | None
    memory: float | None
    nodes: list[str]
    quiet: bool

    def solution(self, leaks: SpotRequest | None) -> SolvedSpot:
        """Read it or solve it; exactly enough for leaks, if they are asked for.

        Raises:
            InputError: the question or the leaks do not fit, before anything is solved.
        """
        if self.file is not None and self.file.suffix == SOLVED:
            return self._read(self.file, leaks)
        single = self._checked()
        spot = self._spot()
        limits = dict(self.limits)
        if (accuracy := self.accuracy(spot)) is not None:
            limits["exploitability"] = accuracy
        if leaks:
            leaks.check(spot)
            limits = {"exploitability": leaks.accuracy(spot), **limits}
            single = bool(single)
        return self._solved(spot, limits, single, leaks)

    def _checked(self) -> bool | None:
        """Refuse, before anything is read or built, limits and names that are none; whether float32 is asked for."""
        from counterplay.poker.public_tree.thread_pool import threads

        fine = self.limits.get("exploitability")
        if fine is not None and fine.number == 0.0 and len(self.limits) == 1:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        threads()  # which refuses an absurd number in the environment
        stop_of(None, self.limits.get("iterations"), self.limits.get("seconds"))
        if self.method is not None:
            from counterplay.poker.spots.solution import method_of

            method_of(self.method)
        return _is_single(self.precision)

    def accuracy(self, spot: Spot) -> float | None:
        """The exploitability asked for, in per cent of the pot; None if nobody says."""
        fine: Amount | None = self.limits.get("exploitability")
        if fine is None or fine.unit == PERCENT:
            return None if fine is None else fine.number
        return 100.0 * fine.chips(spot.stakes, "--exploitability") / spot.pot

    def _read(self, file: Path, leaks: SpotRequest | None) -> SolvedSpot:
        about = {name: given for name, given in self.table.items() if name != "big_blind"}  # which changes no number
        if about or self.limits or self.method or self.precision:
            raise InputError(f"{file} is solved already: it takes --node, and no other spot or limit")
        from counterplay.poker.spots.solution import load_spot

        solved = load_spot(file)
        solved = replace(solved, spot=replace(solved.spot, **self.table))
        if leaks and not solved.is_equilibrium:
            raise InputError(f"{file} is an answer to somebody already, not an equilibrium")
        if leaks:
            leaks.check(solved.spot)
        return solved

    def cut_short(self, solved: SolvedSpot) -> bool:
        """Whether Ctrl-C ended the solve that was asked for."""
        read = self.file is not None and self.file.suffix == SOLVED
        return bool(solved.facts.get("interrupted")) and not read

    def _spot(self) -> Spot:
        """The spot of the file, with what the options say in its place, or of the options alone."""
        from counterplay.poker.spots.spot import Spot

        if self.file is None:
            return Spot.from_table(self.table)
        return Spot.from_table({**Spot.from_file(self.file).table(), **self.table})

    def _solved(self, spot: Spot, limits: dict[str, Any], single: bool | None, leaks: SpotRequest | None) -> SolvedSpot:
        """Say how large it is, refuse what cannot be, and solve."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.public_tree.size_estimate import size_of
        from counterplay.poker.spots.solution import EXPLOITABILITY, METHOD, in_single, solve_spot
        from counterplay.poker.spots.solution import stop_of as stop_for

        for path in self.nodes:  # that there is such a node is known before the work
            check_path(spot, path)
        single = in_single(spot) if single is None else single
        answered = leaks.sized(spot) if leaks else {}
        shown = bool(self.nodes) or not leaks
        size = size_of(spot.betting, spot.cards, alike=True, single=single, shown=shown, **answered)
        if not self.quiet:
            print(size, flush=True)
        limit = None if self.memory is None else self.memory * 2**30
        size.check(limit)
        wanted = {"exploitability": EXPLOITABILITY, **limits}
        with Bar(stop_for(spot, **wanted), self.quiet, spot.stakes) as progress:
            return solve_spot(
                spot, method=self.method or METHOD, memory=limit, single=single, progress=progress, **wanted
            )


@dataclass(frozen=True)
class SpotRequest:
    """What to do against leaks. file: they were read from it. dials: of `exploit_leak.exploit_leak`."""

    file: Path
    leaks: Leaks
    dials: dict[str, Any]

    def check(self, spot: Spot) -> None:
        """Refuse leaks and numbers that do not fit the spot."""
        from counterplay.poker.locking.exploit_leak import chips
        from counterplay.poker.locking.leak_match import check_leaks

        if "max_exploitability" in self.dials:
            check_zero_sum(spot.rake, RISK)
            chips(self.dials["max_exploitability"], spot.stakes)
        try:
            check_leaks(self.leaks, spot)
        except InputError as error:
            raise InputError(f"{self.file}: {error}") from None

    def sized(self, spot: Spot) -> dict[str, Any]:
        """Whose leaks are answered, and whether that player is met with and without them at once: for `size_of`."""
        from counterplay.poker.locking.leak_match import opponent_of

        p, most = self.dials.get("p"), self.dials.get("max_exploitability")
        twice = most is not None or (p is not None and 0.0 < p < 1.0)
        return {"opponent": opponent_of(self.leaks, spot.betting), "twice": twice}

    def accuracy(self, spot: Spot) -> float:
        """Per cent of the pot to which a spot is solved for a lock, unless the user says."""
        from counterplay.poker.locking.exploit_leak import ACCURACY

        return ACCURACY[spot.street]

    def answer(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> LeakAnswer:
        """Lock, and answer."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import exploit_leak
        from counterplay.poker.locking.leak_response import MOST_SOLVES
        from counterplay.poker.locking.node_lock import lock_nodes

        locked, most = lock_nodes(solved, self.leaks), MOST_SOLVES if "max_exploitability" in self.dials else 2
        bar = Bar(None, quiet, solved.spot.stakes, most)
        with bar as progress:
            return exploit_leak(locked, **self.dials, accuracy=accuracy or None, progress=progress, phase=bar.phase)


def leaks_of(file: Path | None, dials: dict[str, Any], grid: bool) -> SpotRequest | None:
    """What is asked of a lock; nothing may be asked without one."""
    if file is None:
        if dials or grid:
            name = next(iter(dials), "grid").replace("_", "-")
            raise InputError(f"--{name} needs a --lock")
        return None
    from counterplay.poker.locking.exploit_leak import check_dials
    from counterplay.poker.locking.leak_text import load_leaks

    check_dials(**dials)
    return SpotRequest(file, load_leaks(file), dials)


def stack_of(text: str) -> float | list[float]:
    """Chips left in front of both, or of each."""
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"--stack takes one number of chips or two, OOP,IP, not {quoted(text)}")
    return numbers[0] if len(numbers) == 1 else numbers


def _is_single(precision: str | None) -> bool | None:
    if precision not in (None, "single", "double"):
        raise InputError(f"--precision is single or double, not {quoted(precision)}")
    return None if precision is None else precision == "single"


def check_path(spot: Spot, path: str) -> None:
    """Refuse a path that the spot does not have.

    Raises:
        InputError: naming the step.
    """
    from counterplay.poker.public_tree.public_node import place_of

    place_of(spot.betting, spot.deck.cards, spot.board, path)
