"""Equal seeds play the same; a saved agent continues as if never interrupted; damaged files are rejected."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.agent_archive import KIND
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.worlds.histories import CompiledSearch
from counterplay.measure.match import deal
from counterplay.measure.play_hand import play_hand
from tests.support.archives import parts_of, sealed
from tests.support.covering import covering
from tests.support.search_agents import MERGED, hands, load, made, one_sentence, searching
from tests.support.spots import river

TEXTS = {
    "kuhn": "cdrnr:p=0.5,depth=1,to=random:3",
    MERGED: "cdrnr:p=0.5,depth=2,gadget=resolving,solver=lp,to=random:3",
    "goofspiel:4": "cdrnr:p=0.5,expand=way,leaf=rollout:5,iterations=40,to=uniform",
    "liars_dice:1,3": "resolve:expand=way,leaf=rollout:5,iterations=40,remember=no",
}


ONE_MORE = [spec for spec in TEXTS if spec.startswith("liars_dice")]
"""Whose kernels take seconds to compile."""
OTHERS = [spec for spec in TEXTS if spec not in ONE_MORE]


@pytest.mark.parametrize("spec", [*OTHERS, *(pytest.param(spec, marks=pytest.mark.slow) for spec in ONE_MORE)])
def test_equal_seeds_play_alike(spec: str) -> None:
    """Hands depend on nothing but the seeds."""
    first, again, other = ([hand.moves for hand in hands(load(spec), made(spec, TEXTS[spec], 0, seed), 10)]
                           for seed in (4, 4, 5))  # fmt: skip
    assert first == again
    assert first != other


def no_model(_: str, actions: Sequence[str]) -> dict[str, float]:
    """A function as a model, of which no text tells where it is."""
    return dict.fromkeys(actions, 1.0 / len(actions))


class Restless:
    """An agent that is put away and taken up again before every move, and between hands."""

    def __init__(self, agent: Any, path: Path, **words: Any) -> None:
        self.seat, self.agent, self.path, self.words = agent.seat, agent, path, words

    def _again(self) -> None:
        self.agent.save(self.path)
        self.agent = cp.resume(self.path, **self.words)

    def new_hand(self) -> None:
        self._again()
        self.agent.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        self._again()
        return str(self.agent.act(observation, legal))


@pytest.mark.parametrize(
    ("spec", "seat"),
    [
        *covering(OTHERS, [0, 1]),
        *(pytest.param(spec, seat, marks=pytest.mark.slow) for spec in ONE_MORE for seat in (0, 1)),
    ],
)
def test_a_saved_agent_goes_on_as_if_nothing_had_happened(spec: str, seat: int, tmp_path: Path) -> None:
    """Saved and resumed between any two moves, an agent plays the hands that it would have played."""
    game = load(spec)
    through, pausing = (made(spec, TEXTS[spec], seat, 3) for _ in range(2))
    words = {"game": game} if isinstance(through, CompiledSearch) else {}
    restless = Restless(pausing, tmp_path / "agent.cpa", **words)
    assert [hand.moves for hand in hands(game, through, 12)] == [hand.moves for hand in hands(game, restless, 12)]
    assert list(through.log) == list(restless.agent.log)


FILES = Path(__file__).parents[1] / "files"
WRITTEN = json.loads((FILES / "saved-agents.json").read_text())
"""Agents that an earlier version saved after some hands: the game of each, and the next five hands against uniform play."""


@pytest.mark.parametrize("name", WRITTEN)
def test_an_agent_of_an_earlier_version_goes_on(name: str) -> None:
    """Of every world: it plays the hands that the version would have played that wrote its file."""
    agent: Any = cp.resume(FILES / f"{name}.cpa")
    ground = PlayableGame(river() if WRITTEN[name]["game"] == "river" else WRITTEN[name]["game"])
    other = cp.agent(ground, "uniform", 1 - agent.seat, 4)
    pair = (agent, other) if agent.seat == 0 else (other, agent)
    played = [play_hand(ground.rules, pair, deal(9, number)) for number in range(5)]
    assert ["; ".join(text for _, text in hand.moves) for hand in played] == WRITTEN[name]["hands"]


def saved(path: Path, spec: str = "kuhn", text: str | None = None) -> Path:
    """The file of an agent in the middle of a hand."""
    agent = made(spec, text or TEXTS[spec])
    hands(load(spec), agent, 3)
    agent.save(path)
    return path


def test_files_that_are_no_agents_are_refused(tmp_path: Path) -> None:
    """Nothing, text, another archive, a strategy, half a file, another version, another game: one sentence each."""
    path = saved(tmp_path / "agent.cpa")
    whole = path.read_bytes()
    facts, arrays = parts_of(path)
    cp.opponent(load("kuhn"), "uniform").save(tmp_path / "model.cps")
    wrong = tmp_path / "wrong.cpa"
    for content in (b"hello", whole[: len(whole) // 2], (tmp_path / "model.cps").read_bytes()):
        wrong.write_bytes(content)
        with pytest.raises(cp.InputError, match=r"wrong\.cpa is not a saved agent") as caught:
            cp.resume(wrong)
        one_sentence(caught.value)
    with wrong.open("wb") as file:
        np.savez(file, behaviour=np.zeros(3))
    with pytest.raises(cp.InputError, match="is not a saved agent"):
        cp.resume(wrong)
    with pytest.raises(cp.InputError, match=r"cannot read .*missing\.cpa"):
        cp.resume(tmp_path / "missing.cpa")
    sealed(wrong, replace(KIND, format=99), facts, arrays)
    with pytest.raises(cp.InputError, match="a format that this version does not read"):
        cp.resume(wrong)
    with pytest.raises(cp.InputError, match="does not fit goofspiel:4"):
        cp.resume(path, game=load("goofspiel:4"))
    sealed(wrong, KIND, {**facts, "game": "no_game"}, arrays)
    with pytest.raises(cp.InputError, match="no_game"):
        cp.resume(wrong)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    """An empty file is no agent."""
    (tmp_path / "empty.cpa").write_bytes(b"")
    with pytest.raises(cp.InputError, match=r"empty\.cpa is not a saved agent"):
        cp.resume(tmp_path / "empty.cpa")


@pytest.mark.parametrize(
    "change",
    [{"seat": "x"}, {"agent": {"draw": [3, [1], None]}}, {"agent": {"hands": "x"}}, {"sight": {"last": "x"}}],
)
def test_damaged_facts_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    """Facts of another kind than an agent's are damage, and the file is named."""
    facts, arrays = parts_of(saved(tmp_path / "agent.cpa"))
    for key, new in change.items():
        facts[key] = {**facts[key], **new} if isinstance(new, dict) else new
    sealed(tmp_path / "agent.cpa", KIND, facts, arrays)
    with pytest.raises(cp.InputError, match=r"agent\.cpa is damaged"):
        cp.resume(tmp_path / "agent.cpa")


def test_a_model_that_cannot_be_saved_is_asked_for(tmp_path: Path) -> None:
    """If the model is a function, which no file holds, resuming without it is rejected in one sentence."""
    agent = searching("kuhn", 0, no_model, p=0.5, leaf="rollout:2", way=True)
    hands(load("kuhn"), agent, 2)
    agent.save(tmp_path / "agent.cpa")
    assert cp.resume(tmp_path / "agent.cpa", model=no_model).model is no_model
    with pytest.raises(cp.InputError, match="model") as caught:
        cp.resume(tmp_path / "agent.cpa")
    one_sentence(caught.value)


def test_flipped_bytes_are_survived(tmp_path: Path) -> None:
    """A file with a few wrong bytes is rejected in one sentence, or harmless."""
    whole, rng = saved(tmp_path / "agent.cpa").read_bytes(), random.Random(3)
    path = tmp_path / "wrong.cpa"
    for _ in range(60):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        try:
            hands(load("kuhn"), cp.resume(path), 1)
        except cp.InputError as error:
            one_sentence(error)
