"""Blueprints of Flop Hold'em: when they stop, their files, and the command that makes and shows them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from counterplay import InputError
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.ochs import cluster
from counterplay.commands.blueprint import blueprint as command
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import FLOP_KIND, KIND, load, save
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.measure import measure
from tests.support.agents import seated_agent
from tests.support.archives import changed, parts_of, sealed
from tests.support.flop_holdem_agents import NINE

FILES = Path(__file__).parents[1] / "files"


@cache
def rules(raises: int = 2) -> Holdem:
    return Holdem(flop_holdem(raises), deck=NINE)


def test_a_blueprint_is_kept_with_its_game(tmp_path: Path) -> None:
    path, game = tmp_path / "a.cpb", rules().game
    made = blueprint(game, cluster(game.boards, 4, groups=2), method="public", iterations=20, seed=2)
    save(path, game, made)
    again, read = load(path)
    assert again.deck == game.deck
    assert measure(again, read.play).exploitability == pytest.approx(measure(game, made.play).exploitability)
    assert isinstance(seated_agent(rules(), str(path), 0, 0, 0), HoldemAgent)
    with pytest.raises(InputError, match="of another game"):
        seated_agent(rules(1), str(path), 0, 0, 0)
    whole = path.read_bytes()
    facts, arrays = parts_of(path)
    twice = {**arrays, "early0": 2.0 * arrays["early0"]}
    wrong = changed(path, tmp_path / "wrong", early0=twice["early0"]), sealed(tmp_path / "a", KIND, facts, twice)
    bad = b"", b"nonsense", whole[: len(whole) // 2], whole[:-400] + bytes(400), *(one.read_bytes() for one in wrong)
    for content in bad:
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged|sum to 1"):
            load(path)
    with pytest.raises(InputError, match="must end in"):
        save(tmp_path / "a.npz", game, made)
    with pytest.raises(InputError, match="cannot read"):
        load(tmp_path / "none.cpb")


def test_a_blueprint_stops_when_it_is_told_to() -> None:
    game = rules().game
    buckets, seen = lossless(game.boards), list[tuple[int, float]]()
    made = blueprint(game, buckets, method="dcfr", exploitability=30.0, watch=lambda n, found: seen.append((n, found)))
    assert measure(game, made.play).exploitability <= 30.0
    assert seen[-1][0] == made.iterations
    assert [blueprint(game, buckets, method="public", seconds=0.05).seconds < 2.0 for _ in range(2)][1]

    def interrupt(_done: int, _found: float) -> None:
        raise KeyboardInterrupt

    assert blueprint(game, buckets, method="public", iterations=1000, watch=interrupt).interrupted
    with pytest.raises(InputError, match="needs a limit"):
        blueprint(game, buckets)
    with pytest.raises(InputError, match="GiB is the limit"):
        blueprint(game, buckets, iterations=1, memory=1e3)


def run(*words: str) -> Any:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, words)


def test_the_command_makes_and_shows_a_blueprint(tmp_path: Path) -> None:
    path = tmp_path / "toy.cpb"
    spec = "holdem:flop,lowest=Q,buckets={}"
    made = run(spec.format(5), "--iterations", "30", "-o", str(path), "--node", "raise 4")
    assert made.exit_code == 0, made.output
    assert "GiB" in made.output
    assert "raise 4: pot 6, big blind to act" in made.output
    shown = run(spec.format(5), "--file", str(path), "--node", "c x x", "--board", "Qs Kh Ac", "--json")
    facts = json.loads(shown.output)
    assert facts["iterations"] == 30
    assert facts["nodes"][0]["actions"] == ["check", "bet 2"]
    assert facts["exploitability"] > 0.0
    for words, error in (
        (("--node", "c x x"), "name its cards"), (("--node", "f"), "no player acts"),
        (("--method", "lp"), "--method must be"),
        (("--file", str(path), "--iterations", "3"), "made already"), (("--memory", "1e-4"), "is the limit"),
        (("-o", "a.fhp"), "must end in"),
        (("-o", "a.npz"), "must end in"), (("--seconds", "0"), "above 0"), (("--memory", "0"), "above 0"),
    ):  # fmt: skip
        refused = run(spec.format(50), *words)
        assert isinstance(refused.exception, InputError)
        assert error in str(refused.exception)
    for buckets in ("0", "lossless:3"):
        assert isinstance(run(spec.format(buckets), "--iterations", "1").exception, InputError)


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("flop-lossless", (-0.12373345194451102, 0.13240821315899856)),
        ("flop-buckets", (0.9739886541917239, 1.5326561957098324)),
    ],
)
def test_files_in_the_format_of_flop_holdem_are_read_for_ever(name: str, best: tuple[float, float]) -> None:
    """One of all hands by full sweeps, one of buckets by external sampling; they play as they did."""
    game, made = load(FILES / f"{name}.fhp")
    assert (made.iterations, made.seed) == (30, 1)
    assert measure(game, made.play).best == pytest.approx(best, abs=1e-9)


def test_files_of_flop_holdem_name_a_game_that_ends_there(tmp_path: Path) -> None:
    facts, arrays = parts_of(FILES / "flop-lossless.fhp")
    longer = {**facts, "limits": {**facts["limits"], "last": 3}}
    with pytest.raises(InputError, match=r"longer\.fhp"):
        load(sealed(tmp_path / "longer.fhp", FLOP_KIND, longer, arrays))
