"""Blueprints of whole games as files: an archive of the game, the buckets and both strategies.

A `.cpb` file holds any game; a `.fhp` file, of Flop Hold'em, is read and written as it always was. Rows of a table are
sequences, its columns the lanes of all blocks of a street, in the order in which boards are listed.

Of buckets that have tables the file has the name and their digest; they are found in the cache or made again. Their large
strategies are kept in 8 bits (`packed_tables`). Files of format 1 have none of these. Models from hands have counts besides.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import I64, AnyArray
from counterplay.card_abstraction.card_abstraction import Buckets, CardAbstraction, OneLane, lossless
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.street_buckets import StreetBuckets, check_deck
from counterplay.card_abstraction.tables.street_tables import StreetTables
from counterplay.card_abstraction.tables.table_file import digest_of
from counterplay.endings import BLUEPRINT, FLOP_BLUEPRINT
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints import flop_blueprint_file, observed_rows_file
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
from counterplay.poker.whole_game.blueprints.blueprint_facts import check_rows, facts_of, read_blueprint
from counterplay.poker.whole_game.blueprints.packed_tables import pack, rows_of, unpack
from counterplay.poker.whole_game.blueprints.workspace import check_room
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.game_facts import Facts, rules_in, short_text
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy

ENDINGS = (BLUEPRINT, FLOP_BLUEPRINT)
_LAST = 3
_PARTS = (
    {"group", "early0", "early1"}
    | {
        f"{name}{street}"
        for street in range(1, _LAST + 1)
        for name in ("lane", "table0_", "table1_", "packed0_", "packed1_")
    }
    | observed_rows_file.PARTS
)
KIND = ArchiveKind("a blueprint of hold'em", 2, frozenset(_PARTS), packed=True, older=frozenset((1,)))
_MOST_LANES = 2**24
_NAMED = StreetTables | OneLane
"""Buckets that a file names, since they are made again when it is read."""
_LARGE = 500_000
"""Numbers of one player's table on a street that are kept as they are, at most."""


def save(path: Path, game: HoldemGame, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets, whole or not at all.

    Raises:
        InputError: another ending than `.cpb` (or `.fhp`, of Flop Hold'em but for models from hands), it cannot be written,
            or buckets without tables on more boards than can be listed.
    """
    if path.suffix == FLOP_BLUEPRINT:
        if blueprint.observed is not None:
            raise InputError(
                f"{path.name}: a model from hands is kept with its counts, in a file with the ending {BLUEPRINT}"
            )
        flop_blueprint_file.save(path, game, blueprint)
        return
    check_writable(path, *ENDINGS)
    write(path, KIND, *contents(game, blueprint))


def contents(game: HoldemGame, blueprint: Blueprint) -> tuple[Facts, dict[str, AnyArray]]:
    """Facts of the file of a blueprint, and its arrays, of any shape."""
    play, buckets = blueprint.play, blueprint.play.buckets
    shared = _shares_lanes(game, buckets)
    facts = {
        **facts_of(game, blueprint), "dtype": str(game.dtype),
        "lanes": [int(buckets.sizes_on(street).sum()) for street in range(1, game.last + 1)] if shared else None,
        "tables": digest_of(game.boards, buckets.name) if isinstance(buckets, _NAMED) else None,
    }  # fmt: skip
    arrays: dict[str, AnyArray] = {"group": buckets.preflop, "early0": play.preflop[0], "early1": play.preflop[1]}
    check_listed(game, buckets)
    for street in range(1, game.last + 1):
        if facts["lanes"] and not facts["tables"]:
            lanes = [buckets.lanes_on(board)[1] for board in boards_on(game, street)]
            arrays[f"lane{street}"] = np.concatenate(lanes).astype(np.uint32)
        for player, side in enumerate(game.sides):
            table = np.concatenate(play.tables[street - 1][player], axis=1)
            if facts["tables"] and table.size > _LARGE:
                arrays[f"packed{player}_{street}"] = pack(table, side.decisions[street])
            else:
                arrays[f"table{player}_{street}"] = table
    if blueprint.observed is None:
        return facts, arrays
    more, counts = observed_rows_file.contents(game, blueprint.observed)
    return facts | more, arrays | counts


def check_savable(path: Path, game: HoldemGame, buckets: CardAbstraction) -> None:
    """Reject, before a blueprint with these buckets is computed, a file that cannot hold it.

    Raises:
        InputError: the message names the obstacle.
    """
    if path.suffix == FLOP_BLUEPRINT:
        flop_blueprint_file.check_flop_buckets(path, buckets)
    else:
        check_listed(game, buckets)


def check_listed(game: HoldemGame, buckets: CardAbstraction) -> None:
    """Reject, before a strategy by these buckets is computed, a file that would list too many boards.

    Raises:
        InputError: the buckets have no tables, and the deck has too many boards to list.
    """
    listed = _shares_lanes(game, buckets) and not isinstance(buckets, _NAMED)
    if listed and not isinstance(game.boards, Flops):
        check_deck(game.boards)


def _shares_lanes(game: HoldemGame, buckets: CardAbstraction) -> bool:
    """Whether all boards of a street have the same lanes."""
    return all(len(buckets.sizes_on(street)) == 1 for street in range(1, game.last + 1))


def save_answer(path: Path, strategy: HoldemStrategy) -> None:
    """Write a response, hand by hand where it has no buckets.

    Raises:
        InputError: as in `save`, or the tables take too much memory.
    """
    game, play, facts = strategy.rules.game, strategy.play, strategy.facts
    tables = play if isinstance(play, BucketedStrategy) else tabulated(game, play)
    save(path, game, Blueprint(tables, str(facts.get("method", "")), 0, int(facts.get("seed") or 0), None))


def tabulated(game: HoldemGame, play: BlueprintStrategy) -> BucketedStrategy:
    """A strategy with a table for every board, by the hands that differ there.

    Raises:
        InputError: that takes too much memory, or there are too many boards.
    """
    if not isinstance(game.boards, Flops):
        check_deck(game.boards)
    lanes = lossless(game.boards)
    check_room(game, lanes)
    late = []
    for street in range(1, game.last + 1):
        pair: tuple[list[AnyArray], list[AnyArray]] = [], []
        for board in boards_on(game, street):
            _, first = np.unique(lanes.lanes_on(board)[1], return_index=True)
            for player in (0, 1):
                table, lane = play.on(player, board)
                pair[player].append(np.ascontiguousarray(table[:, lane[first]]))
        late.append(pair)
    return BucketedStrategy(lanes, play.preflop, tuple(late))


def load(path: Path, game: HoldemGame | None = None, content: bytes | None = None) -> tuple[HoldemGame, Blueprint]:
    """Read a blueprint, and its game.

    Args:
        path: the file; one that ends in `.fhp` has a blueprint of Flop Hold'em in the older format.
        game: the one that is played, if it is known.
        content: of a blueprint that lies within the file.

    Raises:
        InputError: the file is missing, damaged, something else, or of another game.
    """
    if content is None and path.suffix == FLOP_BLUEPRINT:
        return flop_blueprint_file.load(path, game)
    return read_blueprint(
        path, KIND, game, facts=lambda archive: archive.facts, asked=_asked, play=_play, content=content,
        observed=observed_rows_file.read,
    )  # fmt: skip


def game_in(path: Path) -> tuple[BettingRules, str, Deck]:
    """Betting rules, bet sizes and deck of the game of a blueprint, which is not read.

    Raises:
        InputError: the file is missing, damaged or something else.
    """
    with opened(path, KIND) as archive:
        try:
            return rules_in(archive.facts)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{path.name} does not name its game") from None


def boards_on(game: HoldemGame, street: int) -> list[Board]:
    """All different boards of a street, those after an earlier board first."""
    boards = [game.boards.root]
    for _ in range(street):
        boards = [child for board in boards for child in game.boards.after(board)]
    return boards


def _asked(facts: Facts) -> HoldemGame:
    """The game that a file names."""
    rules, sizes, deck = rules_in(facts)
    kind = np.dtype(short_text(facts, "dtype"))
    if kind not in (np.float32, np.float64):
        raise TypeError("dtype")
    return holdem_game(rules, sizes, deck=deck, dtype=kind)


def _play(game: HoldemGame, archive: Archive, facts: Facts) -> BucketedStrategy:
    """The strategy of a file.

    Raises:
        InputError: its arrays do not fit the game.
    """
    tables = facts.get("tables") if archive.format > 1 else None
    if not isinstance(game.boards, Flops) and tables is None:
        check_deck(game.boards)
    buckets = _buckets(game, archive, facts) if tables is None else _named_buckets(game, facts)
    early, late = [], []
    for player, side in enumerate(game.sides):
        early.append(archive.array(f"early{player}", (side.sizes[0], game.boards.classes)).astype(float))
        check_rows(early[-1], side.decisions[0])
    for street in range(1, game.last + 1):
        sizes, pair = buckets.sizes_on(street), []
        for player, side in enumerate(game.sides):
            table = _table(
                archive, f"{player}_{street}", side.decisions[street], (side.sizes[street], int(sizes.sum()))
            )
            check_rows(table, side.decisions[street])
            blocks = np.split(table, np.cumsum(sizes)[:-1], axis=1)
            pair.append([np.ascontiguousarray(block, game.dtype) for block in blocks])
        late.append((pair[0], pair[1]))
    return BucketedStrategy(buckets, (early[0], early[1]), tuple(late))


def _table(archive: Archive, name: str, decisions: I64, shape: tuple[int, int]) -> AnyArray:
    """A strategy on a street, (sequences, lanes)."""
    if f"packed{name}" not in archive:
        return archive.array(f"table{name}", shape)
    packed = archive.array(f"packed{name}", (rows_of(decisions), shape[1]), "u")
    return unpack(packed, decisions, shape[0], np.float32)


def _named_buckets(game: HoldemGame, facts: Facts) -> CardAbstraction:
    """The lanes that a file names.

    Raises:
        InputError: there are none of this name, or they are made in another way now.
    """
    name = short_text(facts, "name")
    if facts["tables"] != digest_of(game.boards, name):
        raise InputError(f"its buckets, {name}, are not made in this version")
    found = make_buckets(game.boards, read_abstraction(name, game.last))
    if [int(found.sizes_on(street).sum()) for street in range(1, game.last + 1)] != facts["lanes"]:
        raise InputError("its buckets do not fit the game")
    return found


def _buckets(game: HoldemGame, archive: Archive, facts: Facts) -> CardAbstraction:
    """The lanes of a file."""
    group = archive.array("group", (game.boards.classes,), "u").astype(np.uint32)
    name, sizes = short_text(facts, "name"), facts["lanes"]
    if sizes is None:
        found = lossless(game.boards)
        if not np.array_equal(group, found.preflop):
            raise InputError("its buckets do not fit the game")
        return found
    if len(sizes) != game.last or not all(isinstance(n, int) and 0 < n <= _MOST_LANES for n in sizes):
        raise InputError("its buckets do not fit the game")
    lanes = []
    for street, size in enumerate(sizes, 1):
        boards, hands = boards_on(game, street), game.places(street)
        lane = archive.array(f"lane{street}", (len(boards) * hands,), "u").astype(np.uint32)
        if lane.max() >= size:
            raise InputError("its buckets do not fit the game")
        lanes.append(dict(zip((board.cards for board in boards), lane.reshape(-1, hands), strict=True)))
    if isinstance(game.boards, Flops):
        rows = np.array(list(lanes[0].values()))
        return Buckets(group, rows, np.zeros(len(rows), np.int64), np.array(sizes), name)
    return StreetBuckets(group, tuple(lanes), tuple(sizes), name)
