"""Settings and fixtures that all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import typer.main
from hypothesis import HealthCheck, settings

import counterplay as cp
from counterplay.opponents.histories import hand_store
from tests.support.commands import Runner

_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("ci", max_examples=12, deadline=None, derandomize=True, suppress_health_check=_CHECKS)
settings.register_profile("long", max_examples=100, deadline=None, derandomize=True, suppress_health_check=_CHECKS)
settings.register_profile("hunt", max_examples=1000, deadline=None, suppress_health_check=_CHECKS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


typer.main.get_command = cache(typer.main.get_command)  # tests run hundreds of commands in one process

os.fsync = lambda _: None  # thousands of files wait for the disk each, and no test cuts the power

hand_store.store_path = lambda: None  # what a test reads is parsed, and not what an earlier run has kept

gc.disable()  # what collection makes stays until the end


def pytest_collection_finish() -> None:
    """Leave some million objects of modules and tests out of every garbage collection, and collect less often."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@cache
def _load(spec: str) -> cp.GameTree:
    return cp.load(spec)


@pytest.fixture(scope="session")
def game_of() -> Callable[[str], cp.GameTree]:
    """A function from a spec to the loaded game, each loaded once."""
    return _load


@pytest.fixture(scope="session")
def kuhn() -> cp.GameTree:
    """Kuhn poker."""
    return _load("kuhn")


@pytest.fixture(scope="session")
def leduc() -> cp.GameTree:
    """Leduc poker with six distinct cards."""
    return _load("leduc")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Runner:
    """A function that runs `counterplay WORDS` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Runner(monkeypatch, capsys)
