"""Turn and river of whole hold'em games solved again, against the walk over boards and the enumerated game."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead, Stop
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, gifts_before, solve_boards
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.measure import best_response_value, hand_values, value
from counterplay.solvers.best_response import best_response as respond_to
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.work.work_record import WorkRecord
from counterplay_papers.listed_hands import EIGHT, enumerated, random_play
from tests.support.covering import covering
from tests.support.whole_games import game

SAFE = ("resolving", "max-margin", "reach-max-margin")
TURN, RIVER = 2, 3


def boards_on(here: HoldemGame, street: int) -> list[Board]:
    """All boards of a street."""
    found = [here.boards.root]
    for _ in range(street):
        found = [child for board in found for child in here.boards.after(board)]
    return found


def search(gadget: str, p: float = 0.0, iterations: int = 300) -> Search:
    return Search(LookAhead("round", gadget=gadget), p, solver="dcfr", stop=Stop(1e-6, iterations))


@pytest.mark.parametrize(("street", "me"), covering([1, TURN, RIVER], [0, 1]))
def test_what_the_opponent_can_have_is_what_the_walk_says(street: int, me: int) -> None:
    """Alternative values of a subtree, hand by hand, on a board whose suits the walk renames."""
    here = game("river", 6)
    play, board = random_play(here, 1), ["Kc", "Qd", "Jh", "Jc", "Qh"][: street + 2]
    canonical, _ = here.boards.find_board(here.deck.held(" ".join(board)))
    known = hand_values(here, 1 - me, play, canonical)
    for entry, node in enumerate(here.roots[street].tolist()):
        if here.betting.children(node):
            piece = board_subtree(here, entry, " ".join(board), me)
            plans = known_at_board(piece, play, None, Search()).plans
            found = np.bincount(piece.alike, piece.alternative_values(plans) / piece.unit, canonical.lanes)
            theirs = np.bincount(canonical.lane, known[entry] / here.deals_after(street), canonical.lanes)
            np.testing.assert_allclose(found, theirs, atol=1e-9)


def test_boards_that_are_solved_are_taken_from_the_record(tmp_path: Path) -> None:
    """With or without the record, and in another process, the strategy is the same to the last bit."""
    here = game("river", 6)
    play, boards = random_play(here, 2), boards_on(here, TURN)[::12]
    asked = search("max-margin", iterations=20)
    whole = solve_boards(BoardSearches(here, play, 1, None, boards, asked))
    path = tmp_path / "boards.work"
    solve_boards(BoardSearches(here, play, 1, None, boards[:1], asked), record=WorkRecord(path))
    assert len(WorkRecord(path).results) == 1
    work = BoardSearches(here, play, 1, None, boards, asked)
    sent = pickle.loads(pickle.dumps(work))
    for found in (solve_boards(work, record=WorkRecord(path)), solve_boards(sent)):
        assert found.tables.keys() == whole.tables.keys()
        for cards, table in whole.tables.items():
            np.testing.assert_array_equal(found.tables[cards], table)
            assert found.tables[cards].dtype == table.dtype
    assert len(WorkRecord(path).results) == len(boards)


@pytest.mark.parametrize(("street", "gadget", "me"), covering((TURN, RIVER), SAFE, (0, 1)))
def test_safe_gadgets_do_not_raise_exploitability(gadget: str, me: int, street: int) -> None:
    here = game("river", 6)
    play = random_play(here, 2)
    after = solve_boards(
        BoardSearches(here, play, me, None, boards_on(here, street)[:: 2 * street], search(gadget, iterations=20))
    )
    assert best_response_value(here, after, 1 - me) < best_response_value(here, play, 1 - me) - 1e-4
    if gadget == "reach-max-margin":
        none_before = np.zeros_like(gifts_before(here, play, 1 - me))
        assert gifts_before(here, play, 1 - me, boards_on(here, TURN)[0].cards, none_before).max() > 0.1


def test_the_enumerated_game_says_the_same() -> None:
    """A second witness: all turns solved again are as exploitable as the walk says, and no more than before."""
    question = Holdem(holdem(4, blinds=(1, 2), last="turn"), "none; turn: a", EIGHT)
    here = holdem_game(question.limits, question.sizes, deck=EIGHT, dtype="f8")
    play, tree = random_play(here, 4), cp.load(question, say=lambda _: None)
    after = solve_boards(BoardSearches(here, play, 1, None, boards_on(here, TURN), search("max-margin", iterations=20)))
    now = respond_to(tree.subgame, 0, enumerated(tree, question, here, after, 1).plan).value
    assert now == pytest.approx(best_response_value(here, after, 0), abs=1e-9)
    assert now < best_response_value(here, play, 0) - 1e-3


@pytest.mark.parametrize("street", [TURN, RIVER])
def test_against_the_model_alone_it_is_the_best_response(street: int) -> None:
    here = game("river", 6)
    play, model = random_play(here, 5), random_play(here, 6)
    boards = boards_on(here, street)[:3]
    after = solve_boards(BoardSearches(here, play, 0, model, boards, search("unsafe", 1.0)))
    for board in boards:
        best, ours = (hand_values(here, 0, model, board, one) for one in (None, after))
        np.testing.assert_allclose(best, ours, atol=1e-9)
    assert value(here, after, model) > value(here, play, model)


def test_trust_wins_more_from_the_model() -> None:
    here, me = game("river", 6), 1
    play, model = random_play(here, 7), random_play(here, 8)
    won = []
    for p, gadget in ((0.0, "resolving"), (0.6, "resolving"), (1.0, "unsafe")):
        after = solve_boards(BoardSearches(here, play, me, model, boards_on(here, TURN)[::4], search(gadget, p, 60)))
        won.append(-value(here, model, after))
    assert won == sorted(won)
    assert won[0] < won[2]


def test_linear_program_and_minimiser_agree_on_the_turn() -> None:
    here = game("river", 6)
    piece = board_subtree(here, 0, "Jc Qd Kh Jd", 0)
    known = known_at_board(piece, random_play(here, 9), None, Search())
    values = [
        found.solution.value
        for how in (Search(LookAhead(gadget="resolving")), search("resolving", iterations=2000))
        if (found := resolve_subtree(piece, how, known)) is not None
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-4)
    assert isinstance(known.plans, ArrayPlans)


@pytest.mark.parametrize(("entry", "board", "error"), [
    (99, "Jc Qd Kh Jd", "entry 99 is none of"), (0, "Jc Qd", "a board has 3 on the flop or 4 on the turn or 5 on the river"),
    (0, "Jc Qd Kh 2d", "no card 2d"),
])  # fmt: skip
def test_what_is_no_board_is_refused(entry: int, board: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        board_subtree(game("river", 6), entry, board, 0)
