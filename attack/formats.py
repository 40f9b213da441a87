"""The formats of files: how to make a small one, how to read it, and what must be unchanged. One line each.

A new format needs one line in `FORMATS`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        ending: of the name.
        make: writes a small file through the library; a few KiB.
        read: reads one through the library's own door; what it gives is compared by `same`.
        sealed: carries a checksum: whatever is read must be what was written. Others are text that a user writes, where
            another number is another file; they must be read or refused in one sentence.
    """

    ending: str
    make: Callable[[Path], None]
    read: Callable[[Path], Any]
    sealed: bool

    def original(self, folder: Path) -> Path:
        """The file in a folder, made if it is not there."""
        path = folder / f"original{self.ending}"
        if not path.exists():
            self.make(path)
        return path


@cache
def _game(spec: str) -> Any:
    import counterplay as cp

    return cp.load(spec)


def _make_strategy(path: Path) -> None:
    import counterplay as cp

    cp.opponent(_game("kuhn"), "random:3", player=1).save(path)


def _read_strategy(path: Path) -> Any:
    import counterplay as cp

    found = cp.opponent(_game("kuhn"), path, player=1)
    cp.evaluate(_game("kuhn"), cp.opponent(_game("kuhn"), "uniform", player=0), found)
    return found.behaviour, dict(found.facts)


def spot_of_all() -> Any:
    """The little river that all parts use."""
    import counterplay as cp

    return cp.Spot.from_table(
        {"board": "Qs Jh 2h 8d 3c", "oop": "AA,T9s", "ip": "KK,QQ", "pot": 10, "stack": 5, "bets": "a", "raises": 1}
    )


def _make_spot(path: Path) -> None:
    import counterplay as cp

    cp.solve_spot(spot_of_all(), iterations=20).save(path)


def _read_spot(path: Path) -> Any:
    from counterplay.poker.spots.solution import load_spot as load

    found = load(path)
    found.node("")
    return [*map(found.plans.reach, (0, 1)), json.dumps(found.spot.table(), sort_keys=True), dict(found.facts)]


@cache
def _holdem() -> Any:
    return _game("holdem:flop,lowest=Q").game


def _make_blueprint(path: Path) -> None:
    from counterplay.card_abstraction.ochs import cluster
    from counterplay.poker.whole_game.blueprints.blueprint import blueprint
    from counterplay.poker.whole_game.blueprints.blueprint_file import save

    save(
        path,
        _holdem(),
        blueprint(_holdem(), cluster(_holdem().boards, 4, groups=2), method="public", iterations=5, seed=2),
    )


def _read_blueprint(path: Path) -> Any:
    from counterplay.poker.whole_game.blueprints.blueprint_file import load

    game, made = load(path)
    play = made.play
    tables = [table for tables in play.tables for table in tables]
    return [
        *play.preflop, *tables, *play.buckets.lanes[0].values(), play.buckets.preflop,
        made.method, made.iterations, made.seed, game.betting.sizes.text,
    ]  # fmt: skip


_TOY = "holdem:deck=12,stack=2bb,bets=a,last=turn"


def _make_response(path: Path) -> None:
    import counterplay as cp
    from counterplay.poker.whole_game.blueprints.blueprint_file import save_response

    answer = cp.respond_on_flops(_game(_TOY), cp.opponent(_game(_TOY), "passive", player=1), "lbr", 2)
    assert answer.strategy is not None
    save_response(path, answer.strategy)


def _read_response(path: Path) -> Any:
    from counterplay.poker.whole_game.blueprints.blueprint_file import load_response

    game = _game(_TOY).game
    play: Any = load_response(path, game)
    board = game.boards.child(game.boards.root, 1)
    return [play.early, *play.theirs.preflop, *play.on(0, board), *play.on(1, board), play.player, str(play.asked.name)]


def _make_agent(path: Path) -> None:
    import counterplay as cp

    agent: Any = cp.agent(_game("kuhn"), "cdrnr:depth=1,p=0.5,iterations=10,to=random:1", 0)
    agent.new_hand()
    agent.act("0")
    agent.save(path)


def _read_agent(path: Path) -> Any:
    import counterplay as cp

    agent: Any = cp.resume(path)
    chain = agent.chain
    known = [chain.behaviour.copy(), chain.other.copy(), chain.decided.copy(), agent.seat, agent.hands]
    known.append(getattr(agent.model, "behaviour", agent.model))
    agent.new_hand()
    return [*known, agent.policy("1")]


def _make_spot_agent(path: Path) -> None:
    import counterplay as cp

    agent: Any = cp.agent(spot_of_all(), "resolve:iterations=5", 0)
    agent.new_hand()
    agent.policy("| AhAs")
    agent.save(path)


def _read_spot_agent(path: Path) -> Any:
    import counterplay as cp

    agent: Any = cp.resume(path)
    plans = [agent.chain.plans.behaviour(seat)[:].copy() for seat in (0, 1)]
    return [*plans, agent.seat, agent.policy("| AhAs")]


def _write(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _written(text: str) -> Callable[[Path], None]:
    return partial(_write, text)


def _read_efg(path: Path) -> Any:
    import counterplay as cp

    game = cp.load(path)
    return cp.evaluate(game, cp.opponent(game, "uniform", player=0))


def _read_question(path: Path) -> Any:
    import counterplay as cp

    return cp.Spot.from_file(path).table()


def _read_leaks(path: Path) -> Any:
    from counterplay.poker.locking.leak_match import check_leaks
    from counterplay.poker.locking.leak_text import Leaks

    found = Leaks.from_file(path)
    check_leaks(found, spot_of_all())
    return found


def _read_prior(path: Path) -> Any:
    import counterplay as cp

    return cp.resolve(_game("kuhn"), "uniform", ["moves:1"], prior=str(path), solver="cfr+", stop=cp.Stop(iterations=1))


def _make_record(path: Path) -> None:
    from counterplay.about import version

    path.write_text(json.dumps({"version": version(), "numbers": {"a | b": 1.5, "c | d": 2.5}}))


def _read_record(path: Path) -> Any:
    from counterplay_papers.runner import _read

    return _read(path)


class _Pieces:
    """Work in two pieces."""

    def identity(self) -> dict[str, str]:
        return {"what": "an attack"}

    def keys(self) -> list[str]:
        return ["a", "b"]

    def compute(self, key: str) -> Any:
        return np.arange(6.0).reshape(2, 3) / 7.0 if key == "a" else 2.5


def _read_work(path: Path) -> Any:
    """As the library does it: what is torn or damaged is computed again."""
    from counterplay.work.run_work import run_work
    from counterplay.work.work_record import WorkRecord

    return [*run_work(_Pieces(), record=WorkRecord(path, _Pieces().identity())).results.values()]


@contextmanager
def _cached(path: Path) -> Iterator[Callable[[], Any]]:
    """Sampled values under a key, whose file is in the folder of this one."""
    from counterplay.value_functions.sampled_portfolio import SampleCache

    before = os.environ.get("COUNTERPLAY_CACHE")
    os.environ["COUNTERPLAY_CACHE"] = str(path.parent)
    try:
        yield lambda: SampleCache({"what": "an attack"})
    finally:
        os.environ.pop("COUNTERPLAY_CACHE")
        if before is not None:
            os.environ["COUNTERPLAY_CACHE"] = before


def _make_kept(path: Path) -> None:
    from counterplay.work.run_work import run_work

    with _cached(path) as open_cache:
        kept = open_cache()
        run_work(_Pieces(), record=kept)
        kept.path.replace(path)


def _read_kept(path: Path) -> Any:
    """As the library does it: from its folder, and made again where the file is damaged."""
    from counterplay.work.run_work import run_work

    with _cached(path) as open_cache:
        place = open_cache().path
        path.replace(place)
        try:
            return [*run_work(_Pieces(), record=open_cache()).results.values()]
        finally:
            place.unlink(missing_ok=True)


def _coin() -> str:
    from attack.ground import COIN

    return COIN


def _make_network(path: Path) -> None:
    from counterplay.networks.value_network import load_value_network, save_value_network

    save_value_network(path, load_value_network(Path(__file__).parent.parent / "tests" / "files" / "kuhn.cpn"))


def _read_network(path: Path) -> Any:
    from counterplay.gametree.compile.levels import Depth
    from counterplay.networks.border_states import borders_of
    from counterplay.value_functions.network_value import NetworkValue

    border = borders_of(_game("kuhn"), Depth.of(1))[0]
    return [*NetworkValue(str(path)).at(border)(*(np.ones(size) for size in border.sizes))]


FORMATS: dict[str, Format] = {
    "cps": Format(".cps", _make_strategy, _read_strategy, True),
    "spot": Format(".spot", _make_spot, _read_spot, True),
    "cpb": Format(".cpb", _make_blueprint, _read_blueprint, True),
    "cpr": Format(".cpr", _make_response, _read_response, True),
    "cpa": Format(".cpa", _make_agent, _read_agent, True),
    "spot agent": Format(".cpa", _make_spot_agent, _read_spot_agent, True),
    "network": Format(".cpn", _make_network, _read_network, True),
    "kept": Format(".work", _make_kept, _read_kept, True),
    "work": Format(".work", _read_work, _read_work, True),
    "strategy": Format(".json", _make_strategy, _read_strategy, False),
    "efg": Format(".efg", lambda path: _written(_coin())(path), _read_efg, False),
    "toml": Format(".toml", lambda path: _written(_question())(path), _read_question, False),
    "leaks": Format(".txt", lambda path: _written(_leaks())(path), _read_leaks, False),
    "prior": Format(".json", _written('{"0p": 1, "1p": 1, "2p": 0.5, "0b": 1, "1b": 0, "2b": 1}'), _read_prior, False),
    "record": Format(".json", _make_record, _read_record, False),
}
"""By name."""


def _question() -> str:
    from attack.ground import RIVER

    return RIVER


def _leaks() -> str:
    from attack.ground import LEAKS

    return LEAKS + "facing a bet of at most 50%: never fold\n"


def same(one: Any, other: Any) -> bool:
    """Whether two things that were read are equal, arrays to the last bit."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.shape == other.shape
            and bool(((one == other) | ((one != one) & (other != other))).all())
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)
