"""Equal numbers on processors with AVX2 and with AVX-512, by one thread and by many.

Kernels add in an order that is written down, eight numbers at a time whatever a register holds, and only a product and a sum
may become one operation, which both instruction sets have: no bit differs, in sweeps, showdowns, solves and the convex
program. A processor without fused operations rounds twice: the last digits of showdowns differ there, and solves by what
their iterations make of that (1e-5 of an average plan of Leduc after a hundred of DCFR); it is not among those compared.
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
_WIDE = [name for name in np._core._multiarray_umath.__cpu_dispatch__ if "AVX512" in name or name == "X86_V4"]  # type: ignore[attr-defined]
AVX2 = {
    "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma", "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": " ".join(_WIDE),
}  # fmt: skip


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
def test_avx2_changes_no_bit_either(usual: Numbers, folder: Path) -> None:
    from llvmlite.binding import get_host_cpu_features

    if not get_host_cpu_features().get("avx512f"):
        pytest.skip("this processor has no AVX-512 to compare AVX2 with")
    narrow = computed(folder, "avx2", 1, **AVX2)
    assert not kernels_of(folder / "own") & kernels_of(folder / "avx2")  # each was compiled for its own processor
    assert_equal_bits(usual, narrow)
    assert_equal_bits(usual, computed(folder, "avx2 threads", 4, **AVX2))
