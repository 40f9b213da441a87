"""Boards behind a look-ahead of a turn: entered with what the look-ahead's network says that each hand is worth there."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import LookAhead, Stop, Unsafe, resolve_on_boards
from counterplay.agents.factory import make_agent
from counterplay.blueprints.whole_game.as_strategy import next_boards, solve_boards
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.portfolio_look_ahead import (
    LookAheadPlays,
    ValuedBoard,
    look_ahead_on_board,
    valued_board,
    valued_street,
)
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.search import Search
from counterplay.networks.network import Network
from counterplay.networks.river_network import DEPTHS, RiverNetwork, save_river_network
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategy import probabilities
from counterplay.responses.board_search import SOLVER
from counterplay.value_functions.network_value import RiverValue

GAME, LINE, KNOTS = "holdem:deck=12,stack=4bb,bets=fcpa", (2, 1), 8


def _network(spread: float) -> RiverNetwork:
    """Of the game's rivers, with random weights."""
    rng, sizes = np.random.default_rng(0), [2 * KNOTS + DEPTHS, 4, 2 * KNOTS]
    weights = tuple(rng.normal(0.0, spread, size).astype(np.float32) for size in pairwise(sizes))
    biases = np.zeros((1, 4), np.float32), np.zeros(2 * KNOTS, np.float32)
    return RiverNetwork("100%, a", None, "Q", Network(weights, biases), {})


@cache
def _parts() -> tuple[Any, Any, Any, Any]:
    """A game of three ranks, its first turn, and a strategy."""
    rules = read_holdem(GAME)
    board = rules.game.boards.root
    for _ in range(2):
        board = rules.game.boards.child(board, 0)
    play: Any = cp.opponent(rules, "random:1", 0)
    return rules, rules.game, board, play.play


@pytest.mark.parametrize("resolver", [0, 1])
def test_without_betting_hands_are_worth_their_showdowns(resolver: int) -> None:
    """Hand by hand, after every line of the turn and on every river, from the ranges of both players there."""
    _, game, board, base = _parts()
    street = valued_street(game, LINE, board, resolver, RiverValue(_network(0.0)))
    plans = known_at_board(street, base, None, Search()).plans
    worth = street.on_boards((np.asarray(plans.reach(0)[:]), np.asarray(plans.reach(1)[:])))
    assert worth
    for entry, known in worth.items():
        for river in game.boards.after(board):
            piece = valued_board(game, entry, river.cards, resolver, known)
            assert isinstance(piece, ValuedBoard)
            hands, own = game.deck.hands[piece.numbers], piece.came(base, resolver)
            rank = street.end.whole.boards.cards.rank(river.cards, hands)
            apart = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3))
            half = 0.5 * float(game.betting.pot[piece.node(0)])
            shown = half * (np.sign(rank[:, None] - rank[None, :]) * apart) @ own
            known_there = known_at_board(piece, base, None, Search())
            found = piece.alternative_values(known_there.plans, unit=2.0)
            assert found == pytest.approx(shown * piece.unit / 2.0, abs=1e-9)


def test_an_agent_enters_the_river_so(tmp_path: Path) -> None:
    """It plays what the look-ahead with every river solved again plays, which is entered otherwise than by given ranges."""
    _, game, board, base = _parts()
    path = tmp_path / "rivers.cpn"
    save_river_network(path, _network(0.3))
    value, search = f"net:{path}", Search(LookAhead(leaf=f"net:{path}", gadget="resolving"), solver=SOLVER)
    search = Search(search.look, solver=SOLVER, stop=Stop(iterations=30))
    found = look_ahead_on_board(game, board, 0, LookAheadPlays(base, ([], [])), search, lines=[LINE[1]])
    rivers = list(game.boards.after(board))[:1]
    work = next_boards(game, 0, None, found, LINE[1], rivers, search)
    solved = solve_boards(work)
    text = f"resolve:street=river,leaf={value},iterations=30,blueprint=random:1"
    agent: Any = make_agent.agent(GAME, text, 0, seed=1)
    entry = work.lines[0]  # type: ignore[index]
    node = board_subtree(game, entry, rivers[0].cards, 0).node(0)
    live = game.deck.live(rivers[0].cards)
    rows = [
        probabilities(game, play, node, rivers[0].cards)[:, live] for play in (solved, found)
    ] + [agent.rows(node, rivers[0].cards)[:, live]]  # fmt: skip
    assert rows[2] == pytest.approx(rows[0], abs=1e-5)
    given = next_boards(game, 0, None, found, LINE[1], rivers, search.looking(gadget=Unsafe()))
    other = probabilities(game, solve_boards(given), node, rivers[0].cards)[:, live]
    assert min(abs(rows[0] - row).max() for row in (rows[1], other)) > 0.01


def test_drawn_turns_are_measured_with_their_rivers_solved(tmp_path: Path) -> None:
    path = tmp_path / "rivers.cpn"
    save_river_network(path, _network(0.0))
    rules: Any = cp.load("holdem:deck=12,stack=2bb,bets=fcpa")
    found = resolve_on_boards(rules, "random:1", "turn", 2, leaf=f"net:{path}", stop=Stop(iterations=20))
    assert found.boards == 2
    assert found.least < 0.0
    assert found.least <= found.most
    with pytest.raises(cp.InputError, match="the network was learned for rivers, where a turn ends, and here 3 cards"):
        resolve_on_boards(rules, "random:1", "flop", 2, leaf=f"net:{path}")
