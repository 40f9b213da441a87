"""Facts in files of blueprints about game and solve, and the common part of reading them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened
from counterplay.arrays import I64, AnyArray
from counterplay.errors import FileError, InputError, in_file
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, ObservedRows
from counterplay.poker.whole_game.game_facts import Facts, question_of, short_text
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.board_split import split_in
from counterplay.poker.whole_game.strategy import BucketedStrategy

Observed = Callable[[HoldemGame, Archive, Facts, BucketedStrategy], ObservedRows | None]
_ROUNDING = 1e-4


def facts_of(game: HoldemGame, blueprint: Blueprint) -> Facts:
    """The facts of a blueprint."""
    return {
        **question_of(game), "name": blueprint.play.buckets.name, "method": blueprint.method,
        "iterations": blueprint.iterations, "seed": blueprint.seed,
        **({} if blueprint.split is None else {"split": blueprint.split.facts()}),
    }  # fmt: skip


def read_blueprint(
    path: Path,
    kind: ArchiveKind,
    game: HoldemGame | None,
    *,
    facts: Callable[[Archive], Facts],
    asked: Callable[[Facts], HoldemGame],
    play: Callable[[HoldemGame, Archive, Facts], BucketedStrategy],
    content: bytes | None = None,
    observed: Observed = lambda *_: None,
) -> tuple[HoldemGame, Blueprint]:
    """A blueprint, and its game.

    Args:
        path: the file.
        kind: of archive.
        game: the one that is played, if it is known.
        facts: those of an archive.
        asked: the game that facts name.
        play: the strategy in an archive.
        content: of an archive within the file.
        observed: what it has of a model from hands.

    Raises:
        InputError: the file is missing, damaged, something else, or of another game.
    """
    with opened(path, kind, content) as archive:
        try:
            said = facts(archive)
            if game is not None and any(said.get(key) != wanted for key, wanted in question_of(game).items()):
                raise FileError(f"the blueprint in {path} is of another game")
            here = asked(said) if game is None else game
            found = play(here, archive, said)
            seen, split = observed(here, archive, said, found), split_in(said.get("split"))
            made = short_text(said, "method"), int(said["iterations"]), int(said["seed"])
            seconds = float(said["seconds"]) if "seconds" in said else None  # files had them once
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no blueprint's ({type(error).__name__})") from None
    return here, Blueprint(found, *made, seconds, split=split, observed=seen)


def check_rows(table: AnyArray, decisions: I64) -> None:
    """Reject a strategy whose rows are not probabilities.

    Args:
        table: (sequences, lanes) probabilities.
        decisions: (decisions, 4) as in `StreetDecisions`.

    Raises:
        InputError: negative numbers, or rows that do not sum to 1.
    """
    sums = [table[first : first + count].sum(axis=0) for _, _, first, count in decisions]
    if not (table >= 0.0).all() or not all(bool((np.abs(one - 1.0) < _ROUNDING).all()) for one in sums):
        raise InputError("its probabilities do not sum to 1")
