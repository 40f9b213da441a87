"""Backup rules of the walk over boards, against the same rules in the listed game; responses and values on drawn boards."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.measure.flop_responses import FlopsWork
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, scratch_of, terminals_of
from counterplay.poker.whole_game.best_response import best_response
from counterplay.poker.whole_game.board_kernels import values_against
from counterplay.poker.whole_game.boards.board import DEALT, Board, pairs_of_hands
from counterplay.poker.whole_game.boards.deal import HANDS
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.lines import LineBlueprint, StrategyLines
from counterplay.poker.whole_game.measure import best_response_value, value
from counterplay.poker.whole_game.rules import Holdem, HoldemState
from counterplay.poker.whole_game.strategy import normalise_rows
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen
from counterplay.poker.whole_game.walks.flop_draw import ALL, draw_flops
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, LOOK_AHEAD, RuleSettings
from counterplay.poker.whole_game.walks.response_on_flops import FlopResponse, ResponseOnFlops
from counterplay.poker.whole_game.walks.values_on_boards import mean_value, values_on_boards
from counterplay.responses.whole_game import HoldemMatchup
from tests.support.commands import Runner
from tests.support.whole_games import enumerated, game, random_play, rules

ON_THE_FLOP = "none; flop: a; turn: none"
LISTED = [
    ("turn", ON_THE_FLOP, 1),
    *(pytest.param(last, None, player, marks=pytest.mark.slow) for last in ("turn", "river") for player in (0, 1)),
]
"""The last street, sizes of bets (None: as in `rules`), and the responder; the short one takes four seconds to list."""


def over_all(here: HoldemGame, player: int, theirs: Any, asked: RuleSettings) -> FlopResponse:
    """The response over every flop."""
    found, sample = ResponseOnFlops(here, player, theirs, asked), draw_flops(here.boards, ALL)
    return found.finish(sample, {flop: found.on(flop) for flop in sample.numbers})


class Named(Holdem):
    """The rules with the names of actions that LBR needs in a game that is listed."""

    def action_name(self, state: HoldemState, action: int) -> str:
        name = super().action_name(state, action)
        return {"fold": "Fold", "check": "Call", "call": "Call"}.get(name, name)


@cache
def named(last: str, sizes: str | None, player: int) -> tuple[Any, Any, Any, Any, Any]:
    """Rules, the game, a strategy, the listed game, and the strategy of the responder's opponent there."""
    known = rules(last)
    question = Named(known.limits, sizes or known.sizes, known.deck, known.name)
    here = holdem_game(question.limits, question.sizes, deck=question.deck, dtype=np.float64)
    tree, play = cp.load(question, say=lambda _: None), random_play(here, 1)
    return question, here, play, tree, enumerated(tree, question, here, play, 1 - player)


def checked_down(question: Holdem, state: HoldemState) -> float:
    """Chips of player 0 on the mean of all boards to come, if nobody bets any more."""
    left = [card for card in question.deck.cards if card not in state.cards]
    betting, last = question.betting, question.limits.last
    need = DEALT[last]
    shown = state.cards[HANDS:]
    half = float(betting.pot[state.node]) / 2
    results = []
    for rest in combinations(left, need - len(shown)):
        one, two = strengths(question, state.cards, (*shown, *rest))
        results.append(half * ((one > two) - (one < two)))
    return float(np.mean(results))


def strengths(question: Holdem, cards: tuple[int, ...], board: tuple[int, ...]) -> list[int]:
    found: list[int] = hand_ranks(board, np.array([cards[:2], cards[2:4]]), deck=question.deck).tolist()
    return found


@pytest.mark.parametrize("last", ["turn", pytest.param("river", marks=pytest.mark.slow)])
@pytest.mark.parametrize("player", [0, 1])
def test_best_responses_over_all_flops_are_those_of_the_whole_game(last: str, player: int) -> None:
    here, play = game(last), random_play(game(last), 1)
    found = over_all(here, player, play, RuleSettings(BEST))
    assert found.upper.value == pytest.approx(best_response_value(here, play, player), abs=1e-12)
    assert (found.lower, found.upper.error) == (found.upper, 0.0)


@pytest.mark.parametrize(("last", "sizes", "player"), LISTED)
def test_local_best_responses_are_those_of_the_listed_game(last: str, sizes: str | None, player: int) -> None:
    _, here, play, tree, model = named(last, sizes, player)
    known = cp.respond(tree, model, "lbr").value_against_model
    found = over_all(here, player, play, RuleSettings(LOCAL))
    assert found.upper.value == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize(("last", "sizes", "player"), LISTED)
def test_look_ahead_of_a_street_is_that_of_the_listed_game(last: str, sizes: str | None, player: int) -> None:
    """With hands that are checked down behind the limit."""
    question, here, play, tree, model = named(last, sizes, player)
    known = cp.respond(tree, model, "cdbr", depth="round", value=lambda state: checked_down(question, state))
    found = over_all(here, player, play, RuleSettings(LOOK_AHEAD))
    assert found.upper.value == pytest.approx(known.value_against_model, abs=1e-9)


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
    found = values_on_boards(here, one, two, 400)
    for seat, known in enumerate((value(here, one, two), -value(here, two, one))):
        near = mean_value(found[:, seat])
        assert abs(near.value - known) < 2.0 * near.error
    assert np.abs(values_on_boards(here, one, one, 20).sum(axis=1)).max() < 1e-12


class HalfSeen(StrategyLines):
    """A strategy whose player raised nothing in training after the flop was dealt."""

    def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.full(len(hands), "r" not in line or not board)


def test_what_comes_from_rows_never_visited_is_told() -> None:
    """Of nothing or of everything it is 0 or all; else the rest is what the response earns where the bot knew its way."""
    here, play = game("turn", 6), random_play(game("turn", 6), 3)
    assert over_all(here, 0, play, RuleSettings()).unvisited is None
    found = over_all(here, 0, LineBlueprint(here, HalfSeen(here, play)), RuleSettings())
    assert found.upper.value == pytest.approx(best_response_value(here, play, 0), abs=1e-9)
    assert found.unvisited is not None
    assert abs(found.unvisited) > 1e-3

    class Everything(HalfSeen):
        def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.ones(len(hands))

    class Nothing(HalfSeen):
        def visited(self, line: str, board: tuple[int, ...], hands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.zeros(len(hands))

    for bot, share in ((Everything, 0.0), (Nothing, found.upper.value)):
        told = over_all(here, 0, LineBlueprint(here, bot(here, play)), RuleSettings())
        assert told.unvisited == pytest.approx(share, abs=1e-9)


class Halves:
    """Player 0 plays as one strategy has it, player 1 as another."""

    def __init__(self, one: Any, two: Any) -> None:
        self._halves, self.preflop = (one, two), (one.preflop[0], two.preflop[1])

    def on(self, player: int, board: Any) -> Any:
        return self._halves[player].on(player, board)


def test_look_ahead_with_the_right_values_is_the_best_response() -> None:
    """To the end; and of a street, if behind it the model goes on as it does and the responder as is best."""
    here, play = game("turn"), random_play(game("turn"), 1)
    best = best_response_value(here, play, 1)
    by_depth = [over_all(here, 1, play, RuleSettings(LOOK_AHEAD, depth=k)).upper.value for k in (1, 2, 3)]
    assert by_depth[0] < by_depth[1] + 1e-12 < best + 2e-12
    assert by_depth[2] == pytest.approx(best, abs=1e-12)
    right = Halves(play, best_response(here, play))
    assert over_all(here, 1, play, RuleSettings(LOOK_AHEAD, blueprint=right)).upper.value == pytest.approx(
        best, abs=1e-12
    )
    assert over_all(here, 1, play, RuleSettings(LOOK_AHEAD, blueprint=play)).upper.value < best


TOY = "holdem:deck=20,stack=2bb,bets=a,last=turn"
TABLE = Path(__file__).parents[2] / "examples" / "table_bot.txt"


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
    work = FlopsWork(HoldemMatchup(here, model, seed=2), cp.BR(), draw_flops(here.game.boards, 3, 2))
    there = pickle.loads(pickle.dumps(work))
    key = there.keys()[0]
    assert (there.identity(), there.compute(key)["values"].tolist()) == (
        work.identity(),
        work.compute(key)["values"].tolist(),
    )
    asked = ["respond", TOY, "--to", bot, "--flops", "3", "--seed", "2", "--json"]
    for more in (["--record", record], ["--record", record]):
        ended = run(*asked, *more)
        assert ended.code == 0, ended.err
        told = ended.json
        assert (told["lower"], told["upper_mbb"]) == pytest.approx((found.lower, 1000.0 * found.upper / 100))
    told = run(*asked, "--methods", "br,cdbr,lbr").json
    best, local = told["answers"][0], told["differences"][1]
    assert (best["lower"], best["upper"]) == pytest.approx((found.lower, found.upper))
    assert (local["method"], local["other"]) == ("br", "lbr")
    apart = found.lower - told["answers"][2]["lower"]
    assert local["lower"] == pytest.approx(apart)
    table.write_text(table.read_text().replace("flop,2", "flop,7"))
    assert run(*asked, "--record", record).code == 2, "the record is of another bot"
    told = run("evaluate", TOY, "uniform", "--against", bot, "--boards", "5", "--json").json
    assert told["boards"] == 5
    for arguments, said in (
        (["respond", "leduc", "--to", "uniform", "--flops", "3"], "flops are drawn in whole games"),
        (["respond", TOY, "--to", bot, "--flops", "one"], "a number or all"),
        (["respond", TOY, "--to", bot, "--flops", "3", "-o", str(tmp_path / "x.cpb")], "no strategy"),
        (["respond", TOY, "--to", bot, "--flops", "3", "--p", "0.5"], "br, cdbr, lbr, abd, and not rnr"),
        (["respond", TOY, "--to", bot, "--flops", "3", "--methods", "br"], "at least two"),
        (["respond", TOY, "--to", "json:dumps", "--flops", "3"], "does not answer probabilities"),
        (["evaluate", TOY, "uniform", "--boards", "5"], "give --against"),
    ):
        ended = run(*arguments)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err


@cache
def full() -> HoldemGame:
    return read_holdem("holdem:stack=200bb,bets=fcpa").game


def river() -> Board:
    """Some last board of the full deck."""
    board = full().boards.root
    for number in (700, 5, 5):
        board = full().boards.child(board, number)
    return board


def test_pairs_of_hands_are_conserved_from_street_to_street() -> None:
    """1,624,350 before the flop; each board after it has its share, by the kernel that pays folds."""
    here, board, pairs = full(), river(), 1_624_350.0
    assert pairs_of_hands(here.deck) == pairs
    out, more = (22_100, 49, 48), (17_296, 45, 44)
    way = [board.before.before, board.before, board] if board.before and board.before.before else []
    for street, shown in enumerate(way, 1):
        assert here.boards.choices(way[street - 2] if street > 1 else here.boards.root)[1].sum() == out[street - 1]
        run = here.run_on(street)
        paid = terminals_of(here.some_board(street), [Fold(0, 0, 1.0)], (run, run), np.float64)
        plan, values = np.ones(run), np.zeros(run)
        evaluate(shown.layout, paid, plan, values, scratch_of(here.some_board(street), np.float64))
        pairs *= more[street - 1] / out[street - 1]
        assert values[: len(shown.hand)].sum() == pytest.approx(pairs, abs=1e-6)


def test_a_river_of_all_lines_is_that_of_a_plain_twin() -> None:
    """Every hand against every hand in full, line by line, with NumPy: the kernels' sums by cards give the same."""
    here, board = full(), river()
    rng, player, n = np.random.default_rng(3), 0, len(board.hand)
    play = Bluffing(here, rng)
    entry = rng.random((len(here.roots[3]), n)).astype(here.dtype)
    room: Any = here.room(3)
    table, lane = play.on(1, board)
    run, them, own = here.run_on(3), here.sides[1].decisions[3], here.sides[0].decisions[3]
    values_against(
        board.layout, here.terminals_on[2][player], them, entry, np.arange(n, dtype=np.uint32), table, lane, run, room
    )
    raise_chosen(own, room[1].copy(), room[1], n, run, True)
    found = room[1].reshape(-1, run)[: len(entry), :n]
    plan = np.concatenate([entry, np.zeros((here.sides[1].sizes[3] - len(entry), n))])
    for _, before, first, count in them.tolist():
        plan[first : first + count] = plan[before] * table[first : first + count][:, lane]
    cards = here.deck.hands[board.hand]
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    rank = hand_ranks(board.cards, cards)
    wins, loses = (apart & (rank[:, None] > rank)).astype(float), (apart & (rank[:, None] < rank)).astype(float)
    known = np.zeros((here.sides[0].sizes[3], n))
    win, lose, met = plan @ wins.T, plan @ loses.T, plan @ apart.T.astype(float)
    for theirs, ours, won, lost, tied in here.payoffs[2][player]:
        reach = int(theirs)
        ties = met[reach] - win[reach] - lose[reach]
        known[int(ours)] += won * met[reach] if won == lost else won * win[reach] + lost * lose[reach] + tied * ties
    for _, before, first, count in own.tolist()[::-1]:
        known[before] += known[first : first + count].max(axis=0)
    assert np.abs(found - known[: len(entry)]).max() < 2e-6 * np.abs(known).max()


class Bluffing:
    """Random probabilities for three lanes of hands."""

    def __init__(self, here: HoldemGame, rng: np.random.Generator) -> None:
        side = here.sides[1]
        self.table = normalise_rows(rng.random((side.sizes[3], 3)), side.decisions[3]).astype(here.dtype)

    def on(self, player: int, board: Board) -> tuple[Any, Any]:
        del player
        return self.table, (np.arange(len(board.hand)) % 3).astype(np.uint32)
