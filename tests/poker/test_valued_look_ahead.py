"""Look-aheads of a turn of whole hold'em over values of the rivers: with solved rivers, the game to the end of the hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import LookAhead, SolvedValue, Stop
from counterplay.agents.factory import make_agent
from counterplay.agents.worlds.whole_game import LookAheadSearch
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.portfolio_look_ahead import valued_street
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.resolver import enter, pose
from counterplay.lookahead.search import Search
from counterplay.measure.match import deal
from counterplay.measure.play_hand import play_hand
from counterplay.poker.public_tree.hand_treeplex import has_choice, layer_of
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.treeplex.restriction import Restriction
from tests.support.covering import covering

GAME, LINE = "holdem:deck=12,stack=4bb,bets=fcpa", (2, 1)
RIVERS = Path(__file__).parent.parent.parent / "examples" / "rivers.cpn"


@cache
def _parts() -> tuple[Any, Any, Any, list[Any]]:
    """A game of three ranks, its first turn, and two strategies."""
    rules = read_holdem(GAME)
    board = rules.game.boards.root
    for _ in range(2):
        board = rules.game.boards.child(board, 0)
    return rules, rules.game, board, [cp.opponent(rules, text, 0).play for text in ("random:1", "random:2")]


def _solution(piece: Any, base: Any, model: Any, search: Search) -> Any:
    known = known_at_board(piece, base, model, search)
    game = enter(piece, search, known)
    assert game is not None
    return pose(game, piece, search, known, blind=True).solve.advance()


@pytest.mark.parametrize(("resolver", "p"), covering([0, 1], [0.0, 0.5]))
def test_over_solved_rivers_it_is_the_game_to_the_end(resolver: int, p: float) -> None:
    """With given ranges; a model of the turn alone, which the value function does not know on the river, is one at p = 0."""
    _, game, board, (base, model) = _parts()
    search = Search(LookAhead(leaf="cfr+:100", gadget="unsafe"), p, solver="cfr+", stop=Stop(iterations=100))
    piece = valued_street(game, LINE, board, resolver, search.value)
    whole = board_subtree(game, LINE[1], board.cards, resolver)
    found = _solution(piece, base, model if p else None, search)
    longer = Search(LookAhead(gadget="unsafe"), p, solver="cfr+", stop=Stop(iterations=400))
    exact = _solution(whole, base, model if p else None, longer)
    if p == 0.0:
        assert found.value == pytest.approx(exact.value, rel=2e-3)
    else:
        sign = 1.0 if resolver == 0 else -1.0
        assert sign * found.value <= sign * exact.value + 2e-3 * abs(exact.value)


def test_alternative_values_are_those_of_solved_rivers_after_the_turn_as_before() -> None:
    """Where the opponent keeps to their turn, too: against the whole tree, in which both players' turns are fixed."""
    _, game, board, (base, _) = _parts()
    piece = valued_street(game, LINE, board, 0, SolvedValue(200))
    known = known_at_board(piece, base, None, Search())
    kept, best = (piece.alternative_values(known.plans, profile) for profile in (True, False))
    came = piece.came(base, 1)
    assert (best >= kept - 1e-9).all()
    whole = board_subtree(game, LINE[1], board.cards, 0)
    problem = whole.whole.subgame
    for player in (0, 1):
        runs = whole.whole.runs[player]
        trust = np.ones(runs.tree.lanes)
        for node in np.flatnonzero(runs.lane[:-1] >= 0).tolist():
            if layer_of(whole.whole.betting, node) > 0:
                first = int(runs.lane[node])
                trust[first : first + whole.whole.boards.layers[1].places] = 0.0
        fixed = Restriction.local(runs.tree, whole.behaviour(base, player), trust)
        problem = problem.restricted(player, fixed)
    exact = solve_cfr(problem, CFR_PLUS, Stop(iterations=400))
    assert float(came @ kept) == pytest.approx(-exact.value, rel=2e-3)


@pytest.mark.parametrize("text", ["resolve:", "cdrnr:p=0.5,"])
def test_an_agent_decides_the_turn_so_and_solves_the_river(text: str) -> None:
    """Which it enters with the ranges of its look-ahead."""
    rules, game, board, _ = _parts()
    to = ",to=random:3" if "p=" in text else ""
    agent: Any = make_agent.agent(
        GAME, f"{text}street=river,leaf=cfr+:30,iterations=30,blueprint=random:1{to}", 0, seed=1
    )
    assert isinstance(agent, LookAheadSearch)
    root = int(game.roots[2][LINE[1]])
    node = next(k for k in range(root, int(game.betting.end[root])) if has_choice(game.betting, k, 0))
    rows = agent.rows(node, board.cards)
    live = rows.sum(axis=0)[game.deck.live(board.cards)]
    assert live == pytest.approx(1.0, abs=1e-5)
    plain: Any = make_agent.agent(GAME, "random:1", 0, seed=1)
    assert abs(rows - plain.rows(node, board.cards)).max() > 0.05
    other = make_agent.agent(GAME, "random:2", 1)
    hands = [play_hand(rules, (agent, other), deal(0, k)) for k in range(6)]
    assert all(abs(hand.utility) <= 400.0 for hand in hands)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("street=river,leaf=net:{}", "the network was learned with the cards from 2 up, and this deck is another one"),
        ("street=turn,leaf=net:{}", "the network was learned for rivers, where a turn ends, and here 3 cards are on"),
        ("street=river,leaf=rollout:20", "this look-ahead takes portfolio"),
    ],
)
def test_what_knows_no_rivers_is_refused_when_the_agent_is_made(words: str, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        make_agent.agent(GAME, f"resolve:{words.format(RIVERS)},blueprint=random:1", 0)


@pytest.mark.slow
def test_learned_rivers_in_the_game_of_the_whole_deck() -> None:
    """Hands are played, and the network's value of a turn is near that of its solved rivers."""
    game = "holdem:stack=20bb,bets=fcpa"
    agent: Any = make_agent.agent(game, f"resolve:street=river,leaf=net:{RIVERS},iterations=20,blueprint=passive", 0)
    rules = agent.rules
    other = make_agent.agent(rules, "passive", 1)
    assert all(abs(play_hand(rules, (agent, other), deal(0, k)).utility) <= 2000.0 for k in range(4))
    board, base = rules.game.boards.root, agent.play
    for _ in range(2):
        board = rules.game.boards.child(board, 5)
    values = []
    for leaf in (f"net:{RIVERS}", "dcfr:60"):
        search = Search(LookAhead(leaf=leaf, gadget="unsafe"), solver="cfr+", stop=Stop(iterations=40))
        values.append(_solution(valued_street(rules.game, (2, 0), board, 0, search.value), base, None, search).value)
    assert values[0] == pytest.approx(values[1], abs=0.05 * 200.0)
