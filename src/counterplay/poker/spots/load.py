"""The door for spots: whatever names a game names one here, and the files of spots do too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from counterplay.files import QUESTION, SPOT
from counterplay.games import GAMES
from counterplay.games.game import Game
from counterplay.gametree.build.size_estimate import Watch
from counterplay.gametree.compile import load as enumerated
from counterplay.gametree.compile.compile import GameTree
from counterplay.texts.arguments import FUNCTION, NUMBER, or_none, takes

if TYPE_CHECKING:
    from counterplay.poker.spots.rhode_island import RhodeIsland
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot
    from counterplay.poker.spots.spot_game import SpotGame


def spot_of(source: Any, memory: float | None = None) -> Any:
    """The spot, solved or not, in a file that a text or path names; the public tree of Rhode Island hold'em, which may take
    so many bytes; anything else as it is.

    Raises:
        InputError: there is no such file, or no spot in it.
    """
    from counterplay.poker.spots.rhode_island import is_rhode_island, read_rhode_island
    from counterplay.poker.spots.solution import load_spot
    from counterplay.poker.spots.spot import Spot

    if isinstance(source, str | Path):
        if str(source).endswith(QUESTION):
            return Spot.from_file(source)
        if str(source).endswith(SPOT):
            return load_spot(source)
    return read_rhode_island(source, memory) if is_rhode_island(source) else source


def _is_listed(source: Any) -> bool:
    """Return whether a text names a game of the catalogue, for which nothing of hold'em is imported (0.2 s)."""
    return isinstance(source, str) and source.partition(":")[0] in GAMES and not source.endswith((QUESTION, SPOT))


@overload
def load(
    source: Spot | SolvedSpot | SpotGame | RhodeIsland,
    *,
    memory: float | None = None,
    say: Callable[[str], None] | None = None,
) -> SpotGame: ...
@overload
def load(
    source: Any, *, memory: float | None = None, say: Callable[[str], None] | None = None, watch: Watch | None = None
) -> GameTree: ...
@takes(memory=or_none(NUMBER), say=or_none(FUNCTION), watch=or_none(FUNCTION))
def load(
    source: Any, *, memory: float | None = None, say: Callable[[str], None] | None = None, watch: Watch | None = None
) -> Any:
    """Bring a game into memory.

    Args:
        source: a `GameSpec` or its text (`leduc`, `goofspiel:5`), a `HoldemSpec` or its text (`holdem:flop`),
            `openspiel:leduc_poker`, `path.efg`, `module:Class`, an object with the `Game` protocol, or an OpenSpiel game. A
            spot of hold'em, its TOML file or a `.spot` file gives a `SpotGame`, which has the members of a `GameTree` that
            methods ask for; so does a `RhodeIsland` or its text (`rhode_island:deck=20`).
        memory: refuse what would take more than this many GiB; half of the machine's memory by default.
        say: gets one line with the estimated size before anything large is built; stderr by default.
        watch: hears how many histories are listed so far, and about how many there are; of games listed history by history.

    Raises:
        InputError: no such game, one that does not fit, or one that breaks the rules (imperfect recall, general sum,
            chance that does not sum to 1).
    """
    if _is_listed(source):
        return enumerated.load(source, memory=memory, say=say, watch=watch)
    from counterplay.poker.spots.spot_game import as_spot_game
    from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

    if is_whole_game(source):
        return read_holdem(source)
    limit = None if memory is None else memory * 2**30
    found = as_spot_game(spot_of(source, limit), limit)
    return enumerated.load(source, memory=memory, say=say, watch=watch) if found is None else found


def find_game(source: Any) -> Game:
    """The rules that `source` names, not compiled; those of a spot and of Flop Hold'em too."""
    if _is_listed(source):
        return enumerated.find_game(source)
    from counterplay.poker.spots.spot_game import as_spot_game
    from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

    if is_whole_game(source):
        return read_holdem(source)
    found = as_spot_game(spot_of(source))
    return enumerated.find_game(source) if found is None else found.rules
