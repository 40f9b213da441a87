"""What hands are good for, in every world: games in memory, spots in arrays and in stores, whole hold'em.

A cell of the table says what a command prints, or in which words it declines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.commands import Runner
from tests.support.stored_spots import large_from

PLAYER = "random:3"
GAMES = {
    "enumerated": "kuhn",
    "arrays": "river.toml",
    "stored": "turn.toml",
    "whole": "holdem:deck=20,stack=4bb,bets=fcpa,last=flop,buckets=2",
}
FILES = {
    "river.toml": 'board = "Qs Jh 2h 8d 3c"\noop = "QQ,KQs"\nip = "JJ,AQs"\npot = 100\nstack = 200\nbets = "75%, a"\n',
    "turn.toml": 'board = "Qs Jh 9h 8d"\noop = "QQ,AK"\nip = "JJ,AQ"\npot = 200\nstack = 250\nbets = "a"\nraises = 1\n'
    'deck = "8"\n',
}
USES: dict[str, tuple[list[str], dict[str, str]]] = {
    "hands": (["hands", "LOG"], {}),
    "respond": (["respond", "GAME", "--to", "TEXT"], {}),
    "respond with trust": (["respond", "GAME", "--to", "TEXT", "--method", "dbr", "--p", "0.8"], {}),
    "model": (["model", "GAME", "--hands", "LOG", "--player", PLAYER, "--prior", "uniform", "-o", "FILE"], {}),
    "respond to the file": (["respond", "GAME", "--to", "FILE"], {}),
    "evaluate the file": (["evaluate", "GAME", "FILE", "--hands", "LOG", "--player", PLAYER, "--prior", "uniform"], {}),
    "misread": (["misread", "GAME", "--models", "TEXT;uniform", "--methods", "br"], {}),
    "villain": (
        ["villain", "LOG", "--player", PLAYER],
        dict.fromkeys(("enumerated", "arrays", "stored"), "are of other games than hold'em"),
    ),
    "villain in the spot": (
        ["spot", "--file", "GAME", "--villain", "TEXT"],
        dict.fromkeys(("enumerated", "whole"), "cannot read"),
    ),
    "posterior": (
        ["respond", "GAME", "--to", "TEXT", "--posterior", "5"],
        dict.fromkeys(("arrays", "stored", "whole"), "--posterior is for games in memory"),
    ),
    "agent": (["match", "GAME", "TEXT", "uniform", "--hands", "4"], {}),
}


@pytest.fixture(params=GAMES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A world; its files are in the current folder."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    with ExitStack() as stack:
        if request.param == "stored":
            stack.enter_context(large_from(0, "single"))
        yield request.param


def test_hands_are_good_for_the_same_in_every_world(world: str, run: Runner) -> None:
    game = GAMES[world]
    ending = {"stored": "spot", "whole": "cpb"}.get(world, "cps")
    words = {"GAME": game, "LOG": "log.jsonl", "FILE": f"villain.{ending}",
             "TEXT": f"hands:log.jsonl,player={PLAYER}" + (",prior=uniform" if world == "whole" else ""),
             "TEXT;uniform": f"hands:log.jsonl,player={PLAYER},prior=uniform;uniform"}  # fmt: skip
    assert run("match", game, "uniform", PLAYER, "--hands", "60", "--log", "log.jsonl").code == 0
    for use, (command, declined) in USES.items():
        usual = [] if "--method" in command else ["--method", "rnr", "--p", "0.5"]
        more = [*usual, "--flops", "2"] if world == "whole" and command[0] == "respond" else []
        done = run(*[words.get(word, word) for word in command], *more)
        assert done.code == (2 if world in declined else 0), (use, done.err)
        if world in declined:
            assert declined[world] in done.err, use
            assert len([line for line in done.err.splitlines() if line.startswith("counterplay: ")]) == 1
