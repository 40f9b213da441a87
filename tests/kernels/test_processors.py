"""Equal numbers on processors with AVX2 and with AVX-512, by one thread and by many.

Threads change no bit, anywhere. Instruction sets may change the order in which a sum is rounded: one sweep or showdown
differs by a few units in the last place at most, a solve by what its iterations make of that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.pages import ROOT

Numbers = Mapping[str, NDArray[Any]]
AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
MOST = {"sweep": 1e-14, "showdown, float64": 1e-13, "showdown, float32": 2e-5, "cfr": 1e-9, "turn, float64": 1e-9}
"""By which part of its largest number an array may differ between instruction sets; float32 solves are not compared with
each other, but with those in float64, below."""
SINGLE = 2e-3
"""By how much a probability may differ between float32 and float64 after 20 iterations of the turn."""


def computed(folder: Path, name: str, threads: int, **processor: str) -> Numbers:
    """The numbers of a process of its own, which keeps its kernels in a folder of that processor."""
    kernels = folder / ("avx2" if processor else "own")
    environment = {**os.environ, **processor, "NUMBA_CACHE_DIR": str(kernels), "COUNTERPLAY_THREADS": str(threads)}
    command = [sys.executable, "-m", "tests.support.processor_numbers", str(folder / f"{name}.npz")]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    with np.load(folder / f"{name}.npz") as file:
        return dict(file)


def kernels_of(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*.nbc")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("processors")


@pytest.fixture(scope="module")
def usual(folder: Path) -> Numbers:
    """By this processor and one thread."""
    return computed(folder, "usual", 1)


def assert_equal_bits(one: Numbers, two: Numbers) -> None:
    assert one.keys() == two.keys()
    for name, numbers in one.items():
        np.testing.assert_array_equal(numbers, two[name], err_msg=name)


@pytest.mark.slow
def test_threads_change_no_bit(usual: Numbers, folder: Path) -> None:
    assert_equal_bits(usual, computed(folder, "threads", 4))


@pytest.mark.slow
def test_instruction_sets_differ_by_rounding_at_most(usual: Numbers, folder: Path) -> None:
    from llvmlite.binding import get_host_cpu_features

    if not get_host_cpu_features().get("avx512f"):
        pytest.skip("this processor has no AVX-512 to compare AVX2 with")
    narrow = computed(folder, "avx2", 1, **AVX2)
    assert_equal_bits(narrow, computed(folder, "avx2 threads", 4, **AVX2))
    assert not kernels_of(folder / "own") & kernels_of(folder / "avx2")  # each was compiled for its own processor
    assert narrow.keys() == usual.keys()
    for name, numbers in usual.items():
        scale, off = np.abs(numbers).max(), np.abs(numbers - narrow[name]).max()
        most = next((most for kind, most in MOST.items() if name.startswith(kind)), None)
        print(f"{name}: {off / scale:.1e}")
        assert most is None or off <= most * scale, name
    for numbers in (usual, narrow):
        for player in (0, 1):
            plans = (numbers[f"turn, {kind}, average {player}"] for kind in ("float32", "float64"))
            assert np.abs(np.subtract(*plans)).max() <= SINGLE
