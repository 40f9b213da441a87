"""Run the attack: python -m attack [--seed N] [--only cli,files,...] [--cases N] [--small] [--minutes N] [--cpu-minutes N]
[--case N]. Each part is told as it ends.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from attack.part import Outcome, Part, Tally
from attack.parts import PARTS
from attack.pool import Ended, attacked

INTERRUPTED = 130
_SHOWN = 12
"""Kinds of failure that are shown of each part; the log has all cases."""


def main() -> int:
    """The attack as it is asked for; exit code 1 if anything failed or a part was not run, 130 if it was interrupted."""
    asked = _asked()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    log = Path(asked.log).absolute()
    log.parent.mkdir(parents=True, exist_ok=True)
    names, begin = asked.only.split(","), time.monotonic()
    limits = _Limits(begin + 60.0 * asked.minutes, 60.0 * asked.cpu_minutes)
    tallies: list[Tally] = []
    bad, code = False, 0
    print(f"{'attack':10}{'cases':>8}{'passed':>8}{'failed':>8}{'CPU s':>8}  ended", flush=True)
    with log.open("w", encoding="utf-8", errors="backslashreplace") as file:
        try:
            for number, name in enumerate(names):
                before = _spent()
                tallies.append(tally := Tally(name))
                _run_part(tally, asked, limits.of_part(names[number:]), file)
                limits.cpu -= _spent() - before
                bad |= bool(tally.failures) or (not tally.ended and _wanted(tally, asked) > 0)
                _show_part(tally, asked)
        except KeyboardInterrupt:
            code = INTERRUPTED
    if code == INTERRUPTED:
        if tallies and not tallies[-1].shown:
            _show_part(tallies[-1], asked)
        left = ", ".join(names[len(tallies) :]) or "nothing"
        print(f"\ninterrupted in {names[max(len(tallies) - 1, 0)]}; not run: {left}", flush=True)
    print(f"\n{time.monotonic() - begin:.0f} seconds; every failure stands in {log}", flush=True)
    return code or int(bad)


@dataclass
class _Limits:
    """What the run may take. until: of `time.monotonic()`. cpu: processor seconds that are left."""

    until: float
    cpu: float

    def of_part(self, names: list[str]) -> _Limits:
        """Those of the first of some parts, which share what is left as they would take it in a whole run."""
        now, share = time.monotonic(), PARTS[names[0]].cpu / sum(PARTS[name].cpu for name in names)
        return _Limits(now + share * (self.until - now), share * self.cpu)


def _spent() -> float:
    """Processor seconds of this process and of those that have ended."""
    return sum(os.times()[:4])


def _run_part(tally: Tally, asked: argparse.Namespace, limits: _Limits, log: TextIO) -> None:
    for number, outcome, seconds in _ran(PARTS[tally.name], tally.name, asked, limits):
        tally.add(number, outcome, seconds)
        if outcome.problems:
            print(f"{tally.name} {number}: {' | '.join(outcome.problems)}\n    {outcome.line}", file=log, flush=True)


def _wanted(tally: Tally, asked: argparse.Namespace) -> int:
    return 1 if asked.case is not None else _count(PARTS[tally.name], asked)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=13, help="of everything that is drawn")
    parser.add_argument("--only", default=",".join(PARTS), help="kinds of attack, with commas")
    parser.add_argument("--cases", type=int, help="of each kind; by default as many as `make attack` runs")
    parser.add_argument("--small", action="store_true", help="the part that belongs to `make test`")
    parser.add_argument("--case", type=int, help="only the case with this number")
    parser.add_argument(
        "--minutes", type=float, default=1e6, help="begin no case after so many minutes; parts share them"
    )
    parser.add_argument("--cpu-minutes", type=float, default=1e6, help="the same of processor time")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--log", default="out/attack.log", help="where each failure is written")
    found = parser.parse_args()
    for name in found.only.split(","):
        if name not in PARTS:
            parser.error(f"there is no attack '{name}'; there are {', '.join(PARTS)}")
    return found


def _count(part: Part, asked: argparse.Namespace) -> int:
    return asked.cases or (part.few if asked.small else part.cases)


def _ran(part: Part, name: str, asked: argparse.Namespace, limits: _Limits) -> Iterator[Ended]:
    """The cases of a part, run in a process of its own, so that what one part loads or sets is not there in the next."""
    numbers = [asked.case] if asked.case is not None else list(range(_count(part, asked)))
    if not numbers or limits.until <= time.monotonic() or limits.cpu <= 0.0:
        return
    home, folder = Path.cwd(), Path(tempfile.mkdtemp(prefix="attack-"))
    environment = dict(os.environ)
    try:
        part.prepare(folder)
        yield from attacked(part, name, numbers, asked.seed, folder, asked.workers, limits.until, limits.cpu)
    finally:
        os.chdir(home)
        os.environ.clear()
        os.environ.update(environment)
        shutil.rmtree(folder, ignore_errors=True)


def _show_failures(tally: Tally, seed: int) -> None:
    """One example of each kind of failure."""
    kinds: dict[str, list[tuple[int, Outcome]]] = {}
    for number, outcome in tally.failures:
        kinds.setdefault(_kind(outcome.problems[0]), []).append((number, outcome))
    for _, found in sorted(kinds.items(), key=lambda kind: -len(kind[1]))[:_SHOWN]:
        number, outcome = min(found, key=lambda one: (len(one[1].line), one[0]))
        print(f"\n{tally.name}, {len(found)} times: {outcome.problems[0][:300]}")
        print(f"    {outcome.line[:400]}")
        print(f"    python -m attack --only {tally.name} --seed {seed} --case {number}", flush=True)
    if len(kinds) > _SHOWN:
        print(f"\n{tally.name}: and {len(kinds) - _SHOWN} more kinds of failure")


def _kind(problem: str) -> str:
    """A problem without what differs from case to case."""
    return re.sub(r"'[^']*'?|\"[^\"]*\"?|\d+", "#", problem)[:100]


def _show_part(tally: Tally, asked: argparse.Namespace) -> None:
    """The row of a part, how much of it was run, and an example of each kind of failure."""
    tally.shown = True
    ended = ", ".join(f"{kind or 'done'} {count}" for kind, count in sorted(tally.kinds.items()))
    failed, wanted = len(tally.failures), _wanted(tally, asked)
    cut = "" if tally.ended >= wanted else f"; {tally.ended:,} of {wanted:,} in the time" if tally.ended else "not run"
    passed = tally.cases - failed
    print(f"{tally.name:10}{tally.cases:>8}{passed:>8}{failed:>8}{tally.seconds:>8.0f}  {ended}{cut}", flush=True)
    _show_failures(tally, asked.seed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:
        traceback.print_exc()
        sys.exit(3)
