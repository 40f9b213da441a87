"""Answers to an opponent with leaks: the plain lock, restricted Nash response, and the largest gain within a risk.

"The leak" below is every opponent who has it: what the lock leaves open is chosen by him, as badly for us as can be (or it
is as solved, if that is asked). Exploitability and gain are exact, by best responses in the spot, and on the safe side of
what is not known of the spot's value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from numpy.typing import NDArray

from counterplay.about import version
from counterplay.display import brief, told
from counterplay.errors import InputError, quoted
from counterplay.jit.clock import run_time
from counterplay.poker.against import Against, Phase
from counterplay.poker.locks import Lock
from counterplay.poker.rake import NO_BOUND, RISK, check_zero_sum
from counterplay.poker.solved import SolvedSpot
from counterplay.poker.stakes import CHIPS, PERCENT, Stakes, read_amount
from counterplay.solvers.cfr import Progress
from counterplay.treeplex.restriction import check_p
from counterplay.treeplex.sweeps import reach

Floats = NDArray[Any]
ACCURACY = {"flop": 0.5, "turn": 0.1, "river": 0.02}
"""Per cent of the pot to which everything is solved, by the street of the spot."""


@dataclass(frozen=True, eq=False)
class LockedAnswer:
    """What to play against a leak, and what that is worth. Chips a hand.

    Attributes:
        lock: the opponent.
        solved: an equilibrium, to compare with.
        plan: (size,) what to play.
        method: "lock" (p = 1), "rnr", or "safe".
        p: probability that the opponent has the leak, in the mind of the answer; None for "safe".
        max_exploitability: allowed; None but for "safe".
        elsewhere: "free" or "solved": what the opponent does where nothing is locked.
        value: of the spot for us, at most.
        gain: value against the leak, less `value`.
        equilibrium_gain: the same of the equilibrium's own strategy.
        most: no strategy gains more (for "safe": none of at most `max_exploitability`, counted from the same `value`);
            None for "rnr".
        exploitability: what a perfect opponent who knows the strategy wins back: `value` less what is left then. In a spot
            with a rake: what he wins beyond the equilibrium.
        equilibrium_exploitability: the same of the equilibrium's strategy: what the solve left undone.
        seconds: of computing it.
        interrupted: by Ctrl-C.
    """

    lock: Lock
    solved: SolvedSpot
    plan: Floats
    method: str
    p: float | None
    max_exploitability: float | None
    elsewhere: str
    value: float
    gain: float
    equilibrium_gain: float
    most: float | None
    exploitability: float
    equilibrium_exploitability: float
    seconds: float
    interrupted: bool

    def __repr__(self) -> str:
        return brief(
            self, self.method, told("p", self.p), told("gain", self.gain), told("exploitability", self.exploitability)
        )

    @property
    def player(self) -> int:
        """Who answers: 0 (oop) or 1 (ip)."""
        return 1 - self.lock.opponent

    @property
    def answered(self) -> SolvedSpot:
        """The spot with our answer in our seat, and the opponent with the leak in the other; to be asked for its nodes."""
        plans = list(self.solved.plans)
        plans[self.player] = self.plan
        tree = self.solved.tree.runs[self.lock.opponent].tree
        own = self.solved.tree.subgame.restrictions[self.lock.opponent]
        plans[self.lock.opponent] = reach(tree, own.behaviour(tree, self.lock.behaviour))
        return replace(self.solved, plans=(plans[0], plans[1]), facts=self.facts())

    def facts(self) -> dict[str, Any]:
        """Everything but the strategies, as plain numbers and texts."""
        left = ("lock", "solved", "plan")
        spot = self.solved.spot
        numbers = {name: value for name, value in vars(self).items() if name not in left}
        rates = spot.stakes.facts({name: numbers[name] for name in ("gain", "exploitability")})
        more = {"note": NO_BOUND} if spot.rake else {}
        return {"opponent": ("oop", "ip")[self.lock.opponent], **numbers, **rates, **more, "version": version()}


def chips(text: str | float, stakes: Stakes) -> float:
    """Chips from a number, or from a text such as "1%" (of the pot), "2.5" or "5mbb".

    Raises:
        InputError: neither, or not above 0: no solve is exact.
    """
    what = "the largest exploitability"
    amount = read_amount(text, CHIPS, what)
    if amount.unit == PERCENT and amount.number > 100.0:
        raise InputError(f"{what} must be at most 100% of the pot, not {text}")
    number = amount.chips(stakes, what)
    if not 0.0 < number < float("inf"):
        raise InputError(f"{what} must be chips above 0, or per cent of the pot, not {quoted(str(text))}")
    return number


def check_dials(p: float | None = None, max_exploitability: float | str | None = None, elsewhere: str = "free") -> None:
    """Refuse what no lock takes.

    Raises:
        InputError: p and a largest exploitability together, a p outside [0, 1], or no such `elsewhere`.
    """
    if p is not None and max_exploitability is not None:
        raise InputError("a lock takes p or a largest exploitability, not both")
    if elsewhere not in ("free", "solved"):
        raise InputError(f"elsewhere the opponent is 'free' or as 'solved', not {quoted(elsewhere)}")
    if p is not None:
        check_p(p)


def answer(
    lock: Lock,
    *,
    p: float | None = None,
    max_exploitability: float | str | None = None,
    elsewhere: str = "free",
    accuracy: float | None = None,
    progress: Progress | None = None,
    phase: Phase | None = None,
) -> LockedAnswer:
    """What to play against an opponent with leaks.

    Args:
        lock: from `locks.lock`.
        p: probability that he has them (restricted Nash response); with neither p nor max_exploitability he surely has.
        max_exploitability: chips a hand, or "1%" of the pot, that a perfect opponent may win back at most.
        elsewhere: "free": he plays on as well as he can, knowing his leak; "solved": as in the solution.
        accuracy: per cent of the pot to which it is solved; the solution itself too, again, if it is less exact. By default
            as `ACCURACY` says.
        progress: called now and then with iterations and exploitability in chips.
        phase: called when one of several solves begins.

    Raises:
        InputError: numbers outside their range, p and max_exploitability together, a largest exploitability in a spot with
            a rake, or one smaller than what can be told apart.
    """
    check_dials(p, max_exploitability, elsewhere)
    if max_exploitability is not None:
        check_zero_sum(lock.solved.spot.rake, RISK)
    accuracy = ACCURACY[lock.solved.spot.street] if accuracy is None else accuracy
    if not accuracy > 0.0:
        raise InputError(f"the accuracy must be above 0 per cent of the pot, not {accuracy:g}")
    epsilon = None if max_exploitability is None else chips(max_exploitability, lock.solved.spot.stakes)
    begin = run_time()
    fine = 0.01 * accuracy * lock.solved.spot.pot
    case = Against(lock, elsewhere == "free", fine if epsilon is None else min(fine, 0.25 * epsilon), progress, phase)
    plan, most = case.response(1.0 if p is None else p) if epsilon is None else case.safe(epsilon)
    seconds = run_time() - begin
    return LockedAnswer(
        lock, case.solved, plan, "safe" if epsilon is not None else "lock" if p is None else "rnr",
        None if epsilon is not None else 1.0 if p is None else p, epsilon, elsewhere, case.value,
        case.against_leak(plan) - case.value, case.against_leak(case.equilibrium) - case.value,
        None if most in (None, inf) else most - case.value, case.exploitability(plan),
        case.exploitability(case.equilibrium), seconds, case.interrupted,
    )  # fmt: skip
