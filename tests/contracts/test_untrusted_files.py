"""Files are data: whatever a file says, nothing is imported and no other file is opened because of it."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.agent_archive import KIND
from counterplay.games.formats.efg import write_efg
from counterplay.games.spec_text import is_plugin
from counterplay.opponents import REGISTRY as HEADS
from counterplay.opponents.opponent import is_strategy_text
from counterplay.value_functions.leaf_value import is_fixed_value
from tests.support.archives import OLD, changed, parts_of, sealed

SENTINELS = ("sentinel", "br", "random", "noise", "dcfr", "observed")
"""Modules in the current folder; some are called as the library's own words are, and some as modules of Python."""


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules that say so when they are imported."""
    for name in SENTINELS:
        (tmp_path / f"{name}.py").write_text(
            f"open('{tmp_path}/{name}.sprung', 'w')\nbot = uniform = nash = game = print\n", encoding="utf-8"
        )
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name in SENTINELS:
            del sys.modules[name]


def opened_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that are opened from now on."""
    seen: list[str] = []
    real = builtins.open

    def spy(file: Any, *words: Any, **more: Any) -> Any:
        seen.append(str(file))
        return real(file, *words, **more)

    monkeypatch.setattr(builtins, "open", spy)
    return seen


def agent_file(path: Path, name: str, **change: Any) -> Path:
    """A saved agent that says something else; `search` changes the search only."""
    facts, arrays = parts_of(_saved(path, name))
    search = {**facts["search"], **change.pop("search", {})}
    return sealed(path, KIND, {**facts, "search": search, **change}, arrays)


def _saved(path: Path, name: str) -> Path:
    game = cp.load("kuhn") if name == "kuhn" else None
    cp.resume(OLD / f"{name}.cpa", game=game).save(path)
    return path


EVIL_MODELS = [
    "sentinel:bot",
    "os:system",
    "noise:0.5:sentinel:bot",
    "noise:0.5:noise:0.1:sentinel:bot",
    "br:sentinel:bot",
    "shuffle:0.5,1:sentinel:bot",
    "bias:x=1:br:sentinel:bot",
    "observed:10:sentinel:bot",
    "model.json",
    "noise:0.5:model.cps",
    "random:7.json",
    "br:x.cps",
    "x.spot",
    "sentinel:bot.json",
]
EVIL_VALUES = [
    "sentinel:bot",
    "portfolio:uniform;sentinel:bot",
    "portfolio:uniform|nash;br:sentinel:bot",
    "sampled:10:uniform;sentinel:bot",
    "sampled:10,3:uniform|model.json",
    "worth",
    "portfolio",
    5,
    None,
]
EVIL_GAMES = [
    "sentinel:game",
    "os:getcwd",
    "evil.efg",
    "leduc:x.efg",
    "openspiel:kuhn_poker",
    "river.toml",
    "no_game",
    7,
]


@pytest.mark.parametrize("name", ["goofspiel", "kuhn"])
@pytest.mark.parametrize("text", EVIL_MODELS)
def test_a_model_in_a_file_that_is_not_the_librarys_is_refused(traps: Path, name: str, text: str) -> None:
    path = agent_file(traps / "agent.cpa", name, model=text)
    with pytest.raises(cp.InputError, match=r"agent\.cpa .*cp\.resume\(path, model=\.\.\.\)"):
        cp.resume(path)
    assert not list(traps.glob("*.sprung"))


@pytest.mark.parametrize("text", EVIL_VALUES)
def test_a_value_function_in_a_file_that_is_not_the_librarys_is_refused(traps: Path, text: Any) -> None:
    path = agent_file(traps / "agent.cpa", "goofspiel", search={"value": text})
    with pytest.raises(cp.InputError, match=r"agent\.cpa .*cp\.resume\(path, leaf=\.\.\.\)"):
        cp.resume(path)
    assert not list(traps.glob("*.sprung"))


@pytest.mark.parametrize("text", EVIL_GAMES)
def test_a_game_in_a_file_that_is_not_the_librarys_is_refused(
    traps: Path, text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a game file opened that the agent's file names."""
    write_efg(cp.load("kuhn").rules, traps / "evil.efg")
    path = agent_file(traps / "agent.cpa", "kuhn", game=text)
    seen = opened_by(monkeypatch)
    with pytest.raises(cp.InputError, match=r"agent\.cpa "):
        cp.resume(path)
    assert not list(traps.glob("*.sprung"))
    assert not [name for name in seen if name.endswith((".efg", ".toml"))]


def test_what_the_caller_gives_is_taken(traps: Path) -> None:
    """The file names code, the caller names it too: it is the caller's word that counts."""
    path = agent_file(traps / "agent.cpa", "goofspiel", model="sentinel:bot", search={"value": "sentinel:bot"})
    agent = cp.resume(path, model="uniform", leaf="rollout:5")
    assert agent.model == "uniform"
    assert not list(traps.glob("*.sprung"))
    with pytest.raises(cp.InputError):
        cp.resume(path, model="sentinel:missing", leaf="rollout:5")
    assert list(traps.glob("*.sprung"))


def test_an_agent_resumed_from_a_file_imports_nothing_later(traps: Path) -> None:
    """Models and portfolios are made anew as the game grows: there too the library's words are no modules."""
    path = agent_file(traps / "agent.cpa", "goofspiel", search={"value": "portfolio:uniform;random:3"})
    cp.resume(path)
    for text in ("br:uniform", "random:uniform", "noise:bot", "dcfr:bot", "observed:bot"):
        assert not is_plugin(text, HEADS)
        path = agent_file(traps / "agent.cpa", "goofspiel", model=text)
        with pytest.raises(cp.InputError):
            cp.resume(path)
    assert not list(traps.glob("*.sprung"))


def test_the_librarys_own_texts_may_stand_in_files() -> None:
    rules = cp.load("kuhn").rules
    for text in ("uniform", "nash", "random:7", "cfr+:10", "noise:0.2:nash", "br:uniform", "bias:b=2:cfr:5", "s1"):
        assert is_strategy_text(rules, text)
    for text in ("exact", "lp", "cfr:5", "rollout:5,2", "portfolio:uniform;nash|pure", "sampled:5,1:uniform;nash"):
        assert is_fixed_value(rules, text)


def test_old_files_that_name_code_are_refused(traps: Path) -> None:
    with np.load(OLD / "goofspiel.cpa") as file:
        text = file["facts"].tobytes().replace(b'"model": "uniform"', b'"model": "sentinel:bot"')
    path = changed(OLD / "goofspiel.cpa", traps / "old.cpa", facts=np.frombuffer(text, np.uint8))
    with pytest.raises(cp.InputError, match=r"cp\.resume\(path, model=\.\.\.\)"):
        cp.resume(path)
    assert not list(traps.glob("*.sprung"))


def test_labels_of_a_game_file_are_only_texts(traps: Path) -> None:
    """Infosets and actions called as modules are: they are compared with, and never looked up."""
    (traps / "evil.efg").write_text(
        'EFG 2 R "sentinel:game" { "1" "2" }\n'
        'p "" 1 1 "sentinel:bot" { "os:system" "sentinel:bot" } 0\n'
        't "" 1 "" { 1, -1 }\nt "" 2 "" { 0, 0 }\n',
        encoding="utf-8",
    )
    game = cp.load(str(traps / "evil.efg"))
    cp.opponent(game, "random:1", 0).save(traps / "model.json")
    assert cp.opponent(game, traps / "model.json", 0).probabilities("sentinel:bot").keys() == {
        "os:system",
        "sentinel:bot",
    }
    assert not list(traps.glob("*.sprung"))
