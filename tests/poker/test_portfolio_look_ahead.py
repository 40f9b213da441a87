"""Look-aheads of one street of a board with portfolios behind it: the same problem as on the whole tree of the hand, where
that fits in memory, and estimates of it where boards are drawn."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead, MaxMargin, Resolving, Stop
from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.portfolio_look_ahead import (
    SOLVER,
    ContinuedStreet,
    LookAheadPlays,
    continued_street,
    look_ahead_on_board,
)
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.search import Search
from counterplay.measure.resolved_boards import BoardDraw, ResolvedBoardsWork
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.public_tree.hand_treeplex import DEAL, has_choice, layer_of
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import RunOutValues, hand_values
from counterplay.subgames.entry import open_entry
from counterplay.treeplex.sweeps import reach
from tests.support.commands import Runner

GAME = "holdem:deck=8,stack=4bb,bets=fcpa,last=turn"
LINE = (1, 0)


@cache
def _parts() -> tuple[Any, Any, list[Any], Any]:
    rules = read_holdem(GAME)
    plays = [cp.opponent(rules, text, 0).play for text in ("random:1", "passive", "random:2", "random:3")]
    return rules.game, rules.game.boards.child(rules.game.boards.root, 2), plays[:3], plays[3]


def _street(seed: int | None, *, modelled: bool = False) -> ContinuedStreet:
    game, board, ways, model = _parts()
    return continued_street(game, LINE, board, 0, (ways[0], (ways[:2], ways), model if modelled else None), seed)


def _whole_plan(street: ContinuedStreet, tree: PublicTree, player: int, plan: F64) -> F64:
    """A plan of the look-ahead as one of the rest of the hand on all boards: each hand mixes the strategies behind the
    street as it chose, and the model's with them."""
    small, runs, side = street.whole.runs[player], tree.runs[player], street.sides[player]
    hand = street.whole.boards.layers[0].hand
    out = np.zeros(runs.tree.size)
    out[0] = 1.0
    for child in (DEAL, *range(1, street.whole.betting.nodes)):
        if small.start[child] >= 0:
            start = int(runs.start[DEAL if child == DEAL else int(street.nodes[child])])
            out[start + hand] = plan[int(small.start[child]) + np.arange(len(hand))]
    place = np.argsort(hand)
    plays = [*street.ways[player], *([street.model] if street.model and player != street.resolver else [])]
    piece = board_subtree(street.game, street.entry, street.board, 0)
    for chosen, play in zip(side.all, plays, strict=True):
        behaviour = piece.behaviour(play, player, np.ones(street.size))
        inside = np.zeros(runs.tree.size, np.bool_)
        parts = list(_below(street, tree, player))
        for _, sequences, _ in parts:
            inside[sequences] = True
        way = reach(runs.tree, np.where(inside, behaviour, np.where(runs.tree.real, 1.0, 0.0)))
        shares = plan[chosen].reshape(-1, street.size)
        for end, sequences, hands in parts:
            out[sequences] += shares[end][place[hands]] * way[sequences]
    return out


def _below(street: ContinuedStreet, tree: PublicTree, player: int) -> Iterator[tuple[int, I64, I64]]:
    """Each end of the street, the sequences of an action after it, and the hand of each."""
    betting, boards, runs = tree.betting, tree.boards, tree.runs[player]
    roots = street.game.roots[street.street + 1][street.next_entries] - street.node(0)
    for end, root in enumerate(roots.tolist()):
        for node in range(root, int(betting.end[root])):
            if has_choice(betting, node, player):
                layer = layer_of(betting, node)
                for child in betting.children(node):
                    places = np.arange(boards.layers[layer].places)
                    yield end, int(runs.start[child]) + places, boards.above(layer, 0)


def _random_plan(street: ContinuedStreet, player: int, draws: np.random.Generator) -> F64:
    """Hands that differ by suit names alone do the same, as in all strategies of the game."""
    tree, lane = street.sides[player].runs.tree, street.alike
    behaviour = np.zeros(tree.size)
    for offset, width, actions, _, count in tree.arrays.groups.tolist():
        for begin in range(0, count, street.size):
            for at in range(offset + begin, offset + begin + width * actions, width):
                behaviour[at : at + street.size] = draws.random(len(lane))[lane]
    total = np.bincount(tree.owner[tree.owner >= 0], behaviour[tree.owner >= 0], tree.lanes)
    behaviour /= np.where(total > 0.0, total, 1.0)[tree.owner]
    behaviour[0] = 1.0
    side = street.sides[player]
    if side.choices.apart.size:  # the free player is not the model
        behaviour[side.choices.apart[:, 0]], behaviour[side.choices.apart[:, 1]] = 0.0, 1.0
    free = reach(tree, behaviour)
    if not side.choices.apart.size:
        return free
    side.choices.follow_model(behaviour, free[side.came])
    return 0.5 * (free + reach(tree, behaviour))


@pytest.mark.parametrize("modelled", [False, True])
@given(seed=st.integers(0, 1000))
@settings(max_examples=5)
def test_over_all_boards_plans_are_worth_what_they_are_worth_in_the_rest_of_the_hand(modelled: bool, seed: int) -> None:
    street, draws = _street(None, modelled=modelled), np.random.default_rng(seed)
    tree = board_subtree(street.game, street.entry, street.board, 0).whole
    first, second = (_random_plan(street, player, draws) for player in (0, 1))
    beyond = street.gadget_game(open_entry(street.size), np.ones(street.whole.runs[0].tree.size)).subgame.beyond
    assert beyond is not None
    plans, values = (first, second), beyond(first, second)
    every = _whole_plan(street, tree, 0, first), _whole_plan(street, tree, 1, second)
    both = street.sides[0].runs, street.sides[1].runs
    payoff = ShowdownPayoff(street.tree.betting, street.tree.tables, both, street.unit)
    for who in (0,) if modelled else (0, 1):  # the model has no values
        alone = payoff.product(who, plans[1 - who])
        expected = every[who] @ tree.leaves.product(who, every[1 - who])
        assert plans[who] @ (alone + values[who]) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def _values(draws: int) -> tuple[F64, F64]:
    """What the first player's strategies are worth after the line: over all boards, and the mean over drawn ones."""
    game, board, ways, _ = _parts()
    found = []
    for random in (None, np.random.default_rng(1)):
        values = RunOutValues(game, LINE, board, (ways, ways), random)
        reach = np.random.default_rng(0).random((len(ways), len(_street(0).next_entries), board.lanes))[..., board.lane]
        total = 0.0
        for _ in range(draws if random else 1):
            values.draw()
            total = total + values.values(0, reach)
        found.append(total / (draws if random else 1))
    return found[0], found[1]


def test_drawn_boards_are_unbiased() -> None:
    exact, mean = _values(200)
    assert np.abs(mean - exact).max() < 0.2 * np.abs(exact).max()
    assert np.corrcoef(mean.ravel(), exact.ravel())[0, 1] > 0.98


def _search(p: float, gadget: Any = None) -> Search:
    return Search(LookAhead(gadget=gadget or Resolving()), p, solver=SOLVER, stop=Stop(iterations=80))


def _looked(p: float) -> LookAheadStrategy:
    game, board, ways, model = _parts()
    plays = LookAheadPlays(ways[0], (ways, ways), model if p else None)
    return look_ahead_on_board(game, board, 0, plays, _search(p), lines=[LINE[1]], seed=None)


def _worth_to_the_opponent(play: Any) -> tuple[F64, F64]:
    """(hands,) what a hand of the opponent wins who goes on by a portfolio from a player who does not search, and how often
    it is met."""
    game, board, ways, _ = _parts()
    street = continued_street(game, LINE, board, 0, (play, (ways, ways), None), None)
    known = known_at_board(street, play, None, _search(0.0))
    weight = street.weight(known.plans.reach(0))
    return street.alternative_values(known.plans), weight


def test_behind_the_resolving_gadget_no_hand_wins_more_than_before() -> None:
    """The safety of resolving (Burch, Johanson and Bowling 2014), where what follows is a choice among strategies."""
    (after, weight), (before, _) = (_worth_to_the_opponent(play) for play in (_looked(0.0), _parts()[2][0]))
    assert ((after - before) / weight).max() < 3.0  # chips; a big blind has 100
    assert (before - after).sum() > 10.0 * weight.mean()


@pytest.mark.slow
def test_the_more_it_trusts_the_model_the_more_it_wins_from_it() -> None:
    game, board, ways, model = _parts()
    came = BoardWalk(game, 1, ways[0]).reach(board)[:, board.up]
    won = [
        float((came * hand_values(game, 0, model, board, play)).sum()) / game.deals
        for play in (ways[0], _looked(0.2), _looked(0.9))
    ]
    assert won[0] < won[1] < won[2]


def test_line_by_line_a_board_changes_as_the_whole_game_says() -> None:
    """All flops looked ahead on: the sum over lines of betting, each measured in the rest of the game after it, is what all
    lines together change, walked as one strategy."""
    rules, (game, board, ways, model) = read_holdem(GAME), _parts()
    search = replace(_search(0.5), stop=Stop(iterations=8)).looking(leaf="portfolio:random:1;passive;random:2")
    draw = BoardDraw(1, "all", 0)
    work = ResolvedBoardsWork(rules, ways[0], model, 0, search, draw, texts=("random:1", "random:3"))
    keys = work.keys()
    lines = [key for key in keys if cards_text(board.cards) in key]
    found = [work.compute(key) for key in lines]
    assert (len(found), len(keys)) == (3, 3 * len(game.boards.after(game.boards.root)))
    whole = look_ahead_on_board(game, board, 0, LookAheadPlays(ways[0], (ways, ways), model), search)
    more = [hand_values(game, 1, play, board).astype(float) for play in (whole, ways[0])]
    np.testing.assert_allclose(sum(one["lost"] for one in found), more[0] - more[1], atol=1e-2)
    assert np.abs(more[0] - more[1]).max() > 10.0
    came = BoardWalk(game, 1, ways[0]).reach(board)[:, board.up]
    won = [float((came * hand_values(game, 0, model, board, play)).sum()) for play in (whole, ways[0])]
    assert sum(one["won"] for one in found) == pytest.approx(won[0] - won[1], rel=1e-5)
    there = pickle.loads(pickle.dumps(work))
    assert there.identity() == work.identity()
    assert there.compute(lines[1])["won"] == found[1]["won"]


def test_the_command_looks_ahead_on_drawn_flops(run: Runner) -> None:
    common = (
        "resolve",
        GAME,
        "--blueprint",
        "random:1",
        "--at",
        "flop",
        "--to",
        "random:3",
        "--iterations",
        "20",
        "--json",
    )
    more = ("--boards", "3", "--p", "0.5", "--leaf", "portfolio:blueprint;passive")
    found = run(*common, *more).json
    assert found["boards"] == 3
    assert found["edge"] > 0.0
    assert found["least"] <= found["most"]
    for changed, said in (
        (("--leaf", "portfolio:uniform"), "--leaf goes with --boards"),
        ((*more, "--gadget", "max-margin"), "resolving or unsafe, not max-margin"),
        (("--boards", "3", "--p", "1", "--leaf", "portfolio:uniform"), "at p = 1"),
        (("--boards", "3", "--leaf", "sampled:5:uniform"), "give portfolio, not sampled"),
        (("--boards", "3", "--leaf", "equity"), "takes portfolio:A;B"),
    ):
        ended = run(*common, *changed)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err


def test_what_a_look_ahead_cannot_be_asked_is_said() -> None:
    game, board, ways, model = _parts()
    plays = LookAheadPlays(ways[0], (ways, ways), model)
    with pytest.raises(cp.InputError, match="at p = 1"):
        look_ahead_on_board(game, board, 0, plays, _search(1.0))
    with pytest.raises(cp.InputError, match="resolving or unsafe"):
        look_ahead_on_board(game, board, 0, plays, _search(0.0, MaxMargin()))
    with pytest.raises(cp.InputError, match="cards to come"):
        look_ahead_on_board(game, game.boards.child(board, 0), 0, plays, _search(0.0))
    text = "abd:p=0.5,leaf=portfolio:uniform;passive,blueprint=uniform,gadget=max-margin,street=turn,to=passive"
    changes = {
        "gadget=max-margin": ("gadget=max-margin", "resolving or unsafe, not max-margin"),
        "p=0.5": ("p=1", "without a value function"),
        "portfolio:": ("sampled:9:", "give portfolio, not sampled"),
    }
    for old, (new, message) in changes.items():
        with pytest.raises(cp.InputError, match=message):
            cp.agent(read_holdem(GAME), text.replace(old, new), 0)


def test_an_agent_looks_ahead_on_the_flop_and_solves_the_turn_again() -> None:
    rules = read_holdem(GAME)
    text = "abd:p=0.5,leaf=portfolio:uniform;passive,blueprint=uniform,iterations=20,street=turn,to=passive"
    agent: Any = cp.agent(rules, text, 1)
    game, board, _, _ = _parts()
    node = game.betting.children(game.betting.children(int(game.roots[1][0]))[0])[0]
    rows = agent.rows(node, board.cards)
    live = game.deck.live(board.cards)
    assert rows[:, live].sum(axis=0) == pytest.approx(1.0, abs=1e-5)
    assert np.abs(rows[:, live] - 1.0 / len(rows)).max() > 0.1  # the blueprint is uniform
    shown = game.boards.child(board, 0).cards
    turn = next(k for k in range(node, game.betting.nodes) if game.betting.street[k] == 2 and game.betting.kind[k] == 1)
    after = agent.rows(turn, shown)
    assert after[:, game.deck.live(shown)].sum(axis=0) == pytest.approx(1.0, abs=1e-5)
    other = [lambda seat: cp.agent(rules, text, seat), lambda seat: cp.agent(rules, "passive", seat)]
    assert cp.match(rules, *other, hands=6, seed=1).hands == 6
