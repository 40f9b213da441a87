"""Memory of a response in a large spot by its method: the estimate against what is measured, and refusals."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.responses import METHODS
from counterplay.responses.spot_matchups import NEEDS
from tests.support.stored_spots import TURN, large_from

ROOT = Path(__file__).parents[2]
FACTOR = 1.4
"""The estimate is within this factor of the peak, either way."""
FEW = ["rnr:p=0.5"]
ALONE = ["lbr"]
"""What the least of the others would hide: memory that it leaves counts for the next."""
ALL = [
    "br", "mix:p=0.5", "rnr:p=0.5", "safe:max_exploitability=2%", "dbr:p=0.5", "dbr:max_exploitability=2%",
    "cdbr:depth=round", "resolve:depth=round,gadget=full", "cdrnr:depth=round,p=0.5,leaf=equity",
    "cdrnr:depth=round,p=0.5,leaf=cfr:2", "cdrnr:depth=round,p=0.5", "cdbr-ne:depth=round,p=0.5",
    "ses:depth=round,alpha=0.5",
    "abd:depth=round,p=0.5,leaf=portfolio:uniform;bias:fold=2:uniform",
]  # fmt: skip
"""Those that hold little first: the equilibrium stays on all boards once a method has asked for it there."""
linux = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from /proc")


@linux
@pytest.mark.parametrize(
    ("board", "methods"),
    [
        ("plain", FEW),
        *(pytest.param(board, few, marks=pytest.mark.slow) for board in ("plain", "isomorphic") for few in (ALL, ALONE)),
    ],
)  # fmt: skip
def test_the_estimate_of_a_method_is_near_its_peak(board: str, methods: list[str]) -> None:
    """A turn of full ranges, of 5 million sequences: 30 MiB and more."""
    asked = [sys.executable, "-m", "tests.support.response_memory", board, *methods]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == methods
    for text, measured, said in rows:
        ratio = int(said) / int(measured)
        assert 1 / FACTOR <= ratio <= FACTOR, (text, measured, said)


def test_every_method_says_what_it_holds() -> None:
    assert set(NEEDS) == set(METHODS)


def test_a_refusal_names_the_method_and_what_it_needs() -> None:
    """A limit between the least and the most demanding method: one answers, the other is refused before anything is
    solved."""
    asked = ["br", "rnr:p=0.5", "dbr:p=0.5", "cdrnr:depth=round,p=0.5"]
    with large_from(0, "single"):
        game = cp.load(TURN)
        model = cp.opponent(game, "uniform", 1)
        needed = []
        for text in asked:
            says = f"^{text.partition(':')[0]} in .* takes .* GiB, and .* is the limit"
            with pytest.raises(InputError, match=says) as one:
                cp.respond(replace(game, memory=1e5), model, text)
            found = re.search(r"takes ([0-9.e-]+) GiB", str(one.value))
            assert found is not None
            needed.append(float(found[1]))
        assert needed == sorted(needed)
        between = replace(game, memory=2**30 * 0.5 * (needed[0] + needed[1]))
        assert cp.respond(between, model, "br").gain >= 0.0
        with pytest.raises(InputError, match="rnr in"):
            cp.respond(between, model, "rnr:p=0.5")
