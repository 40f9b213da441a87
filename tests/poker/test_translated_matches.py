"""Matches between agents with different betting trees."""

from __future__ import annotations

import random
from typing import Any

import pytest

import counterplay as cp
from counterplay import CHANCE, agent, match
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.measure.play_hand import TranslatedTable, TreePlayer
from counterplay.poker.betting.state import Kind, Move
from tests.support.commands import Runner

DECK = "holdem:deck=20,stack=20bb,last=turn,buckets=blind,bets="


def rules(text: str) -> Any:
    return PlayableGame(text).rules


def grounds(*bets: str) -> list[PlayableGame]:
    return [PlayableGame(DECK + text) for text in bets]


def seated(ground: PlayableGame, text: str, side: int) -> Any:
    return lambda seat: TreePlayer(ground.rules, agent(ground, text, seat, 0, side))


def test_with_equal_trees_nothing_is_translated() -> None:
    """Every bet is one of the tree, and the hand pays what the tree says."""
    one, two = grounds("fcpa", "fcpa")
    tree = one.rules.betting
    players = [TreePlayer(g.rules, agent(g, "uniform", seat, 3, seat)) for seat, g in enumerate((one, two))]
    table = TranslatedTable(one.rules, two.rules)
    for number in range(60):
        hand, node = table.play((players[0], players[1]), random.Random(number)), 0
        for move, _, amount in (name.partition(" ") for who, name in hand.moves if who != CHANCE):
            while tree.kind[node] == Kind.DEAL:
                node = tree.children(node)[0]
            ways = {Move(int(tree.move[c])): c for c in tree.children(node)}
            bets = {float(tree.committed[c].max()): c for k, c in ways.items() if k >= Move.BET}
            node = bets[float(amount)] if amount else ways[Move[move.upper()]]
        assert tree.kind[node] > Kind.DEAL
        assert hand.utility in {float(amounts[node]) for amounts in (tree.win, tree.lose, tree.tie)}


def test_a_strategy_without_bets_wins_nothing_from_itself_whatever_its_tree() -> None:
    """Both only check and call, so mirrored deals cancel out."""
    one, two = grounds("fcpa", "[50%]")
    found = match(TranslatedTable(one.rules, two.rules), seated(one, "passive", 0), seated(two, "passive", 1), 20)
    assert found.mean == 0.0
    assert found.interval == (0.0, 0.0)
    assert found.decisions[0] > 0


def test_bets_off_the_tree_are_played_to_the_end() -> None:
    """Sizes off the other's tree: each hand is legal by the real rules, and no player wins more than a stack."""
    one, two = grounds("fcpa", "[33%, 75%]")
    found = match(TranslatedTable(one.rules, two.rules), seated(one, "uniform", 0), seated(two, "aggressive", 1), 60)
    assert found.hands == 60
    assert found.interval is not None
    assert found.interval[0] < found.mean < found.interval[1]


def test_games_must_agree_in_all_but_sizes() -> None:
    one = rules(DECK + "fcpa")
    with pytest.raises(cp.InputError, match="differ in more than the sizes of bets"):
        TranslatedTable(one, rules("holdem:deck=20,stack=10bb,last=turn,buckets=blind,bets=fcpa"))
    with pytest.raises(cp.InputError, match="translated in whole no-limit games"):
        TranslatedTable(one, rules("fhp"))


def test_the_command_plays_two_trees(run: Runner) -> None:
    games = DECK + "fcpa", DECK + "[50%]"
    found = run("match", games[0], "uniform", "passive", "--game-b", games[1], "--hands", "20", "--json").json
    assert (found["game"], found["game_b"]) == games
    assert found["hands"] == 20
