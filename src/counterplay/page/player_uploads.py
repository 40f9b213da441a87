"""Players from files that are dropped at a table: blueprints, strategies of games, and players of hand histories.

A file stays in the folder of the page, under a name of its own, only if the checked readers accept it.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterplay.endings import BLUEPRINT, STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.opponents.hands_model import HandsModel
from counterplay.opponents.model import MODELS
from counterplay.page.hand_uploads import HAND_ENDINGS, hands_file, keep_hands
from counterplay.page.shelf import Shelf, is_name, table_in
from counterplay.treeplex.strategy_file import game_named

WHOLE, SPOT, GAME = "whole", "spot", "game"
"""Kinds of games that an uploaded player may play: the game of a blueprint, a solved spot, one of the catalogue."""
HANDS = "hands:"
"""A player of hand histories, as the browser names one: `hands:NAME.phhs,player=bob`."""
_STRATEGIES = (TEXT_STRATEGY, STRATEGY)
_STEM = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 40


def keep_player(shelf: Shelf, file: str, content: str) -> dict[str, Any]:
    """Keep an uploaded file: the name by which the player is asked for, the kinds of games, and a sentence.

    Args:
        shelf: the files of the page.
        file: the name of the file; only letters and digits of it are used.
        content: its bytes in base64.

    Raises:
        InputError: an unknown ending, or a file that its reader refuses.
    """
    ending = Path(file).suffix.lower()
    try:
        taken = b64decode(content, validate=True)
    except ValueError:
        raise InputError("the content of a file is sent in base64") from None
    keep = next((keep for endings, keep in _KEEPERS.items() if ending in endings), None)
    if keep is None:
        known = sorted(ending for endings in _KEEPERS for ending in endings)
        raise InputError(f"a file of a player ends in {', '.join(known)}, and not in {quoted(ending)}")
    return keep(shelf, file, ending, taken)


def list_uploads(shelf: Shelf) -> list[dict[str, Any]]:
    """The players of uploaded strategies and of hand histories: name, what is known of them, and the kinds of games.

    Blueprints are not among them: they are files of the folder like others.
    """
    found = []
    for path in sorted(shelf.players.glob("*.json")):
        try:
            told = table_in(path, f"the note {path.name}")["players"]
            found += [{key: one[key] for key in ("name", "about", "games")} for one in told]
        except (InputError, KeyError, TypeError):
            continue  # a damaged note names nobody
    return found


def player_of_upload(shelf: Shelf, text: str, kind: str, prior: str | None = None) -> str | None:
    """The agent's text of an uploaded player in a kind of game; None for a text that names none.

    Args:
        shelf: the files of the page.
        text: as the browser names the player: see `HANDS`, or the name of a kept file of a strategy.
        kind: of game: `WHOLE`, `SPOT` or `GAME`; hands play the first two, strategies the last.
        prior: of a player of hand histories in a whole game: the file of the blueprint that is tilted toward the hands.

    Raises:
        InputError: there is no such file, or such players do not play this kind of game.
    """
    if text.startswith(HANDS) and kind in (WHOLE, SPOT):
        name, _, player = text.removeprefix(HANDS).partition(",player=")
        if not player:
            raise InputError(f"write the player of the hands as {HANDS}{name},player=NAME")
        file = str(hands_file(shelf, name))
        assumed: dict[str, Any] = {} if prior is None else {"prior": MODELS.record(prior)}
        return str(HandsModel(file, player=player, **assumed))
    stem, dot, ending = text.rpartition(".")
    if kind == GAME and dot + ending in _STRATEGIES and is_name(stem):
        path = shelf.players / "strategies" / text
        if not path.is_file():
            raise InputError(f"there is no strategy {quoted(text)} on this page")
        return str(path)
    return None


def keep_noted_hands(shelf: Shelf, file: str, text: str) -> dict[str, Any]:
    """Keep hand histories, and offer their players; arguments and errors as of `keep_hands`."""
    kept = keep_hands(shelf, file, text)
    note_hands(shelf, kept["name"], kept["players"])
    return kept


def note_hands(shelf: Shelf, name: str, players: Mapping[str, int]) -> dict[str, Any]:
    """Offer the players of hand histories that are kept at the tables of hold'em; the most hands first."""
    most = sorted(players.items(), key=lambda one: -one[1])
    told = [
        {"name": f"{HANDS}{name},player={player}", "about": f"{player}, by {hands} hands", "games": [WHOLE, SPOT]}
        for player, hands in most
    ]
    return _note(shelf, name, told)


def _keep_blueprint(shelf: Shelf, file: str, ending: str, taken: bytes) -> dict[str, Any]:
    from counterplay.poker.whole_game.blueprints.blueprint_file import game_in

    stem = _STEM.sub("-", Path(file.replace("\\", "/")).stem)[:_LONGEST].strip("-_") or "blueprint"
    path = shelf.folder / f"{stem}-{_digest(taken)[:8]}{ending}"
    write_whole(path, taken)
    try:
        _, sizes, deck = game_in(path)
    except InputError:
        path.unlink(missing_ok=True)
        raise
    said = f"{path.name} plays hold'em with {len(deck.cards)} cards and the bets {sizes}; it is read when it sits down."
    return {"name": path.name, "games": [WHOLE], "said": said}


def _keep_strategy(shelf: Shelf, _: str, ending: str, taken: bytes) -> dict[str, Any]:
    name = f"{_digest(taken)}{ending}"
    path = shelf.players / "strategies" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, taken)
    try:
        game = game_named(path)
    except (InputError, OSError):
        path.unlink(missing_ok=True)
        raise
    about = f"a strategy of {game}" if game else "a strategy that names no game"
    _note(shelf, name, [{"name": name, "about": about, "games": [GAME]}])
    return {"name": name, "games": [GAME], "said": f"It is {about}, and sits down where it fits."}


def _keep_histories(shelf: Shelf, file: str, _: str, taken: bytes) -> dict[str, Any]:
    try:
        text = taken.decode()
    except UnicodeDecodeError:
        raise InputError("hand histories are text in UTF-8") from None
    kept = keep_hands(shelf, file, text)
    if not kept["players"]:
        Path(kept["file"]).unlink(missing_ok=True)
        raise InputError("there is no player in these hands")
    first = note_hands(shelf, kept["name"], kept["players"])["players"][0]
    said = f"{kept['hands']:,} hands of {len(kept['players'])} players, who are offered as opponents."
    return {"name": first["name"], "games": first["games"], "said": said}


_KEEPERS: dict[tuple[str, ...], Callable[[Shelf, str, str, bytes], dict[str, Any]]] = {
    (BLUEPRINT,): _keep_blueprint,
    _STRATEGIES: _keep_strategy,
    tuple(sorted(HAND_ENDINGS)): _keep_histories,
}


def _note(shelf: Shelf, name: str, players: list[dict[str, Any]]) -> dict[str, Any]:
    """What is offered of a file, kept beside it."""
    note = {"players": players}
    shelf.players.mkdir(parents=True, exist_ok=True)
    write_whole(shelf.players / f"{name}.json", json.dumps(note).encode())
    return note


def _digest(taken: bytes) -> str:
    return blake2b(taken, digest_size=8).hexdigest()
