"""Blueprints of whole games as files (`.cpb`): an archive of the game, the buckets and both strategies.

Rows of a table are sequences, its columns the lanes of all blocks of a street, in the order in which boards are listed. Of
buckets that have tables the file has the name and their digest; they are found in the cache or made again. Their large
strategies are kept in 8 bits (`packed_tables`). Files of format 1 have none of these. Models from hands have counts besides.

Files of Flop Hold'em in an older format (`.fhp`) are read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, ArchiveKind, archive_bytes, opened, write
from counterplay.arrays import I64, U8, AnyArray
from counterplay.card_abstraction.card_abstraction import (
    CardAbstraction,
    OneLane,
    StreetBuckets,
    boards_on,
    check_deck,
    lanes_by_street,
    lossless,
)
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.make_tables import StreetTables
from counterplay.card_abstraction.make_tables import digest_of as digest_of_tables
from counterplay.errors import FileError, InputError, in_file
from counterplay.files import BLUEPRINT, FLOP_BLUEPRINT, RESPONSE, check_writable
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, ObservedRows
from counterplay.poker.whole_game.blueprints.board_split import split_in
from counterplay.poker.whole_game.blueprints.street_regrets import check_room
from counterplay.poker.whole_game.holdem import Facts, HoldemGame, holdem_game, question_of, rules_in, short_text
from counterplay.poker.whole_game.strategies.look_ahead_strategy import table_in_lanes
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, HoldemStrategy, digest_of
from counterplay.poker.whole_game.walks.make_rule import RuleResponse, RuleSettings

_LAST = 3
_NAMES = "lane", "table0_", "table1_", "packed0_", "packed1_"
_PARTS = {f"{name}{street}" for street in range(1, _LAST + 1) for name in _NAMES}
_OBSERVED, _WEIGHTS, _SEEN = "observed", "weights", "seen"
_MOST_WEIGHTS = 2**16
_OBSERVED_PARTS = {_WEIGHTS} | {f"{_SEEN}{player}_{street}" for player in (0, 1) for street in range(_LAST + 1)}
KIND = ArchiveKind(
    "a blueprint of hold'em",
    2,
    frozenset({"group", "early0", "early1"} | _PARTS | _OBSERVED_PARTS),
    packed=True,
    older=frozenset((1,)),
)
_FLOP_PARTS = frozenset(("group", "lane", "block", "sizes", "early0", "early1", "late0", "late1"))
FLOP_KIND = ArchiveKind("a blueprint of Flop Hold'em", 2, _FLOP_PARTS, old=frozenset(("about",)))
_OLD_FORMAT = 1
"""Of `.fhp` files without a checksum."""
_MOST_LANES = 2**24
_NAMED = StreetTables | OneLane
"""Buckets that a file names, since they are made again when it is read."""
_LARGE = 500_000
"""Numbers of one player's table on a street that are kept as they are, at most."""
_ROUNDING = 1e-4
_OF_A_RUN = "seconds"
"""The fact in older files that equal solves differ in."""


def save(path: Path, game: HoldemGame, blueprint: Blueprint) -> None:
    """Write a blueprint and its buckets to a `.cpb` file, whole or not at all; an `InputError` if buckets without
    tables are on more boards than can be listed."""
    check_writable(path, BLUEPRINT)
    write(path, KIND, *contents(game, blueprint))


def contents(game: HoldemGame, blueprint: Blueprint) -> tuple[Facts, dict[str, AnyArray]]:
    """Facts of the file of a blueprint, and its arrays, of any shape."""
    play, buckets = blueprint.play, blueprint.play.buckets
    shared = _shares_lanes(game, buckets)
    facts = {
        **question_of(game), "name": buckets.name, "method": blueprint.method, "iterations": blueprint.iterations,
        "seed": blueprint.seed, **({} if blueprint.split is None else {"split": blueprint.split.facts}),
        "dtype": str(game.dtype),
        "lanes": lanes_by_street(buckets, game.last)[1:] if shared else None,
        "tables": digest_of_tables(game.boards, buckets.name) if isinstance(buckets, _NAMED) else None,
    }  # fmt: skip
    arrays: dict[str, AnyArray] = {"group": buckets.preflop, "early0": play.preflop[0], "early1": play.preflop[1]}
    check_listed(game, buckets)
    for street in range(1, game.last + 1):
        if facts["lanes"] and not facts["tables"]:
            lanes = [buckets.lanes_on(board)[1] for board in boards_on(game.boards, street)]
            arrays[f"lane{street}"] = np.concatenate(lanes).astype(np.uint32)
        for player, side in enumerate(game.sides):
            table = np.concatenate(play.tables[street - 1][player], axis=1)
            if facts["tables"] and table.size > _LARGE:
                arrays[f"packed{player}_{street}"] = pack(table, side.decisions[street])
            else:
                arrays[f"table{player}_{street}"] = table
    if (observed := blueprint.observed) is not None:
        facts[_OBSERVED], arrays[_WEIGHTS] = {"prior": observed.prior, "hands": observed.hands}, observed.weights
        for player, side in enumerate(game.sides):
            for street in range(game.last + 1):  # a row for each decision, whose actions have equal counts
                rows = side.decisions[street][:, 2]
                arrays[f"{_SEEN}{player}_{street}"] = _table(observed.counts, player, street)[rows]
    return facts, arrays


def check_listed(game: HoldemGame, buckets: CardAbstraction) -> None:
    """Reject, before a strategy by these buckets is computed, a file that would list too many boards."""
    if _shares_lanes(game, buckets) and not isinstance(buckets, _NAMED):
        check_deck(game.boards)


def _shares_lanes(game: HoldemGame, buckets: CardAbstraction) -> bool:
    """Return whether all boards of a street have the same lanes."""
    return all(len(buckets.sizes_on(street)) == 1 for street in range(1, game.last + 1))


def save_answer(path: Path, strategy: HoldemStrategy) -> None:
    """Write a response, hand by hand where it has no buckets; errors as of `save`, or the tables take too much
    memory."""
    game, play, facts = strategy.rules.game, strategy.play, strategy.facts
    if not isinstance(play, BucketedStrategy):  # a table for every board
        check_deck(game.boards)
        lanes, late = lossless(game.boards), []
        check_room(game, lanes)
        for street in range(1, game.last + 1):
            boards = boards_on(game.boards, street)
            first, second = ([table_in_lanes(play, player, board) for board in boards] for player in (0, 1))
            late.append((first, second))
        play = BucketedStrategy(lanes, play.preflop, tuple(late))
    save(path, game, Blueprint(play, str(facts.get("method", "")), 0, int(facts.get("seed") or 0), None))


def load(path: Path, game: HoldemGame | None = None, content: bytes | None = None) -> tuple[HoldemGame, Blueprint]:
    """Read a blueprint and its game; an `InputError` if the file is missing, damaged, something else, or of another
    game. game: the one that is played, if it is known. content: of a blueprint that lies within the file."""
    is_flop = content is None and path.suffix == FLOP_BLUEPRINT
    read: Callable[[HoldemGame, Archive, Facts], BucketedStrategy] = _read_flop_play if is_flop else _read_play
    with opened(path, FLOP_KIND if is_flop else KIND, content) as archive:
        try:
            facts: Facts = archive.old_facts("about") if is_flop and not archive.sealed else archive.facts
            if is_flop and not archive.sealed and not (isinstance(facts, dict) and facts.get("format") == _OLD_FORMAT):
                raise FileError(f"{archive.path} was written in a format that this version does not read")
            if game is not None and any(facts.get(key) != wanted for key, wanted in question_of(game).items()):
                raise FileError(f"the blueprint in {path} is of another game")
            if (here := game) is None:
                rules, sizes, deck = rules_in(facts)
                dtype = np.dtype("float32" if is_flop else short_text(facts, "dtype"))
                if dtype not in (np.float32, np.float64):
                    raise TypeError("dtype")
                here = holdem_game(rules, sizes, deck=deck, dtype=dtype)
            play = read(here, archive, facts)
            observed, split = _read_observed(here, archive, facts, play), split_in(facts.get("split"))
            made = short_text(facts, "method"), int(facts["iterations"]), int(facts["seed"])
            seconds = float(facts["seconds"]) if "seconds" in facts else None  # files had them once
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no blueprint's ({type(error).__name__})") from None
    return here, Blueprint(play, *made, seconds, split=split, observed=observed)


def game_in(path: Path) -> tuple[BettingRules, str, Deck]:
    """Betting rules, bet sizes and deck of the game of a blueprint, which is not read."""
    with opened(path, KIND) as archive:
        try:
            return rules_in(archive.facts)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{path.name} does not name its game") from None


def digest_blueprint(path: Path) -> str:
    """SHA-256 of the game, the buckets, the way of solving and the strategy in a `.cpb` file: equal for files of equal
    strategies."""
    with opened(path, KIND) as archive:
        facts = {name: fact for name, fact in archive.facts.items() if name != _OF_A_RUN}
        return hashlib.sha256(json.dumps([facts, archive.digests], sort_keys=True).encode()).hexdigest()


def digest_play(game: HoldemGame, play: BucketedStrategy) -> str:
    """SHA-256 of the game, the name of the buckets and the tables of a strategy."""
    digest = hashlib.sha256(json.dumps([question_of(game), play.buckets.name], sort_keys=True).encode())
    for table in (*play.preflop, *(table for street in play.tables for side in street for table in side)):
        digest.update(table.tobytes())
    return digest.hexdigest()


def check_rows(table: AnyArray, decisions: I64) -> None:
    """Reject a table (sequences, lanes) with negative numbers or decisions whose rows do not sum to 1."""
    sums = [table[first : first + count].sum(axis=0) for _, _, first, count in decisions]
    if not (table >= 0.0).all() or not all(bool((np.abs(total - 1.0) < _ROUNDING).all()) for total in sums):
        raise InputError("its probabilities do not sum to 1")


def _read_play(game: HoldemGame, archive: Archive, facts: Facts) -> BucketedStrategy:
    buckets = _buckets(game, archive, facts, facts.get("tables") if archive.format > 1 else None)
    late = []
    for street in range(1, game.last + 1):
        size, pair = int(buckets.sizes_on(street).sum()), []
        for player, side in enumerate(game.sides):
            name, decisions = f"{player}_{street}", side.decisions[street]
            if f"packed{name}" in archive:
                packed = archive.array(f"packed{name}", (rows_of(decisions), size), "u")
                pair.append(unpack(packed, decisions, side.sizes[street], np.float32))
            else:
                pair.append(archive.array(f"table{name}", (side.sizes[street], size)))
        late.append(pair)
    return _strategy(game, archive, buckets, late)


def _strategy(
    game: HoldemGame, archive: Archive, buckets: CardAbstraction, late: list[list[AnyArray]]
) -> BucketedStrategy:
    early, tables = [], []
    for player, side in enumerate(game.sides):
        early.append(archive.array(f"early{player}", (side.sizes[0], game.boards.classes)).astype(float))
        check_rows(early[-1], side.decisions[0])
    for street, pair in enumerate(late, 1):
        blocks, ends = [], np.cumsum(buckets.sizes_on(street))[:-1]
        for side, table in zip(game.sides, pair, strict=True):
            check_rows(table, side.decisions[street])
            blocks.append([np.ascontiguousarray(part, game.dtype) for part in np.split(table, ends, axis=1)])
        tables.append((blocks[0], blocks[1]))
    return BucketedStrategy(buckets, (early[0], early[1]), tuple(tables))


def _buckets(game: HoldemGame, archive: Archive, facts: Facts, tables: object) -> CardAbstraction:
    """The lanes of a file, or those that it names, whose tables have a digest."""
    name, sizes = short_text(facts, "name"), facts["lanes"]
    if tables is not None:
        if tables != digest_of_tables(game.boards, name):
            raise InputError(f"its buckets, {name}, are not made in this version")
        buckets = make_buckets(game.boards, read_abstraction(name, game.last))
        if lanes_by_street(buckets, game.last)[1:] != sizes:
            raise InputError("its buckets do not fit the game")
        return buckets
    check_deck(game.boards)
    group = archive.array("group", (game.boards.classes,), "u").astype(np.uint32)
    if sizes is None:
        every = lossless(game.boards)
        if not np.array_equal(group, every.preflop):
            raise InputError("its buckets do not fit the game")
        return every
    if len(sizes) != game.last or not all(isinstance(n, int) and 0 < n <= _MOST_LANES for n in sizes):
        raise InputError("its buckets do not fit the game")
    lanes = []
    for street, size in enumerate(sizes, 1):
        boards, hands = boards_on(game.boards, street), game.places(street)
        lane = archive.array(f"lane{street}", (len(boards) * hands,), "u").astype(np.uint32)
        if lane.max() >= size:
            raise InputError("its buckets do not fit the game")
        lanes.append(dict(zip((board.cards for board in boards), lane.reshape(-1, hands), strict=True)))
    return StreetBuckets(group, tuple(lanes), tuple(sizes), name)


def _read_flop_play(game: HoldemGame, archive: Archive, facts: Facts) -> BucketedStrategy:
    """The strategy of a `.fhp` file: one block of lanes for all flops, or the hands of each flop."""
    flops, every = game.flops, lossless(game.boards)
    sizes = archive.array("sizes", (None,), "iu").astype(np.int64)
    block = archive.array("block", (len(flops),), "iu").astype(np.int64)
    lane = archive.array("lane", (len(flops), game.places(1)), "u").astype(np.uint32)
    group = archive.array("group", (game.boards.classes,), "u").astype(np.uint32)
    buckets: CardAbstraction = every
    if len(sizes) == 1 and 0 < sizes[0] <= lane.size:
        lanes = dict(zip((flop.cards for flop in flops), lane, strict=True))
        buckets = StreetBuckets(group, (lanes,), (int(sizes[0]),), short_text(facts, "name"))
        fits = not block.any() and lane.max() < sizes[0]
    else:
        own = np.array_equal(sizes, every.sizes_on(1)) and np.array_equal(group, every.preflop)
        own = own and np.array_equal(block, np.arange(len(flops)))
        fits = own and np.array_equal(lane, np.array([flop.lane for flop in flops]))
    if not fits:
        raise InputError("its buckets do not fit the game")
    total = int(sizes.sum())
    return _strategy(
        game, archive, buckets, [[archive.array(f"late{k}", (game.sides[k].sizes[1], total)) for k in (0, 1)]]
    )


STEPS = 255
"""A probability of 1."""


def rows_of(decisions: I64) -> int:
    """Rows of a packed table: one for each action but the first of every decision; decisions are (decisions, 4)."""
    return int((decisions[:, 3] - 1).sum())


def pack(table: AnyArray, decisions: I64) -> U8:
    """(rows, lanes) of a table (sequences, lanes) of probabilities in steps of 1/255, rounded so that those of a
    decision sum to 255; none is off by more than one."""
    out = np.empty((rows_of(decisions), table.shape[1]), np.uint8)
    at = 0
    for _, _, first, count in decisions:
        sums = np.rint(np.cumsum(table[first : first + count], axis=0, dtype=np.float64) * STEPS).astype(np.int16)
        sums[-1] = STEPS
        out[at : at + count - 1] = np.diff(sums, axis=0)
        at += count - 1
    return out


def unpack(packed: U8, decisions: I64, size: int, dtype: Any) -> AnyArray:
    """(size, lanes) the table again; rows of entries are 0."""
    out = np.zeros((size, packed.shape[1]), dtype)
    at = 0
    for _, _, first, count in decisions:
        steps = packed[at : at + count - 1]
        left = STEPS - steps.sum(axis=0, dtype=np.int64)
        if left.min(initial=0) < 0:
            raise InputError("its probabilities do not sum to 1")
        out[first] = left / STEPS
        out[first + 1 : first + count] = steps / np.asarray(STEPS, dtype)
        at += count - 1
    return out


def _read_observed(game: HoldemGame, archive: Archive, facts: Facts, play: BucketedStrategy) -> ObservedRows | None:
    """The evidence in a file; None if it is no model from hands."""
    told = facts.get(_OBSERVED)
    if told is None:
        return None
    shape = archive.shape(_WEIGHTS)
    if len(shape) != 2 or prod(shape) > _MOST_WEIGHTS:
        raise InputError("its weights are no table of a tilt")
    weights = archive.array(_WEIGHTS, shape).astype(np.float64)
    if not (weights >= 0.0).all():
        raise InputError("its weights are no factors")
    early, late = list[AnyArray](), list[list[list[AnyArray]]]()
    for street in range(game.last + 1):
        pair = []
        for player, side in enumerate(game.sides):
            like, rows = _table(play, player, street), side.decisions[street]
            kept = archive.array(f"{_SEEN}{player}_{street}", (len(rows), like.shape[1]))
            if not (kept >= 0.0).all():
                raise InputError("its counts are below 0")
            pair.append(np.zeros(like.shape, kept.dtype))
            for (_, _, first, count), row in zip(rows.tolist(), kept, strict=True):
                pair[-1][first : first + count] = row  # at all actions of the decision
        if street:
            sizes = play.buckets.sizes_on(street)
            late.append([np.split(table, np.cumsum(sizes)[:-1], axis=1) for table in pair])
        else:
            early = pair
    counts = BucketedStrategy(play.buckets, (early[0], early[1]), tuple((one[0], one[1]) for one in late))
    return ObservedRows(counts, weights, short_text(told, "prior"), int(told["hands"]))


def _table(play: BucketedStrategy, player: int, street: int) -> AnyArray:
    """(sequences, lanes of all blocks) of a player on a street."""
    return np.concatenate(play.tables[street - 1][player], axis=1) if street else play.preflop[player]


_MOST = 16
"""Strategies of a file at most."""
_LARGEST = 2**31
"""Bytes of one of them at most."""
_BLUEPRINT = "blueprint"
"""The rule of a blueprint, which chooses nothing."""
RESPONSE_KIND = ArchiveKind(
    "a response in hold'em", 1, frozenset({"early", *(f"strategy{k}" for k in range(_MOST))}), packed=True
)


def save_response(path: Path, strategy: HoldemStrategy) -> None:
    """Write a response, whole or not at all; an `InputError` if it looks at a strategy that is no table."""
    check_writable(path, RESPONSE)
    found, game = strategy.play, strategy.rules.game
    if isinstance(found, BucketedStrategy):
        content = np.frombuffer(_content(game, found), np.uint8)
        kept = {"player": strategy.player, "rule": _BLUEPRINT, "sizes": [len(content)]}
        write(path, RESPONSE_KIND, {**question_of(game), **kept}, {"strategy0": content})
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
    write(path, RESPONSE_KIND, facts, {"early": found.early, **arrays})


def load_response(path: Path, game: HoldemGame, to: BlueprintStrategy | None = None) -> RuleResponse | BucketedStrategy:
    """Read a response, or the blueprint that is played instead; an `InputError` if the file is damaged or of another
    game, or the model is not there. to: the model, if it is not in the file."""
    with opened(path, RESPONSE_KIND) as archive:
        try:
            facts = archive.facts
            if any(facts.get(key) != wanted for key, wanted in question_of(game).items()):
                raise InputError("it is of another game")
            player, sizes = int(facts["player"]), facts["sizes"]
            if player not in (0, 1) or not 0 < len(sizes) <= _MOST or not all(0 <= int(n) < _LARGEST for n in sizes):
                raise ValueError("sizes")
            kept, *looks = (_held_strategy(path, archive, game, k, int(size)) for k, size in enumerate(sizes))
            if kept is not None and facts["rule"] == _BLUEPRINT:
                return kept
            model = kept if to is None else to
            if model is None:
                raise InputError(f"the model is no table, and not in the file: give it again, as {path}:MODEL")
            plays = tuple(play for play in looks if play is not None)
            ahead = facts["blueprint"] is True
            asked = RuleSettings(
                short_text(facts, "rule"),
                int(facts["depth"]),
                plays[0] if ahead else None,
                plays[1:] if ahead else plays,
            )
            side = game.sides[player]
            early = archive.array("early", (side.sizes[0], game.boards.classes)).astype(float)
            check_rows(early, side.decisions[0])
            if to is not None and facts["model"] != digest_of(game, 1 - player, model):
                raise InputError("the model is not the one that it responds to")
            return RuleResponse(game, player, model, asked, early)
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no response's ({type(error).__name__})") from None


def seat_of(path: Path) -> int:
    """The seat of the responder in a file."""
    with opened(path, RESPONSE_KIND) as archive:
        player = archive.facts.get("player")
        if player not in (0, 1):
            raise FileError(f"{path} is damaged: it names no seat")
        return int(player)


def _content(game: HoldemGame, play: BlueprintStrategy) -> bytes:
    """A strategy as a blueprint's file has it; nothing of one that is no table."""
    if not isinstance(play, BucketedStrategy):
        return b""
    return archive_bytes(KIND, *contents(game, Blueprint(play, "", 0, 0, 0.0)))


def _held_strategy(path: Path, archive: Archive, game: HoldemGame, k: int, size: int) -> BucketedStrategy | None:
    if not size:
        return None
    content: AnyArray = archive.array(f"strategy{k}", (size,), "u")
    return load(path, game, content.tobytes())[1].play
