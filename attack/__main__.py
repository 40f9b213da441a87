"""Run the attack: python -m attack [--seed N] [--only cli,files,...] [--cases N] [--small] [--minutes N] [--case N]."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from attack.part import Outcome, Part, Tally
from attack.parts import PARTS
from attack.pool import attacked

_SHOWN = 12
"""Kinds of failure that are shown of each part; the log has all cases."""


def main() -> int:
    """The attack as it is asked for; exit code 1 if anything failed or was left out."""
    asked = _asked()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    begin, until = time.monotonic(), time.monotonic() + (60.0 * asked.minutes if asked.minutes else 1e9)
    log = Path(asked.log).absolute()
    log.parent.mkdir(parents=True, exist_ok=True)
    tallies: list[Tally] = []
    with log.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for name in asked.only.split(","):
            tally = Tally(name)
            tallies.append(tally)
            for number, outcome, seconds in _ran(PARTS[name], name, asked, until):
                tally.add(number, outcome, seconds)
                if outcome.problems:
                    print(f"{name} {number}: {' | '.join(outcome.problems)}\n    {outcome.line}", file=file, flush=True)
            _show_failures(tally, asked.seed)
            wanted = 1 if asked.case is not None else _count(PARTS[name], asked)
            if tally.ended < wanted:
                tally.failures.append((-1, Outcome((f"time was up after {tally.ended} of {wanted} cases",))))
    _show_table(tallies, time.monotonic() - begin, log)
    return int(any(tally.failures for tally in tallies))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=13, help="of everything that is drawn")
    parser.add_argument("--only", default=",".join(PARTS), help="kinds of attack, with commas")
    parser.add_argument("--cases", type=int, help="of each kind; by default as many as `make attack` runs")
    parser.add_argument("--small", action="store_true", help="the part that belongs to `make test`")
    parser.add_argument("--case", type=int, help="only the case with this number")
    parser.add_argument("--minutes", type=float, help="begin no case after so many minutes")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--log", default="out/attack.log", help="where each failure is written")
    found = parser.parse_args()
    for name in found.only.split(","):
        if name not in PARTS:
            parser.error(f"there is no attack '{name}'; there are {', '.join(PARTS)}")
    return found


def _count(part: Part, asked: argparse.Namespace) -> int:
    return asked.cases or (part.few if asked.small else part.cases)


def _ran(part: Part, name: str, asked: argparse.Namespace, until: float):
    """The cases of a part, run in a process of its own, so that what one part loads or sets is not there in the next."""
    numbers = [asked.case] if asked.case is not None else list(range(_count(part, asked)))
    if not numbers:
        return
    home, folder = Path.cwd(), Path(tempfile.mkdtemp(prefix="attack-"))
    environment = dict(os.environ)
    try:
        part.prepare(folder)
        yield from attacked(part, name, numbers, asked.seed, folder, asked.workers, until)
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
        print(f"    python -m attack --only {tally.name} --seed {seed} --case {number}")
    if len(kinds) > _SHOWN:
        print(f"\n{tally.name}: and {len(kinds) - _SHOWN} more kinds of failure")


def _kind(problem: str) -> str:
    """A problem without what differs from case to case."""
    return re.sub(r"'[^']*'?|\"[^\"]*\"?|\d+", "#", problem)[:100]


def _show_table(tallies: list[Tally], seconds: float, log: Path) -> None:
    print(f"\n{'attack':10}{'cases':>8}{'passed':>8}{'failed':>8}{'CPU s':>8}  ended")
    for tally in tallies:
        ended = ", ".join(f"{kind or 'done'} {count}" for kind, count in sorted(tally.kinds.items()))
        failed = len(tally.failures)
        print(f"{tally.name:10}{tally.cases:>8}{tally.cases - failed:>8}{failed:>8}{tally.seconds:>8.0f}  {ended}")
    print(f"\n{seconds:.0f} seconds; every failure stands in {log}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:
        traceback.print_exc()
        sys.exit(3)
