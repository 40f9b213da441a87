"""Responses by a rule of choice as files (`.cpr`): the rule, the decisions before the flop, and the strategies that are
responded to and looked at, each the content of a blueprint's file. What the responder does on a board is computed when it is
asked for, so that a file of a few megabytes has an exact response on every board.

Where the answer is the blueprint, the file holds that.

A model that is no table, such as a bot, is not in the file: it is given again, and compared with what the file knows of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterplay.archive import Archive, ArchiveKind, archive_bytes, opened, write
from counterplay.arrays import AnyArray
from counterplay.endings import RESPONSE
from counterplay.errors import FileError, InputError, in_file
from counterplay.files import check_writable
from counterplay.poker.whole_game.blueprints import blueprint_file
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import check_rows
from counterplay.poker.whole_game.holdem import HoldemGame, question_of, short_text
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, digest_of
from counterplay.poker.whole_game.walks.make_rule import RuleResponse, RuleSettings

_MOST = 16
"""Strategies of a file at most."""
_LARGEST = 2**31
"""Bytes of one of them at most."""
_BLUEPRINT = "blueprint"
"""The rule of a blueprint, which chooses nothing."""
KIND = ArchiveKind(
    "a response in hold'em", 1, frozenset({"early", *(f"strategy{k}" for k in range(_MOST))}), packed=True
)


def save(path: Path, strategy: HoldemStrategy) -> None:
    """Write a response, whole or not at all; an `InputError` if it looks at a strategy that is no table."""
    check_writable(path, RESPONSE)
    found, game = strategy.play, strategy.rules.game
    if isinstance(found, BucketedStrategy):
        content = np.frombuffer(_content(game, found), np.uint8)
        kept = {"player": strategy.player, "rule": _BLUEPRINT, "sizes": [len(content)]}
        write(path, KIND, {**question_of(game), **kept}, {"strategy0": content})
        return
    if not isinstance(found, RuleResponse):
        raise InputError(f"cannot write {path}: such a file holds what respond --flops finds")
    asked = found.asked
    looks = [*([] if asked.blueprint is None else [asked.blueprint]), *asked.continuations]
    if not all(isinstance(play, BucketedStrategy) for play in looks):
        raise InputError(f"cannot write {path}: the look-ahead ends in a strategy that is no table")
    if len(looks) >= _MOST:
        raise InputError(f"cannot write {path}: it holds at most {_MOST - 1} strategies of a look-ahead")
    contents = [_content(game, play) for play in (found.theirs, *looks)]
    facts = {
        **question_of(game), "player": found.player, "rule": asked.name, "depth": asked.depth,
        "method": str(strategy.facts.get("method", asked.name)), "blueprint": asked.blueprint is not None,
        "model": digest_of(game, 1 - found.player, found.theirs), "sizes": [len(content) for content in contents],
    }  # fmt: skip
    arrays = {f"strategy{k}": np.frombuffer(content, np.uint8) for k, content in enumerate(contents) if content}
    write(path, KIND, facts, {"early": found.early, **arrays})


def load(path: Path, game: HoldemGame, to: BlueprintStrategy | None = None) -> RuleResponse | BucketedStrategy:
    """Read a response, or the blueprint that is played instead; an `InputError` if the file is damaged or of another
    game, or the model is not there. to: the model, if it is not in the file."""
    with opened(path, KIND) as archive:
        try:
            return _response(path, archive, game, to)
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no response's ({type(error).__name__})") from None


def seat_of(path: Path) -> int:
    """The seat of the responder in a file."""
    with opened(path, KIND) as archive:
        player = archive.facts.get("player")
        if player not in (0, 1):
            raise FileError(f"{path} is damaged: it names no seat")
        return int(player)


def _content(game: HoldemGame, play: BlueprintStrategy) -> bytes:
    """A strategy as a blueprint's file has it; nothing of one that is no table."""
    if not isinstance(play, BucketedStrategy):
        return b""
    return archive_bytes(blueprint_file.KIND, *blueprint_file.contents(game, Blueprint(play, "", 0, 0, 0.0)))


def _response(
    path: Path, archive: Archive, game: HoldemGame, to: BlueprintStrategy | None
) -> RuleResponse | BucketedStrategy:
    facts = archive.facts
    if any(facts.get(key) != wanted for key, wanted in question_of(game).items()):
        raise InputError("it is of another game")
    player, sizes = int(facts["player"]), facts["sizes"]
    if player not in (0, 1) or not 0 < len(sizes) <= _MOST or not all(0 <= int(n) < _LARGEST for n in sizes):
        raise ValueError("sizes")
    kept, *looks = (_strategy(path, archive, game, k, int(size)) for k, size in enumerate(sizes))
    if kept is not None and facts["rule"] == _BLUEPRINT:
        return kept
    model = kept if to is None else to
    if model is None:
        raise InputError(f"the model is no table, and not in the file: give it again, as {path}:MODEL")
    plays = tuple(play for play in looks if play is not None)
    ahead = facts["blueprint"] is True
    asked = RuleSettings(
        short_text(facts, "rule"), int(facts["depth"]), plays[0] if ahead else None, plays[1:] if ahead else plays
    )
    side = game.sides[player]
    early = archive.array("early", (side.sizes[0], game.boards.classes)).astype(float)
    check_rows(early, side.decisions[0])
    if to is not None and facts["model"] != digest_of(game, 1 - player, model):
        raise InputError("the model is not the one that it responds to")
    return RuleResponse(game, player, model, asked, early)


def _strategy(path: Path, archive: Archive, game: HoldemGame, k: int, size: int) -> BucketedStrategy | None:
    if not size:
        return None
    content: AnyArray = archive.array(f"strategy{k}", (size,), "u")
    return blueprint_file.load(path, game, content.tobytes())[1].play
