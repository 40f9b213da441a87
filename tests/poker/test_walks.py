"""Backup rules of the walk over boards, against the same rules in the listed game; responses and values on drawn boards."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.commands.options.shared_options import seat_in
from counterplay.measure.flop_responses import FlopMethods
from counterplay.measure.on_boards import board_work, values_on_boards
from counterplay.poker.whole_game.blueprints.blueprint_file import load_response, save_response
from counterplay.poker.whole_game.boards.board import DrawnBoards, RunOutDraws, pairs_of_hands
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, StrategyLines
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.make_rule import ADAPTING, BEST, LOCAL, LOOK_AHEAD, RuleSettings, best_response
from counterplay.poker.whole_game.walks.response_on_flops import (
    ALL,
    ResponseOnFlops,
    draw_flops,
    flops_of_draws,
    interval_of,
)
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.work.run_work import WorkProgress
from counterplay.work.work_record import WorkRecord
from counterplay_papers.listed_hands import (
    METHODS,
    ListedHands,
    NamedHoldem,
    ThreeLanes,
    eight_cards,
    full_deck,
    pair_error,
    random_play,
    respond_on_all,
    river_error,
    seat_error,
    some_river,
)
from tests.support.commands import Runner
from tests.support.whole_games import Halves, game, rules

ON_THE_FLOP = "none; flop: a; turn: none"
LISTED = [
    ("turn", ON_THE_FLOP, 1),
    *(pytest.param(last, None, player, marks=pytest.mark.slow) for last in ("turn", "river") for player in (0, 1)),
]
"""The last street, sizes of bets (None: as in `rules`), and the responder; the short one takes four seconds to list."""


@cache
def listed_hands(last: str, sizes: str | None, player: int) -> ListedHands:
    if (last, sizes) == ("turn", ON_THE_FLOP):
        return eight_cards()
    known = rules(last)
    return ListedHands(NamedHoldem(known.limits, sizes or known.sizes, known.deck, known.name), player)


@pytest.mark.parametrize("last", ["turn", pytest.param("river", marks=pytest.mark.slow)])
@pytest.mark.parametrize("player", [0, 1])
def test_best_responses_over_all_flops_are_those_of_the_whole_game(last: str, player: int) -> None:
    here, play = game(last), random_play(game(last), 1)
    found = respond_on_all(here, player, play, RuleSettings(BEST))
    assert found.upper.value == pytest.approx(best_response_value(here, play, player), abs=1e-12)
    assert (found.lower, found.upper.error) == (found.upper, 0.0)


@pytest.mark.parametrize("player", [0, 1])
def test_a_response_to_a_model_wins_from_the_truth_what_its_strategy_does(player: int) -> None:
    """The best response to one strategy against another: by the walk, and as a strategy over the whole game."""
    here, model, truth = game("turn"), random_play(game("turn"), 1), random_play(game("turn"), 2)
    asked, every = ResponseOnFlops(here, player, model, truth=truth), draw_flops(here.boards, ALL)
    found = asked.true_values(every, {flop: asked.on(flop) for flop in every.numbers})
    response = best_response(here, model)
    known = value(here, response, truth) if player == 0 else -value(here, truth, response)
    assert every.interval(found).value == pytest.approx(known, abs=1e-9)
    assert every.interval(found).value < best_response_value(here, truth, player)


@pytest.mark.parametrize(("last", "sizes", "player"), LISTED)
@pytest.mark.parametrize("method", METHODS)
def test_responses_are_those_of_the_listed_game(method: str, last: str, sizes: str | None, player: int) -> None:
    """Best responses, local best responses, and look-aheads of a street with hands checked down after the limit."""
    assert listed_hands(last, sizes, player).difference(method) < 1e-9


def test_drawn_flops_bound_the_value_of_the_best_response() -> None:
    """The mean over many samples: decisions made on the flops themselves are too good, cross-fitted ones not good enough."""
    here, play = game("turn"), random_play(game("turn"), 1)
    known, asked = best_response_value(here, play, 0), ResponseOnFlops(here, 0, play)
    every = {flop: asked.on(flop) for flop in draw_flops(here.boards, ALL).numbers}
    found = [asked.finish(draw_flops(here.boards, 12, seed), every) for seed in range(200)]
    upper, lower = (float(np.mean([getattr(one, side).value for one in found])) for side in ("upper", "lower"))
    assert lower < known < upper
    covered = np.mean([one.lower.value - one.lower.error < known < one.upper.value + one.upper.error for one in found])
    assert covered > 0.9


def test_values_over_drawn_boards_are_unbiased_and_nothing_is_won_from_oneself() -> None:
    here = game("turn")
    one, two = random_play(here, 1), random_play(here, 2)
    draws = RunOutDraws(here.boards, here.last, 0)
    found = values_on_boards(here, one, two, (draws[k] for k in range(400)))
    for seat, known in enumerate((value(here, one, two), -value(here, two, one))):
        near = interval_of(found[:, seat])
        assert abs(near.value - known) < 2.0 * near.error
    assert np.abs(values_on_boards(here, one, one, (draws[k] for k in range(20))).sum(axis=1)).max() < 1e-12


class HalfSeen(StrategyLines):
    """A strategy whose player raised nothing in training after the flop was dealt."""

    def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.full(len(hands), "r" not in line or not board)


def test_what_comes_from_rows_never_visited_is_told() -> None:
    """Of nothing or of everything it is 0 or all; else the rest is what the response earns where the bot knew its way."""
    here, play = game("turn", 6), random_play(game("turn", 6), 3)
    assert respond_on_all(here, 0, play, RuleSettings()).unvisited is None
    found = respond_on_all(here, 0, LineBlueprint(here, HalfSeen(here, play)), RuleSettings())
    assert found.upper.value == pytest.approx(best_response_value(here, play, 0), abs=1e-9)
    assert found.unvisited is not None
    assert abs(found.unvisited) > 1e-3

    for asked in (RuleSettings(LOOK_AHEAD), RuleSettings(LOCAL)):
        other = respond_on_all(here, 0, LineBlueprint(here, HalfSeen(here, play)), asked)
        plain = respond_on_all(here, 0, play, asked)
        assert other.upper.value == pytest.approx(plain.upper.value, abs=1e-9)
        assert plain.unvisited is None
        assert other.unvisited is not None
        assert abs(other.unvisited - found.unvisited) > 1e-3

    class Everything(HalfSeen):
        def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.ones(len(hands))

    class Nothing(HalfSeen):
        def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.zeros(len(hands))

    for bot, share in ((Everything, 0.0), (Nothing, found.upper.value)):
        told = respond_on_all(here, 0, LineBlueprint(here, bot(here, play)), RuleSettings())
        assert told.unvisited == pytest.approx(share, abs=1e-9)
        local = respond_on_all(here, 0, LineBlueprint(here, bot(here, play)), RuleSettings(LOCAL))
        assert local.unvisited == pytest.approx(local.upper.value if share else 0.0, abs=1e-9)


def test_look_ahead_with_the_right_values_is_the_best_response() -> None:
    """To the end; and of one street, if after it the model plays on and the responder responds best."""
    here, play = game("turn"), random_play(game("turn"), 1)
    best = best_response_value(here, play, 1)
    by_depth = [respond_on_all(here, 1, play, RuleSettings(LOOK_AHEAD, depth=k)).upper.value for k in (1, 2, 3)]
    assert by_depth[0] < by_depth[1] + 1e-12 < best + 2e-12
    assert by_depth[2] == pytest.approx(best, abs=1e-12)
    right = Halves(play, best_response(here, play))
    assert respond_on_all(here, 1, play, RuleSettings(LOOK_AHEAD, blueprint=right)).upper.value == pytest.approx(
        best, abs=1e-12
    )
    assert respond_on_all(here, 1, play, RuleSettings(LOOK_AHEAD, blueprint=play)).upper.value < best


@pytest.mark.parametrize("name", [BEST, LOOK_AHEAD, LOCAL, ADAPTING])
def test_responses_as_strategies_earn_what_the_walks_say(name: str, tmp_path: Path) -> None:
    """Board by board by the value of two strategies, and after a file in between, which has the model or is given it."""
    question = rules("turn")
    here, play, plays = question.game, random_play(question.game, 1), [random_play(question.game, k) for k in (2, 3)]
    asked = RuleSettings(name, continuations=tuple(plays) if name == ADAPTING else ())
    walked, sample = ResponseOnFlops(here, 1, play, asked), draw_flops(here.boards, ALL)
    every = {flop: walked.on(flop) for flop in sample.numbers}
    mine = walked.strategy(sample, every)
    earned = walked.finish(sample, every).upper.value
    assert -value(here, play, mine) == pytest.approx(earned, abs=1e-5)
    path, bot = tmp_path / "best.cpr", LineBlueprint(here, StrategyLines(here, play))
    save_response(path, HoldemStrategy(question, 1, mine))
    assert -value(here, play, load_response(path, here)) == pytest.approx(earned, abs=1e-5)
    save_response(path, HoldemStrategy(question, 1, replace(mine, theirs=bot)))
    assert seat_in(str(path)) == seat_in(f"{path}:mybot:Bot:folder") == 1
    with pytest.raises(InputError, match=r"best.cpr: the model is no table, .* give it again"):
        load_response(path, here)
    with pytest.raises(InputError, match="not the one that it responds to"):
        load_response(path, here, plays[0])
    assert -value(here, play, load_response(path, here, bot)) == pytest.approx(earned, abs=1e-5)


TOY = "holdem:deck=20,stack=2bb,bets=a,last=turn"
TABLE = Path(__file__).parents[2] / "examples" / "table_bot.txt"


def stop_after(pieces: int) -> Callable[[WorkProgress], None]:
    """Ctrl-C once so many pieces are there."""

    def watch(piece: WorkProgress) -> None:
        if piece.number > pieces:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("flops", [8, "all"])
def test_ctrl_c_keeps_the_draws_so_far(flops: int | str) -> None:
    """Flops are computed in the order in which they are drawn, all of them too: what is there is the answer of fewer draws.
    The rest is computed later, and all together give what they give at once."""
    here = cp.load(TOY)
    model = cp.opponent(here, "passive", player=1)
    record, after = WorkRecord(), 4
    found = cp.respond_on_flops(here, model, "lbr", flops, seed=3, record=record, watch=stop_after(after))
    fewer = cp.respond_on_flops(here, model, "lbr", found.flops, seed=3)
    assert after <= found.flops < 8
    assert (found.interrupted, fewer.interrupted) == (True, False)
    assert replace(found, seconds=0.0, interrupted=False) == replace(fewer, seconds=0.0)
    whole = cp.respond_on_flops(here, model, "lbr", flops, seed=3, record=record)
    assert whole == replace(cp.respond_on_flops(here, model, "lbr", flops, seed=3), seconds=whole.seconds)


@pytest.mark.parametrize("flops", [8, "all"])
def test_ctrl_c_before_two_draws_leaves_only_the_record(flops: int | str) -> None:
    here, record = cp.load(TOY), WorkRecord()
    model = cp.opponent(here, "passive", player=1)
    with pytest.raises(KeyboardInterrupt):
        cp.respond_on_flops(here, model, "lbr", flops, seed=3, record=record, watch=stop_after(1))
    assert len(record.results) == 1


def test_all_flops_are_those_of_the_deck_in_the_order_of_draws() -> None:
    """By their numbers, so that a record that was written in another order goes on; what they give depends on no seed."""
    here = cp.load(TOY)
    model, draw = cp.opponent(here, "passive", player=1), draw_flops(here.game.boards, ALL)
    works = [FlopMethods(HoldemMatchup(here, model, seed=seed), [cp.BR()], draw).work for seed in (0, 3)]
    for seed, work in zip((0, 3), works, strict=True):
        drawn = [f"flop {number}" for number in dict.fromkeys(flops_of_draws(here.game.boards, ALL, seed))]
        assert work.keys()[: len(drawn)] == drawn
        assert sorted(work.keys()) == sorted(f"flop {number}" for number in draw.numbers)
    assert works[0].identity() == works[1].identity()
    one, other = (cp.respond_on_flops(here, model, "br", "all", seed=seed) for seed in (0, 3))
    assert one == replace(other, seconds=one.seconds)


def test_ctrl_c_keeps_the_draws_so_far_of_a_comparison() -> None:
    """Of each method the same draws."""
    here = cp.load(TOY)
    match = HoldemMatchup(here, cp.opponent(here, "passive", player=1), seed=3)
    methods, every = (cp.BR(), cp.LBR()), draw_flops(here.game.boards, ALL)
    found = FlopMethods(match, methods, every).compare(watch=stop_after(4))
    draws = found.answers[0].flops
    fewer = FlopMethods(match, methods, draw_flops(here.game.boards, draws, 3)).compare()
    assert all(one.interrupted for one in found.answers)
    assert found.differences == fewer.differences
    for one, other in zip(found.answers, fewer.answers, strict=True):
        assert replace(one, seconds=0.0, interrupted=False) == replace(other, seconds=0.0)


def test_a_bot_of_others_is_answered_and_measured_by_its_name(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On drawn flops and boards; with the same numbers from Python, in another process and from a record."""
    monkeypatch.syspath_prepend(str(TABLE.parent))
    table = tmp_path / "table.txt"
    table.write_text(TABLE.read_text().replace("deck=20,stack=6bb,bets=fcpa,last=turn", TOY.partition(":")[2]))
    bot, record = f"table_bot:TableBot:{table}", str(tmp_path / "br.work")
    here = cp.load(TOY)
    model = cp.opponent(here, bot, player=1)
    found = cp.respond_on_flops(here, model, "br", 3, seed=2)
    assert found.lower <= found.upper
    assert found.unvisited == pytest.approx(0.0, abs=1e-12)
    assert found.strategy is not None
    earned = cp.evaluate_on_boards(here, found.strategy, model, boards=3)
    assert earned.value == pytest.approx(cp.evaluate_on_boards(here, found.strategy, model, boards=3).value)
    work = FlopMethods(HoldemMatchup(here, model, seed=2), [cp.BR()], draw_flops(here.game.boards, 3, 2)).work
    there = pickle.loads(pickle.dumps(work))
    for key in work.keys():  # noqa: SIM118
        assert there.compute(key)["values"].tolist() == work.compute(key)["values"].tolist()
    asked = ["respond", TOY, "--to", bot, "--flops", "3", "--seed", "2", "--json"]
    for more in (["--record", record], ["--record", record]):
        ended = run(*asked, *more)
        assert ended.code == 0, ended.err
        told = ended.json
        assert (told["lower"], told["upper_mbb"]) == pytest.approx((found.lower, 1000.0 * found.upper / 100))
    told = run(*asked, "--methods", "br,cdbr,lbr", "--depth", "1").json
    best, local = told["answers"][0], told["differences"][1]
    assert (best["lower"], best["upper"]) == pytest.approx((found.lower, found.upper))
    assert (local["method"], local["other"]) == ("br", "lbr")
    apart = found.lower - told["answers"][2]["lower"]
    assert local["lower"] == pytest.approx(apart)
    table.write_text(table.read_text().replace("flop,2", "flop,7"))
    assert run(*asked, "--record", record).code == 2, "the record is of another bot"
    saved = str(tmp_path / "best.cpr")
    assert run(*asked, "--keep", "-o", saved).code == 0
    table.write_text(table.read_text().replace("flop,7", "flop,2"))
    assert "not the one" in run("evaluate", TOY, f"{saved}:{bot}", "--against", bot, "--boards", "3").err
    assert run(*asked, "--keep", "-o", saved).code == 0
    told = run("evaluate", TOY, f"{saved}:{bot}", "--against", bot, "--boards", "3", "--json").json
    assert told["value"] == pytest.approx(earned.value)
    for arguments, said in (
        (["respond", "leduc", "--to", "uniform", "--flops", "3"], "flops are drawn in whole games"),
        (["respond", TOY, "--to", bot, "--flops", "one"], "a number or all"),
        (["respond", TOY, "--to", bot, "--flops", "3", "-o", str(tmp_path / "x.cpb")], "must end in .cpr"),
        (
            ["respond", TOY, "--to", bot, "--flops", "3", "--method", "ses", "--depth", "1", "--alpha", "0.1"],
            "br, cdbr, abd, lbr, and not ses",
        ),
        (["respond", TOY, "--to", bot, "--flops", "3", "--methods", "br"], "at least two"),
        (["respond", TOY, "--to", "json:dumps", "--flops", "3"], "does not answer probabilities"),
        (["evaluate", TOY, "uniform", "--boards", "5"], "give --against"),
    ):
        ended = run(*arguments)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err


def test_boards_of_an_evaluation_are_work(run: Runner, tmp_path: Path) -> None:
    """The boards are those that a walk draws itself, and equal in another process. Ctrl-C keeps those so far, and a later
    run, also of more boards, goes on from there."""
    here = cp.load(TOY)
    one, two = cp.opponent(here, "uniform", player=0), cp.opponent(here, "passive", player=1)
    work = board_work(here, one, two, 25, seed=3)
    seen = DrawnBoards(here.game.boards, np.random.default_rng(3), (1,) * here.game.last)
    for won in work.compute("boards 1 to 10"):
        seen.draw_anew()
        assert won.tolist() == [value(here.game, one.play, two.play, seen), -value(here.game, two.play, one.play, seen)]
    there = pickle.loads(pickle.dumps(work))
    for key in work.keys():  # noqa: SIM118
        assert there.compute(key).tolist() == work.compute(key).tolist()
    path, begun = tmp_path / "boards.work", []

    def stop(piece: WorkProgress) -> None:
        begun.append(piece.key)
        if piece.number == 3:
            raise KeyboardInterrupt

    cut = cp.evaluate_on_boards(here, one, two, 25, seed=3, record=WorkRecord(path, work.identity()), watch=stop)
    assert (cut.boards, cut.interrupted) == (20, True)
    assert cut.value == cp.evaluate_on_boards(here, one, two, 20, seed=3).value
    words = ["evaluate", TOY, "uniform", "--against", "passive", "--seed", "3", "--json", "--boards"]
    told = run(*words, "30", "--record", str(path)).json
    whole = cp.evaluate_on_boards(here, one, two, 30, seed=3)
    assert (told["value"], told["both_seats_error"]) == (whole.value, whole.both_seats_error)
    assert list(WorkRecord(path, work.identity()).results) == ["boards 1 to 10", "boards 11 to 20", "boards 21 to 30"]
    assert "go with --boards" in run("evaluate", "leduc", "uniform", "--workers", "2").err
    other = cp.opponent(here, "shuffle:0.5:uniform", player=1, seed=9)
    with pytest.raises(cp.InputError, match="not the same in another process"):
        pickle.loads(pickle.dumps(board_work(here, one, other, 10)))


def test_pairs_of_hands_are_conserved_from_street_to_street() -> None:
    """1,624,350 before the flop; each board after it has its share, by the kernel that pays folds."""
    assert pairs_of_hands(full_deck().deck) == 1_624_350.0
    assert pair_error(full_deck(), some_river(full_deck())) < 1e-12


def test_a_river_of_all_lines_is_that_of_a_plain_twin() -> None:
    """Every hand against every hand in full, line by line, with NumPy: the kernels' sums by cards give the same."""
    assert river_error(full_deck(), some_river(full_deck()), ThreeLanes(full_deck())) < 2e-6


def test_what_one_seat_wins_the_other_loses() -> None:
    """On every board, by two walks: of the full deck in float32, of a short one in float64."""
    assert seat_error(full_deck(), ThreeLanes(full_deck()), 2) < 2e-6
    here = game("turn")
    assert seat_error(here, random_play(here, 1), 20) < 1e-12
