"""A blueprint of Flop Hold'em in one call, its file, and opponents made of it."""

from __future__ import annotations

import io
import json
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.files import check_writable, write_whole
from counterplay.poker.cards import cards_text
from counterplay.poker.fhp_external import External
from counterplay.poker.fhp_game import Game
from counterplay.poker.fhp_play import Bucketed, Buckets, normalised
from counterplay.poker.fhp_solver import Solver
from counterplay.solvers.minimiser import CFR_PLUS, minimiser

EXTERNAL, PUBLIC = "external", "public"


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy and how it was made.

    Attributes:
        play: of both players.
        method: "external", "public", or a method of full iterations.
        iterations, seed, seconds: of the solve.
    """

    play: Bucketed
    method: str
    iterations: int
    seed: int
    seconds: float


def blueprint(
    game: Game, buckets: Buckets, *, method: str = EXTERNAL, iterations: int, seed: int = 0, threads: int = 1
) -> Blueprint:
    """Solve the game with buckets.

    Args:
        buckets: from `cluster`, or `lossless` for the game itself.
        method: "external" or "public" sampling (the latter of one flop an iteration, with CFR+), or over all flops "cfr",
            "cfr+" or "dcfr".
        iterations: of the method.
        seed: of the draws.
        threads: for methods over all flops.

    Raises:
        InputError: no such method, no iterations, or too little memory.
    """
    if iterations < 1:
        raise InputError(f"iterations: at least 1 is needed, not {iterations}")
    begin = time.perf_counter()
    solver: External | Solver
    if method == EXTERNAL:
        solver = External(game, buckets, seed=seed)
        solver.sample(iterations)
    elif method == PUBLIC:
        solver = Solver(game, buckets, CFR_PLUS)
        solver.sample(iterations, np.random.default_rng(seed))
    else:
        solver = Solver(game, buckets, minimiser(method), threads=threads)
        solver.sweep(iterations)
    return Blueprint(solver.average(), method, iterations, seed, time.perf_counter() - begin)


def shuffled(game: Game, play: Bucketed, chance: float, random: np.random.Generator) -> Bucketed:
    """The opponents of paper 002: with this chance an infoset's probabilities are multiplied by uniform draws.

    Args:
        play: what is changed; infosets are those of its buckets, before the flop of its classes.
        chance: from 0 to 1.

    Raises:
        InputError: the chance is no probability.
    """
    if not 0 <= chance <= 1:
        raise InputError(f"the chance to shuffle must be between 0 and 1, not {chance:g}")

    def changed(table: Any, decisions: Any) -> Any:
        draws = random.random(table.shape)
        for _, _, first, count in decisions:
            draws[first : first + count, random.random(table.shape[1]) >= chance] = 1.0
        return normalised(table * draws, decisions).astype(table.dtype)

    group = play.buckets.preflop
    _, first = np.unique(group, return_index=True)
    early, late = [], []
    for side, before, tables in zip(game.sides, play.preflop, play.tables, strict=True):
        early.append(changed(before[:, first], side.preflop)[:, group])
        late.append([changed(table, side.flop) for table in tables])
    return replace(play, preflop=(early[0], early[1]), tables=(late[0], late[1]))


def save_blueprint(path: Path, game: Game, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets to a .npz file; a lossless one takes 0.8 GB.

    Raises:
        InputError: it cannot be written.
    """
    check_writable(path, ".npz")
    play, buckets = blueprint.play, blueprint.play.buckets
    about = {
        "deck": cards_text(game.flops.deck.cards), "betting": _betting(game), "name": buckets.name,
        "method": blueprint.method, "iterations": blueprint.iterations, "seed": blueprint.seed,
        "seconds": blueprint.seconds,
    }  # fmt: skip
    arrays: dict[str, Any] = {
        "group": buckets.preflop,
        "lane": buckets.lane,
        "block": buckets.block,
        "sizes": buckets.sizes,
    }
    arrays["about"] = json.dumps(about)
    for player in (0, 1):
        arrays[f"early{player}"] = play.preflop[player]
        arrays[f"late{player}"] = np.concatenate(play.tables[player], axis=1)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    write_whole(path, stream.getvalue())


def load_blueprint(path: Path, game: Game) -> Blueprint:
    """Read it.

    Raises:
        InputError: the file is missing, is something else, or is of another game.
    """
    try:
        with np.load(path, allow_pickle=False) as parts:
            about = json.loads(str(parts["about"]))
            if (about["deck"], about["betting"]) != (cards_text(game.flops.deck.cards), _betting(game)):
                raise InputError(f"the blueprint in {path} is of another game")
            buckets = Buckets(parts["group"], parts["lane"], parts["block"], parts["sizes"], about["name"])
            ends = np.cumsum(buckets.sizes)[:-1]
            early = parts["early0"], parts["early1"]
            late = [np.split(parts[f"late{player}"].astype(game.dtype), ends, axis=1) for player in (0, 1)]
            play = Bucketed(buckets, early, (late[0], late[1]))
            return Blueprint(play, about["method"], about["iterations"], about["seed"], about["seconds"])
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read a blueprint from {path}: {error}") from None


def _betting(game: Game) -> list[list[float]]:
    """What a betting tree is, as far as a strategy hangs on it."""
    betting = game.betting
    return [[float(betting.kind[n]), float(betting.parent[n]), float(betting.pot[n])] for n in range(betting.nodes)]
