"""The built-in games and OpenSpiel's: equal trees, labels and stakes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from counterplay import CHANCE, TERMINAL
from counterplay.games import action_name, make_game
from tests.support.games import state_after

# OpenSpiel's name, what our utility is of its, and whether the labels of the players' infosets are the same texts.
TWINS = {
    "kuhn": ("kuhn_poker", 1.0, True),
    "leduc": ("leduc_poker", 1.0, False),
    "goofspiel:4": (
        "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=point_difference)",
        2.0,
        False,
    ),
    "goofspiel:4,utility=win": (
        "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=win_loss)",
        1.0,
        False,
    ),
    "liars_dice:1,4": ("liars_dice(numdice=1,dice_sides=4)", 1.0, True),
    "battleships:2,2,1x1": (
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=4,allow_repeated_shots=False)",
        1.0,
        False,
    ),
}


def _open_spiel(text: str) -> Any:
    return pytest.importorskip("pyspiel").load_game_as_turn_based(text).new_initial_state()


@pytest.mark.parametrize("spec", TWINS)
def test_the_tree_is_openspiels(spec: str) -> None:
    text, scale, same_labels = TWINS[spec]
    game = make_game(spec)
    names: dict[tuple[int, str], str] = {}
    texts: dict[tuple[int, str], str] = {}
    stack = [(game.root(), _open_spiel(text))]
    while stack:
        ours, theirs = stack.pop()
        who = game.player(ours)
        if theirs.is_terminal():
            assert who == TERMINAL
            assert game.utility(ours) == pytest.approx(scale * theirs.player_return(0), abs=1e-12)
            continue
        assert who == (CHANCE if theirs.is_chance_node() else theirs.current_player())
        actions, twins = list(game.actions(ours)), theirs.legal_actions()
        assert len(actions) == len(twins)
        if who == CHANCE:
            assert game.chance(ours) == pytest.approx([odds for _, odds in theirs.chance_outcomes()])
        else:
            name, twin = game.infoset(ours, who), theirs.information_state_string(who)
            assert names.setdefault((who, name), twin) == twin
            assert texts.setdefault((who, twin), name) == name
            assert name == twin or not same_labels
            if spec.startswith(("kuhn", "leduc", "liars")):
                words = [action_name(game, ours, action) for action in actions]
                assert words == [theirs.action_to_string(who, action) for action in twins]
        for action, twin_action in zip(actions, twins, strict=True):
            stack.append((game.child(ours, action), theirs.child(twin_action)))


def test_tictactoe_plays_like_openspiels() -> None:
    rng = random.Random(3)
    game = make_game("tictactoe")
    for _ in range(300):
        ours, theirs = game.root(), _open_spiel("tic_tac_toe")
        while game.player(ours) != TERMINAL:
            assert game.player(ours) == theirs.current_player()
            assert game.actions(ours) == theirs.legal_actions()
            action = rng.choice(theirs.legal_actions())
            ours = game.child(ours, action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert game.utility(ours) == theirs.player_return(0)


def test_leduc_labels_and_stakes() -> None:
    game = make_game("leduc:bets=1/2")
    state = state_after(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise")
    assert [game.infoset(state, i) for i in (0, 1)] == ["Js crc Jh r", "Qh crc Jh r"]
    assert game.utility(state_after(game, "Deal:Js Deal:Qh Call Raise Fold")) == -1.0
    assert game.utility(state_after(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise Fold")) == 2.0
    assert game.utility(state_after(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise Call")) == 4.0
    merged = make_game("leduc:merged=true")
    assert merged.chance(state_after(merged, "Deal:J")) == pytest.approx([0.2, 0.4, 0.4])
    assert merged.infoset(state_after(merged, "Deal:J Deal:J Call Call Deal:K"), 1) == "J cc K"


def test_liars_dice_deals_multisets_and_counts_wild_faces() -> None:
    game = make_game("liars_dice:2,3")
    root = game.root()
    assert [game.action_name(root, a) for a in game.actions(root)] == [  # type: ignore[attr-defined]
        f"Roll:{roll}" for roll in ("11", "12", "22", "13", "23", "33")
    ]
    assert game.chance(root) == pytest.approx([1 / 9, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9])
    assert game.infoset(state_after(game, "Roll:13 Roll:22 2-1 3-2"), 0) == "13 2-1 3-2"
    assert game.utility(state_after(game, "Roll:13 Roll:22 3-2 Liar")) == 1.0
    assert game.utility(state_after(game, "Roll:13 Roll:22 3-1 Liar")) == -1.0
    plain = make_game("liars_dice:2,3,wild=no")
    assert plain.utility(state_after(plain, "Roll:13 Roll:22 3-2 Liar")) == -1.0
    short = make_game("liars_dice:1,2,top=end")
    assert short.utility(state_after(short, "Roll:2 Roll:2 1-1 2-2")) == -1.0


def test_battleships_fleets_and_shots() -> None:
    def placements(spec: str) -> list[str]:
        game = make_game(spec)
        return [action_name(game, game.root(), action) for action in game.actions(game.root())]

    assert placements("battleships:2,2,1x2") == ["A1+A2", "A1+B1", "A2+B2", "B1+B2"]
    assert len(placements("battleships:5,5,2x2/2x2")) == 78
    assert placements("battleships:2,2,1x2/1x2") == ["A1+A2+B1+B2"]  # both ways to cover the board are one
    game = make_game("battleships:2,3,1x2,shots=2")
    state = state_after(game, "A1+A2 B1+B2 B1 A3 B2")
    assert game.utility(state) == 1.0
    state = state_after(game, "A1+A2 B1+B2 B1 A2 A1")
    assert game.infoset(state, 0) == "A1+A2: >B1x <A2x >A1-"
    assert game.infoset(state, 1) == "B1+B2: <B1x >A2x <A1-"
    assert game.utility(game.child(state, 5)) == 0.0  # two shots each, nothing sunk


def test_large_battleships_can_be_played() -> None:
    rng = random.Random(5)
    game = make_game("battleships:5,5,2x2/2x2")
    for _ in range(20):
        state, cells = game.root(), 0
        while game.player(state) != TERMINAL:
            assert game.infoset(state, game.player(state))
            state = game.child(state, rng.choice(list(game.actions(state))))
            cells += 1
        assert 2 + 15 <= cells <= 52
        assert game.utility(state) in (-1.0, 1.0)
