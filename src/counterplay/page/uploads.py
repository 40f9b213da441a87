"""Files that are dropped on the page: hand histories, and players for tables: blueprints, strategies, players of hands.

A file stays in the folder of the page, under a name of its own, only if the checked readers accept it.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from math import floor
from pathlib import Path
from typing import Any, TypeVar

import counterplay as cp
from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT, STRATEGY, TEXT_STRATEGY, write_whole
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.read_hands import Hands, read_hands, summarise
from counterplay.opponents.model import MODELS
from counterplay.opponents.villain.villain_card import CardRow, hands_behind, report_villain
from counterplay.page.shelf import Shelf, is_name, table_in
from counterplay.treeplex.strategy import game_named

T = TypeVar("T")
LEAKS = {"fold to pot": "facing a bet of at least 75%", "fold to c-bet": "facing a bet"}
"""Beginnings of statistics that are leaks of a spot, and the place of the leak; a street follows."""
WHOLE, SPOT, GAME = "whole", "spot", "game"
"""Kinds of games that an uploaded player may play: the game of a blueprint, a solved spot, one of the catalogue."""
HANDS = "hands:"
"""A player of hand histories, as the browser names one: `hands:NAME.phhs,player=bob`."""
_HAND_ENDINGS = {ending for form in REGISTRY.values() for ending in form.endings}
_STRATEGIES = (TEXT_STRATEGY, STRATEGY)
_LEAST = 0.01
_SHOWN = 500
"""The most decisions that are told."""
_STEM = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 40


def keep_hands(shelf: Shelf, file: str, text: str) -> dict[str, Any]:
    """Keep hand histories, and offer their players: name on the page, and summary. text: the content; of `file` the ending
    is used."""
    ending = Path(file).suffix.lower()
    if ending not in _HAND_ENDINGS:
        raise InputError(f"hand histories end in {', '.join(sorted(_HAND_ENDINGS))}, and not in {quoted(ending)}")
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise InputError("hand histories are text in UTF-8, which has no halves of surrogate pairs") from None
    name = _digest(content)
    path, partial = shelf.hands_path(name, ending), shelf.folder / f"reading-{os.getpid()}{ending}"
    try:
        write_whole(partial, content)
        facts = summarise(read_hands([partial])).facts
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    kept = {"name": f"{name}{ending}", "file": str(path), **facts}
    if kept["players"]:
        _note(shelf, kept["name"], _offers(kept))
    return kept


def hands_view(shelf: Shelf, name: str) -> dict[str, Any]:
    file = hands_file(shelf, name)
    return {"name": name, "file": str(file), **summarise(_hands_in(file)).facts}


def villain_view(
    shelf: Shelf, name: str, player: str, spot: str | None = None, seat: int | None = None
) -> dict[str, Any]:
    """The card of a player, for each statistic that says one the line of its leak, and the coverage; with a solved spot and
    the player's seat there also the sizes of bets that were mapped."""
    own = _hands_in(hands_file(shelf, name)).holdem_of(player)
    report = report_villain(own, player, solved=None if spot is None else shelf.spot(spot), seat=seat)
    rows = [{**row.facts, "leak": leak_of(row)} for row in report.card.rows]
    return {**report.facts, "rows": rows}


def shown_view(shelf: Shelf, name: str, player: str, what: str, seat: int | None = None) -> dict[str, Any]:
    """The hands behind a figure of the card or of the coverage, told step by step; of many the first."""
    behind = hands_behind(_hands_in(hands_file(shelf, name)).holdem_of(player), player, what, seat)
    facts = replace(behind, decisions=behind.decisions[:_SHOWN]).facts
    return {**facts, "k": behind.counted.k, "n": behind.counted.n}


def leak_of(row: CardRow) -> str | None:
    """The leak that a statistic supports: at the near end of its interval, so that it claims no more than was seen; None
    where it says nothing, or is no leak of a spot."""
    head = next((one for one in LEAKS if row.name.startswith(one)), None)
    low = row.counted.interval[0]
    if head is None or not row.counted.n or low < _LEAST:
        return None
    street = row.name.rpartition(" ")[2]
    return f"on {street} {LEAKS[head]}: fold at least {floor(100.0 * low)}%"


def hands_file(shelf: Shelf, name: str) -> Path:
    stem, dot, ending = name.partition(".")
    path = shelf.hands_path(stem, dot + ending)
    if dot + ending not in _HAND_ENDINGS or not path.is_file():
        raise InputError(f"there are no hands {quoted(name)} on this page")
    return path


@lru_cache(maxsize=2)
def _hands_in(file: Path) -> Hands:
    """The hands of a file that is named by its content."""
    return read_hands([file])


def keep_player(shelf: Shelf, file: str, content: str) -> dict[str, Any]:
    """Keep an uploaded file: the name by which the player is asked for, the kinds of games, and a sentence. Only letters and
    digits of the file's name are used; content: its bytes in base64."""
    ending = Path(file).suffix.lower()
    try:
        sent = b64decode(content, validate=True)
    except ValueError:
        raise InputError("the content of a file is sent in base64") from None
    keep = next((keep for endings, keep in _KEEPERS.items() if ending in endings), None)
    if keep is None:
        known = sorted(ending for endings in _KEEPERS for ending in endings)
        raise InputError(f"a file of a player ends in {', '.join(known)}, and not in {quoted(ending)}")
    return keep(shelf, file, ending, sent)


def list_uploads(shelf: Shelf) -> list[dict[str, Any]]:
    """The players of uploaded strategies and of hand histories: name, what is known of them, and the kinds of games.
    Blueprints are not among them: they are files of the folder like others."""
    uploads = []
    for path in sorted(shelf.players.glob("*.json")):
        try:
            players = table_in(path, f"the note {path.name}")["players"]
            uploads += [{key: one[key] for key in ("name", "about", "games")} for one in players]
        except (InputError, KeyError, TypeError):
            continue  # a damaged note names nobody
    return uploads


def player_of_upload(shelf: Shelf, text: str, kind: str, prior: str | None = None) -> str | None:
    """The agent's text of an uploaded player in a kind of game; None for a text that names none.

    Args:
        shelf: the files of the page.
        text: as the browser names the player: see `HANDS`, or the name of a kept file of a strategy.
        kind: of game: `WHOLE`, `SPOT` or `GAME`; hands play the first two, strategies the last.
        prior: of a player of hand histories in a whole game: the file of the blueprint that is tilted toward the hands.
    """
    if text.startswith(HANDS) and kind in (WHOLE, SPOT):
        name, _, player = text.removeprefix(HANDS).partition(",player=")
        if not player:
            raise InputError(f"write the player of the hands as {HANDS}{name},player=NAME")
        assumed: dict[str, Any] = {} if prior is None else {"prior": MODELS.record(prior)}
        return str(cp.HandsModel(str(hands_file(shelf, name)), player=player, **assumed))
    stem, dot, ending = text.rpartition(".")
    if kind == GAME and dot + ending in _STRATEGIES and is_name(stem):
        path = shelf.players / "strategies" / text
        if not path.is_file():
            raise InputError(f"there is no strategy {quoted(text)} on this page")
        return str(path)
    return None


def _offers(kept: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The players of kept hand histories, as they are offered at the tables of hold'em; the most hands first."""
    return [
        {
            "name": f"{HANDS}{kept['name']},player={player}",
            "about": f"{player}, by {hands} hands",
            "games": [WHOLE, SPOT],
        }
        for player, hands in sorted(kept["players"].items(), key=lambda one: -one[1])
    ]


def _kept(path: Path, sent: bytes, read: Callable[[Path], T]) -> T:
    """What a reader finds in a file, which is kept only if the reader accepts it."""
    write_whole(path, sent)
    try:
        return read(path)
    except (InputError, OSError):
        path.unlink(missing_ok=True)
        raise


def _keep_blueprint(shelf: Shelf, file: str, ending: str, sent: bytes) -> dict[str, Any]:
    from counterplay.poker.whole_game.blueprints.blueprint_file import game_in

    stem = _STEM.sub("-", Path(file.replace("\\", "/")).stem)[:_LONGEST].strip("-_") or "blueprint"
    path = shelf.folder / f"{stem}-{_digest(sent)[:8]}{ending}"
    _, sizes, deck = _kept(path, sent, game_in)
    said = f"{path.name} plays hold'em with {len(deck.cards)} cards and the bets {sizes}; it is read when it sits down."
    return {"name": path.name, "games": [WHOLE], "said": said}


def _keep_strategy(shelf: Shelf, _: str, ending: str, sent: bytes) -> dict[str, Any]:
    name = f"{_digest(sent)}{ending}"
    path = shelf.players / "strategies" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    game = _kept(path, sent, game_named)
    about = f"a strategy of {game}" if game else "a strategy that names no game"
    _note(shelf, name, [{"name": name, "about": about, "games": [GAME]}])
    return {"name": name, "games": [GAME], "said": f"It is {about}, and sits down where it fits."}


def _keep_histories(shelf: Shelf, file: str, _: str, sent: bytes) -> dict[str, Any]:
    try:
        text = sent.decode()
    except UnicodeDecodeError:
        raise InputError("hand histories are text in UTF-8") from None
    kept = keep_hands(shelf, file, text)
    if not kept["players"]:
        Path(kept["file"]).unlink(missing_ok=True)
        raise InputError("there is no player in these hands")
    first = _offers(kept)[0]
    said = f"{kept['hands']:,} hands of {len(kept['players'])} players, who are offered as opponents."
    return {"name": first["name"], "games": first["games"], "said": said}


_KEEPERS: dict[tuple[str, ...], Callable[[Shelf, str, str, bytes], dict[str, Any]]] = {
    (BLUEPRINT,): _keep_blueprint,
    _STRATEGIES: _keep_strategy,
    tuple(sorted(_HAND_ENDINGS)): _keep_histories,
}


def _note(shelf: Shelf, name: str, players: list[dict[str, Any]]) -> None:
    """Keep the offers of a file beside it."""
    shelf.players.mkdir(parents=True, exist_ok=True)
    write_whole(shelf.players / f"{name}.json", json.dumps({"players": players}).encode())


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
