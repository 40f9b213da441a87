"""Studies of several methods on the same flops, and the tables that are kept of them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.archive import opened, write
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import digest_blueprint, save
from counterplay.poker.whole_game.values.measure import best_response_value
from counterplay.poker.whole_game.walks.response_on_flops import flops_of_draws, part_of_all
from counterplay.work.run_work import run_work
from counterplay_papers.flop_study import SEATS, FlopStudy, Stage
from counterplay_papers.flop_table import (
    KIND,
    FlopTable,
    SampleValues,
    check_table,
    read_flop_table,
    recomputed_difference,
    table_of,
    write_flop_table,
)

TOY = "holdem:deck=12,stack=4bb,bets=fcpa,last=turn"
METHODS = {"lbr": "lbr", "cdbr": "cdbr:leaf=equity", "br": "br"}
OPPONENT = "shuffle:0.5,1:uniform"


def study(*stages: Stage) -> FlopStudy:
    return FlopStudy(TOY, OPPONENT, METHODS, stages or (Stage(tuple(METHODS), 6), Stage(("br",), "all")), {})


@cache
def results() -> dict[str, Any]:
    return run_work(study()).results


@cache
def table() -> FlopTable:
    found = table_of(study(), results())
    assert found is not None
    return found


@cache
def first() -> FlopTable:
    """The draws of all methods alone."""
    found = table_of(study(Stage(tuple(METHODS), 6)), results())
    assert found is not None
    return found


def test_over_all_flops_the_best_response_is_that_of_the_whole_game() -> None:
    rules = study().rules
    for seat in SEATS:
        model = cp.opponent(rules, OPPONENT, player=1 - seat)
        known = best_response_value(rules.game, model.play, seat)
        found = table().value("br", seat)
        assert table().has_all("br")
        assert found.value == pytest.approx(known, rel=1e-6), "pieces are kept in float32"


def test_a_study_says_what_each_method_says_by_itself() -> None:
    asked = study()
    for name, method in METHODS.items():
        model = cp.opponent(asked.rules, OPPONENT, player=1)
        known = cp.respond_on_flops(asked.rules, model, method, 6)
        upper, lower = (first().paired(name).interval(name, 0, lower=low) for low in (False, True))
        assert (upper.value, upper.error) == pytest.approx((known.upper, known.upper_error), rel=1e-5)
        assert (lower.value, lower.error) == pytest.approx((known.lower, known.lower_error), rel=1e-5)


def test_differences_are_paired() -> None:
    """The mean is the difference of the means, and the interval narrower than that of unrelated samples; nothing wins more
    than the best response on the flops on which that was made."""
    sample = first().paired()
    for seat in (0, 1, None):
        for name in ("lbr", "cdbr"):
            found = sample.difference("br", name, seat)
            br, other = sample.interval("br", seat), sample.interval(name, seat)
            assert found.value == pytest.approx(br.value - other.value, abs=1e-9)
            assert found.value > 0.0
            assert found.error < np.hypot(br.error, other.error)


def test_a_method_is_taken_apart_before_and_after_the_flop() -> None:
    """Best decisions in place of its own on either side win more, and on both sides are the best response."""
    known = first().paired()
    for name in METHODS:
        found = first().parts(name)
        assert found is not None
        assert (found.own, found.draws) == (pytest.approx(known.interval(name, None).value), 6)
        assert found.own - 1e-9 <= min(found.before, found.after)
        assert max(found.before, found.after) <= found.best + 1e-9
    assert found.before == found.after == found.best, "the last is the best response"
    assert table().parts("lbr") is None, "no sample has the same draws of both"


def test_an_unfinished_study_is_a_smaller_one() -> None:
    """Pieces come flop by flop in the order of the draws; a table of those so far is that of a smaller draw."""
    asked = study(Stage(tuple(METHODS), 6))
    keys = asked.keys()
    first = int(keys[0].split()[-1])
    assert keys[: 2 * len(METHODS)] == [asked.key(name, seat, first) for name in METHODS for seat in SEATS]
    assert set(keys) <= set(results())
    part = table_of(asked, {key: results()[key] for key in keys[: 4 * len(METHODS) + 3]})
    assert part is not None
    smaller = table_of(study(Stage(tuple(METHODS), part.paired("lbr").draws)), results())
    assert smaller is not None
    assert part.paired("lbr").flops == smaller.paired("lbr").flops
    assert part.paired("lbr").interval("lbr", None) == smaller.paired("lbr").interval("lbr", None)
    assert table_of(asked, {}) is None


def later(kept: FlopTable, draws: int | str) -> tuple[set[int], FlopTable]:
    """A sitting for the best response that knows of those before it only the table: its flops, and the table after it."""
    asked = replace(study(Stage(("br",), draws)), known=kept.known)
    keys = asked.keys()
    found = table_of(asked, {key: results()[key] for key in keys}, kept)
    assert found is not None
    return {int(key.split()[-1]) for key in keys}, found


def test_each_sitting_goes_on_where_the_table_ends(tmp_path: Path) -> None:
    """The mean over all draws is that of the draws of each; over all flops sums of several sittings give what one gives."""
    path = tmp_path / "toy.cpv"
    write_flop_table(path, first())
    kept, drawn = read_flop_table(path), flops_of_draws(study().rules.game.boards, 14, 0)
    flops, both = later(kept, 14)
    assert flops == set(drawn[6:])
    assert (both.paired("br").flops, both.paired().flops) == (drawn, drawn[:6])
    for low in (False, True):
        parts = [kept.paired("br").interval("br", 0, lower=low), both.samples[-1].values["br"][0].interval(lower=low)]
        mean = (6 * parts[0].value + 8 * parts[1].value) / 14
        assert both.paired("br").interval("br", 0, lower=low).value == pytest.approx(mean)
    assert later(both, 14)[0] == set()
    every = set(range(len(table().samples[-1].draw.numbers)))
    half = replace(both, samples=[*both.samples, part_sample(sorted(every)[::2])])
    flops, whole = later(half, "all")
    assert flops == set(sorted(every)[1::2])
    write_flop_table(path, whole)
    for seat in SEATS:
        assert read_flop_table(path).value("br", seat).value == pytest.approx(
            table().value("br", seat).value, rel=1e-12
        )


def part_sample(flops: list[int]) -> SampleValues:
    asked = study(Stage(("br",), "all"))
    draw = part_of_all(asked.rules.game.boards, flops)
    return SampleValues(draw, {"br": (asked.values(results(), "br", 0, draw), asked.values(results(), "br", 1, draw))})


def test_a_flop_is_not_counted_twice() -> None:
    parts = [part_sample([0, 1, 2]), part_sample([2, 3])]
    with pytest.raises(InputError, match="a flop of br twice"):
        check_table(replace(table(), samples=parts), study().rules.game)


def test_the_identity_is_of_contents_and_work_goes_to_other_processes() -> None:
    one, two = (
        FlopStudy(TOY, path, {"cdbr": f"cdbr:leaf=portfolio:{path}"}, (Stage(("cdbr",), 4),), {path: "abc"})
        for path in ("/somewhere/bot.cpb", "bot.cpb")
    )
    assert (one.identity(), one.facts, one.keys()) == (two.identity(), two.facts, two.keys())
    asked = pickle.loads(pickle.dumps(study()))
    key = asked.keys()[0]
    assert asked.identity() == study().identity()
    assert np.array_equal(asked.compute(key)["values"], results()[key]["values"])


def test_a_table_is_kept_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "toy.cpv"
    write_flop_table(path, table())
    read = read_flop_table(path)
    assert read.study == table().study
    for one, two in zip(read.samples, table().samples, strict=True):
        assert one.draw == two.draw
        for name in two.values:
            assert np.array_equal(one.values[name][1].lower, two.values[name][1].lower)
    assert recomputed_difference(read, study(), "br", 0, read.samples[-1].draw.numbers[-1]) < 1e-6
    assert recomputed_difference(read, study(), "lbr", 1, read.samples[0].draw.numbers[0]) < 1e-6


@pytest.mark.parametrize(
    ("array", "said"),
    [
        ("upper1_0", "do not add up"),
        ("below1_1", "is not the best"),
        ("numbers0", "that its seed draws"),
        ("folded0", "add up|not the best"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(array: str, said: str, tmp_path: Path) -> None:
    """Even under a checksum of their own."""
    path = tmp_path / "toy.cpv"
    write_flop_table(path, table())
    with opened(path, KIND) as archive:
        arrays = {name: archive.array(name, archive.shape(name), "fu").copy() for name in archive.digests}
        facts = archive.facts
    arrays[array] = arrays[array] + 1 if array == "numbers0" else -2 * arrays[array]
    write(path, KIND, facts, arrays)
    with pytest.raises(InputError, match=said):
        read_flop_table(path)


def test_a_value_that_was_changed_is_found_by_computing_its_flop_again() -> None:
    sample = table().samples[-1]
    seat, other = sample.values["br"]
    changed = replace(seat, upper=seat.upper + np.eye(len(seat.upper))[0])
    bad = replace(table(), samples=[replace(sample, values={"br": (changed, other)})])
    flop = sample.draw.numbers[0]
    assert recomputed_difference(bad, study(), "br", 0, flop) == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(InputError, match="add up"):
        check_table(bad, study().rules.game)


def test_a_blueprint_is_known_by_its_content(tmp_path: Path) -> None:
    """Not by where it lies, nor by how long it took."""
    here = study().rules.game
    digests = []
    for name, seed, seconds in (("a", 1, 1.0), ("b", 1, 2.0), ("c", 2, 1.0)):
        made = blueprint(here, lossless(here.boards), method="public", iterations=2, seed=seed)
        save(tmp_path / f"{name}.cpb", here, replace(made, seconds=seconds))
        digests.append(digest_blueprint(tmp_path / f"{name}.cpb"))
    assert digests[0] == digests[1] != digests[2]
