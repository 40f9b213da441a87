"""Whole games of any number of streets: one walk over boards against the game enumerated history by history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import HoldemSpec, InputError
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.measure.on_boards import blueprint_work, measure_blueprint
from counterplay.poker.betting.rules import STREETS, holdem
from counterplay.poker.betting.stakes import Amount
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load, save, save_answer
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import DEALT, DrawnBoards
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, StrategyLines, line_at, node_of_line
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import best_response_value, measure, value
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.solvers.best_response import best_response as respond_to
from counterplay.solvers.minimiser import CFR_PLUS, DCFR
from counterplay.work.processes import Processes
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord
from counterplay_papers.listed_hands import EIGHT, enumerated, random_play
from tests.support.whole_games import NINE, TWENTY, game, listed, rules


@pytest.mark.parametrize("last", ["turn", pytest.param("river", marks=pytest.mark.slow)])
def test_values_and_best_responses_are_those_of_the_enumerated_game(last: str) -> None:
    tree, here = listed(last), game(last)
    one, two = random_play(here, 1), random_play(here, 2)
    x, y = (enumerated(tree, rules(last), here, play, player).plan for player, play in enumerate((one, two)))
    for player, (plan, play) in enumerate(((y, two), (x, one))):
        known = respond_to(tree.subgame, player, plan).value
        assert best_response_value(here, play, player) == pytest.approx(known, abs=1e-9)
    assert value(here, one, two) == pytest.approx(float(x @ tree.subgame.leaves.product(0, y)), abs=1e-9)


def test_a_best_response_earns_what_the_walk_says() -> None:
    here = game("turn", 6)
    play = random_play(here, 3)
    best = best_response(here, play)
    assert value(here, best, play) == pytest.approx(best_response_value(here, play, 0), abs=1e-12)
    assert -value(here, play, best) == pytest.approx(best_response_value(here, play, 1), abs=1e-12)


@pytest.mark.parametrize(("last", "deck"), [("turn", EIGHT), ("river", NINE), ("river", TWENTY)])
def test_boards_stand_for_all_deals(last: str, deck: Deck) -> None:
    here = holdem_game(holdem(4, last=last), "a", deck=deck)
    level, times, left = [here.boards.root], [1], len(deck.cards)
    for street in range(1, here.last + 1):
        counts = [here.boards.choices(board)[1] * n for board, n in zip(level, times, strict=True)]
        ways = np.prod([left - k for k in range(DEALT[street])]) / 6
        assert sum(map(sum, counts)) == ways
        if street < here.last:
            level = [child for board in level for child in here.boards.after(board)]
            times = np.concatenate(counts).tolist()


def test_a_board_is_turned_into_the_one_that_stands_for_it() -> None:
    here, rng = holdem_game(holdem(4), "a", deck=TWENTY), np.random.default_rng(0)
    for _ in range(30):
        board = rng.choice(TWENTY.cards, 5, replace=False)
        found, turn = here.boards.find_board(board.tolist())
        assert sorted(turn[board[:3]]) == list(found.cards[:3])
        assert tuple(turn[board[3:]]) == found.cards[3:]
        assert found.before is not None
        assert found.before.cards == found.cards[:4]
        assert (here.deck.hands[found.hand] == here.deck.hands[found.before.hand[found.up]]).all()


def test_cfr_over_all_boards_comes_to_the_value_of_the_enumerated_game() -> None:
    tree, here = listed("turn"), game("turn")
    exact = cp.solve(tree, solver="cfr+", stop=cp.Stop(exploitability=1e-5)).value
    solver = VectorCFR(here, lossless(here.boards), DCFR)
    solver.sweep(100)
    found = measure(here, solver.average())
    assert found.nash_conv < 2e-3
    assert -found.best[1] - 1e-5 <= exact <= found.best[0] + 1e-5


@pytest.mark.slow
def test_public_chance_sampling_converges_on_four_streets() -> None:
    here = game("river")
    solver, random = VectorCFR(here, lossless(here.boards), CFR_PLUS), np.random.default_rng(0)
    found = []
    for _ in range(3):
        solver.sample(700, random)
        found.append(measure(here, solver.average()).nash_conv)
    assert found[0] > found[-1]
    assert found[-1] < measure(here, uniform(here)).nash_conv / 4


def test_drawn_flops_are_unbiased() -> None:
    here = game("turn")
    one, two = random_play(here, 1), random_play(here, 2)
    random, exact = np.random.default_rng(0), value(here, one, two)
    draws = [value(here, one, two, DrawnBoards(here.boards, random, (1, 1))) for _ in range(400)]
    assert abs(np.mean(draws) - exact) < 4 * np.std(draws) / 20


def test_a_strategy_against_itself_is_worth_zero_in_a_symmetric_game() -> None:
    """Both players' values on a board add up to nothing, whatever they play."""
    here = game("turn", 6)
    one, two = random_play(here, 1), random_play(here, 2)
    flop = here.boards.after(here.boards.root)[0]
    for board in (flop, here.boards.after(flop)[0]):
        ours = BoardWalk(here, 0, two, one)
        theirs = BoardWalk(here, 1, one, two)
        both = [walk.reach(board)[:, board.up] for walk in (theirs, ours)]
        worth = [(walk.hand_values(board) * reach).sum() for walk, reach in zip((ours, theirs), both, strict=True)]
        assert worth[0] == pytest.approx(-worth[1], abs=1e-9)


def test_decks_that_are_too_small_are_refused() -> None:
    with pytest.raises(InputError, match="at least 9 cards"):
        holdem_game(holdem(4), "a", deck=EIGHT)


def test_texts_name_games() -> None:
    assert read_holdem("fhp").betting.nodes == read_holdem("holdem:flop").betting.nodes == 169
    assert read_holdem("holdem:flop,raises=1,lowest=T").deck == TWENTY
    toy = read_holdem("holdem:deck=20,stack=4bb,bets=[a; river: 50%, a],last=turn,buckets=20/10")
    assert (toy.limits.last, str(toy.buckets), toy.limits.stacks) == (2, "emd:20/10", (400, 400))
    size = read_holdem("holdem:stack=200bb").size  # fold, call, pot, all-in
    assert (size.nodes, size.decisions, size.actions) == (3541, (20, 100, 340, 900), (57, 264, 856, 2184))
    for text, error in (
        ("holdem", "write holdem:flop"), ("holdem:river", "'river'"), ("holdem:flop,stack=4", "'stack'"),
        ("holdem:stack=x", "amount of chips"), ("holdem:stack=4bb,last=preflop", "last is"),
        ("holdem:stack=4bb,deck=21", "deck is"), ("holdem:stack=4bb,buckets=3/4", "3 streets after the first"),
        ("holdem:stack=4bb,deck=20,lowest=T", "say the same"), ("holdem:flop,raises=0", "raises must be"),
        ("holdem:flop,raises=21", "at most 20"), ("holdem:flop,blinds=1/2", "takes no 'blinds'"),
        ("holdem:stack=4bb,blinds=1", "two amounts of chips"), ("holdem:stack=-1", "amount of chips"),
        ("holdem:stack=4bb,suits=4", "no option 'suits'"), ("fhp:stack=4", "is not Flop Hold'em"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=error):
            read_holdem(text)


_CHIPS = st.integers(1, 10**6).map(float) | st.floats(1.0, 1e6)
_CARDS = st.sampled_from([{}, {"deck": 20}, {"lowest": "T"}])
_BUCKETS = st.sampled_from([{}, {"buckets": "50"}, {"buckets": "moments:5k/5k/1k"}])
_STAKES = st.fixed_dictionaries(
    {"stack": st.builds(Amount, _CHIPS, st.sampled_from(["chips", "bb"]))},
    optional={
        "bets": st.sampled_from(["fcpa", "a; river: 50%, a", "a"]), "blinds": st.tuples(_CHIPS, _CHIPS),
        "last": st.sampled_from(STREETS[1:]),
    },
)  # fmt: skip
_GAMES = (
    st.fixed_dictionaries({"game": st.just("flop")}, optional={"raises": st.integers(1, 20)})
    | st.just({"game": "limit"}) | _STAKES
)  # fmt: skip


@given(_GAMES, _CARDS, _BUCKETS)
def test_whole_games_and_their_text_are_inverse(
    words: dict[str, Any], cards: dict[str, Any], more: dict[str, Any]
) -> None:
    spec = HoldemSpec(**words, **cards, **more)
    assert HoldemSpec.from_text(str(spec)) == spec


def test_a_game_s_record_and_its_text_name_the_same_game() -> None:
    spec = HoldemSpec(stack="4bb", deck=20, bets="a; river: 50%, a", last="turn")
    named = read_holdem("holdem:deck=20,stack=4bb,bets=[a; river: 50%, a],last=turn")
    assert read_holdem(spec).limits == named.limits
    assert cp.load(spec).betting.nodes == named.betting.nodes


@pytest.mark.parametrize("buckets", ["lossless", "buckets"])
def test_a_blueprint_is_kept_with_its_game(buckets: str, tmp_path: Path) -> None:
    here = game("turn")
    lanes = lossless(here.boards) if buckets == "lossless" else make_buckets(here.boards, EMD((6, 4)))
    made = blueprint(here, lanes, method="public", iterations=30, seed=2)
    save(tmp_path / "a.cpb", here, made)
    again, read = load(tmp_path / "a.cpb")
    for player in (0, 1):
        np.testing.assert_array_equal(made.play.preflop[player], read.play.preflop[player])
    assert value(again, read.play, read.play) == value(here, made.play, made.play)
    assert (read.iterations, read.seed, str(read.play.buckets)) == (30, 2, str(made.play.buckets))
    with pytest.raises(InputError, match="of another game"):
        load(tmp_path / "a.cpb", game("turn", 6))
    whole = (tmp_path / "a.cpb").read_bytes()
    for content in (b"", whole[: len(whole) // 2], whole[:-400] + bytes(400)):
        (tmp_path / "b.cpb").write_bytes(content)
        with pytest.raises(InputError, match="damaged"):
            load(tmp_path / "b.cpb")


def test_buckets_put_hands_together_that_do_alike() -> None:
    here = game("turn")
    found = make_buckets(here.boards, EMD((5, 3)))
    assert [int(found.sizes_on(street)[0]) for street in (1, 2)] == [5, 3]
    for flop in here.boards.after(here.boards.root):
        for board in (flop, *here.boards.after(flop)):
            lane = found.lanes_on(board)[1]
            first = dict(zip(board.lane.tolist(), lane.tolist(), strict=True))
            assert lane.tolist() == [first[k] for k in board.lane.tolist()]
    exact = VectorCFR(here, lossless(here.boards))
    coarse = VectorCFR(here, found)
    for solver in (exact, coarse):
        solver.sweep(20)
    risks = [measure(here, solver.average()).nash_conv for solver in (exact, coarse)]
    assert 0.0 < risks[0] < risks[1] < measure(here, uniform(here)).nash_conv


def test_equal_seeds_give_equal_blueprints() -> None:
    here = game("turn")
    pair = [blueprint(here, lossless(here.boards), method="public", iterations=40, seed=5).play for _ in range(2)]
    assert pair[0].tables[1][0][3].tobytes() == pair[1].tables[1][0][3].tobytes()


class CallsDown:
    """Another program's bot: it checks and calls, but folds a share of its worst hands to a bet before the flop."""

    def probabilities(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        facing = line.rpartition("/")[2].endswith("r4") or not line
        rows = np.zeros((len(hands), 3 if not line else 2))
        if not facing:
            rows[:, 0] = 1.0
            return rows
        weak = (hands.max(axis=1) < 44) & (not board)
        rows[:, 0], rows[:, 1] = np.where(weak, 0.5, 0.0), np.where(weak, 0.5, 1.0)
        return rows


def test_a_bot_is_asked_by_lines_and_answered() -> None:
    here = game("turn")
    bot = LineBlueprint(here, CallsDown())
    nodes = [n for n in range(here.betting.nodes) if here.betting.kind[n] < 3]
    assert all(node_of_line(here.betting, line_at(here.betting, node)) == node for node in nodes)
    assert {line_at(here.betting, node) for node in nodes} >= {"", "c", "cr4", "cc/", "cc/c", "cc/cc/r4"}
    assert best_response_value(here, bot, 0) > 0.0
    again = LineBlueprint(here, StrategyLines(here, bot))
    assert value(here, again, again) == pytest.approx(value(here, bot, bot), abs=1e-12)
    with pytest.raises(InputError, match="is not a legal action there"):
        node_of_line(here.betting, "r3")
    with pytest.raises(InputError, match="cannot read"):
        node_of_line(here.betting, "cx")


class Fails:
    """A bot with a mistake."""

    def probabilities(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        return {}[line]


def test_a_bot_that_fails_is_named_in_one_sentence() -> None:
    with pytest.raises(InputError, match="the bot Fails failed with KeyError"):
        best_response_value(game("turn"), LineBlueprint(game("turn"), Fails()), 0)


def test_a_strategy_asked_by_lines_is_the_same_strategy() -> None:
    here = game("turn")
    play = random_play(here, 4)
    asked = LineBlueprint(here, StrategyLines(here, play))
    assert value(here, asked, play) == pytest.approx(value(here, play, play), abs=1e-12)
    assert best_response_value(here, asked, 1) == pytest.approx(best_response_value(here, play, 1), abs=1e-12)


TOY = "holdem:deck=12,stack=2bb,bets=a,last=turn,buckets=8"


def test_whole_games_are_answered_like_any_other(tmp_path: Path) -> None:
    here = cp.load(TOY)
    model = cp.opponent(here, "passive", player=1)
    best = cp.respond(here, model)
    assert best.value_against_model == pytest.approx(best_response_value(here.game, model.play, 0))
    robust = cp.respond(here, model, p=0.3, stop=cp.Stop(iterations=20), seed=1, keep=True)
    assert robust.edge is not None
    assert best.edge is not None
    assert robust.risk is not None
    assert best.risk is not None
    assert 0.0 < robust.edge < best.edge
    assert robust.risk < best.risk
    found = cp.evaluate(here, robust.strategy, model)
    measured = robust.edge, robust.risk, robust.exploitability, robust.blueprint_value
    assert (found.edge, found.risk, found.exploitability, found.blueprint_value) == pytest.approx(measured)
    for facts in (robust.facts, found.facts):
        assert not {"gain", "game_value"} & set(facts)
    points = cp.frontier(here, model, ("rnr", "br"), points=2, stop=cp.Stop(iterations=10))
    assert [point.method for point in points] == ["rnr", "rnr", "br"]
    assert points[2].edge == pytest.approx(best.edge)
    safe = cp.respond(here, model, cp.BNE(), stop=cp.Stop(iterations=20), seed=1, keep=True)
    assert safe.risk is not None
    assert safe.edge is not None
    assert safe.risk < 1e-3 < safe.edge < best.edge
    save_answer(tmp_path / "br.cpb", best.strategy)
    again = cp.opponent(here, str(tmp_path / "br.cpb"), player=0)
    assert value(here.game, again.play, model.play) == pytest.approx(best.value_against_model, rel=1e-5)


def test_whole_games_are_played() -> None:
    here = cp.load(TOY)
    sides = [lambda seat, text=text: cp.agent(here, text, player=seat) for text in ("br:passive", "passive")]
    result = cp.match(here, *sides, hands=60, seed=3)
    assert result.hands == 60
    assert result.mean > 0.0
    with pytest.raises(InputError, match="is a whole game of hold'em"):
        cp.solve(here)


def test_a_measure_in_pieces_is_the_measure(tmp_path: Path) -> None:
    """In one process, in two that read the blueprint's file, and from a record that was cut short."""
    here = game("turn")
    made = blueprint(here, lossless(here.boards), method="cfr+", iterations=3)
    whole, path = measure(here, made.play), tmp_path / "toy.cpb"
    save(path, here, made)
    work = blueprint_work(here, made.play, path)
    alone = run_work(work).results
    record = WorkRecord(tmp_path / "toy.work", work.identity())
    for key in work.keys()[::3]:
        record.keep(key, alone[key])
    assert run_work(work, record=record, executor=Processes(2)).results.keys() == alone.keys()
    for found in (measure_blueprint(here, made.play), measure_blueprint(here, made.play, path, record=record)):
        assert (found.value, *found.best) == pytest.approx((whole.value, *whole.best), abs=1e-12)
    with pytest.raises(InputError, match="the blueprint is in no file"):
        run_work(blueprint_work(here, made.play), executor=Processes(1))
