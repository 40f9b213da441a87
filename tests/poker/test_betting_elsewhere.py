"""Betting trees against PokerKit's and OpenSpiel's rules: random hands, and whole trees."""

from __future__ import annotations

import random
import re
import warnings
from typing import Any

import pytest

from counterplay.poker.betting.rules import BettingRules, holdem
from counterplay.poker.betting.state import BettingState, Kind, Legal, call, legal, start
from counterplay.poker.betting.tree import BettingTree, build
from tests.support.random_betting import BLINDS, _act, _check_end, _choose, _dealt


def _pokerkit(rng: random.Random, limit: bool) -> tuple[BettingRules, Any]:
    """A random game, stacks often too short for the blinds or the ante, here and there."""
    kit = pytest.importorskip("pokerkit")
    automations = tuple(kit.Automation)
    small, big = rng.choice(BLINDS)
    ante = rng.choice((0, 0, 1, 2))
    stacks = (rng.randint(1, rng.choice((4, 40)) * big), rng.randint(1, rng.choice((4, 40)) * big))
    if not limit:
        game = kit.NoLimitTexasHoldem.create_state(automations, True, ante, (small, big), big, stacks, 2)
        return holdem(stacks, blinds=(small, big), ante=ante), game
    # PokerKit counts four raises above the big blind
    game = kit.FixedLimitTexasHoldem.create_state(automations, True, ante, (small, big), big, 2 * big, stacks, 2)
    return holdem(stacks, blinds=(small, big), ante=ante, bets=(big, big, 2 * big, 2 * big), raises=4), game


def _same_choices(rules: BettingRules, state: BettingState, game: Any) -> Legal:
    can = legal(rules, state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (game.actor_index, game.street_index) == (state.kind, state.street)
        assert game.checking_or_calling_amount == can.call
        assert (game.min_completion_betting_or_raising_to_amount or 0) == can.least
        assert (game.max_completion_betting_or_raising_to_amount or 0) == can.most
        assert tuple(game.stacks) == tuple(rules.stacks[i] - state.put[i] for i in (0, 1))
        assert game.total_pot_amount == sum(state.put)
    return can


def _play_pokerkit(rng: random.Random, limit: bool) -> None:
    rules, game = _pokerkit(rng, limit)
    state = start(rules)
    while (state := _dealt(rules, state)).kind <= Kind.PLAYER1:
        action = _choose(rng, _same_choices(rules, state, game))
        state = _act(rules, state, action)
        if isinstance(action, int):
            game.complete_bet_or_raise_to(action)
        else:
            game.fold() if action == "fold" else game.check_or_call()
    assert not game.status
    _check_end(state, game.payoffs[0])


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("limit", [False, True])
def test_random_hands_as_in_pokerkit(limit: bool, count: int) -> None:
    """Legal actions, amounts, stacks and payoffs of random hands with random blinds, antes and unequal stacks."""
    rng = random.Random(2 + limit)
    for _ in range(count):
        _play_pokerkit(rng, limit)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [False, True])
def test_many_random_hands_as_in_pokerkit(limit: bool) -> None:
    rng = random.Random(4 + limit)
    for _ in range(20_000):
        _play_pokerkit(rng, limit)


def _universal(
    stacks: tuple[int, int],
    blinds: tuple[int, int] = (1, 2),
    *,
    caps: tuple[int, ...] = (),
    deck: str = "full",
    menu: str = "fullgame",
) -> Any:
    """OpenSpiel's universal_poker; its player 0 is the big blind too. `caps` make it a limit game."""
    pyspiel = pytest.importorskip("pyspiel")
    small, big = blinds
    cards = {
        "full": "numRounds=4,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1",
        "toy2": "numRounds=2,firstPlayer=2 1,numSuits=2,numRanks=4,numHoleCards=1,numBoardCards=0 1",
        "toy4": "numRounds=4,firstPlayer=2 1 1 1,numSuits=2,numRanks=4,numHoleCards=1,numBoardCards=0 1 1 1",
    }[deck]
    bets = f"betting=nolimit,stack={stacks[0]} {stacks[1]}"
    if caps:
        sizes = f"{big} {big} {2 * big} {2 * big}"
        # with bettingAbstraction=fullgame, limit games of OpenSpiel 1.6 list their raise as action 0, a fold; with fcpa as 2
        bets, menu = f"betting=limit,raiseSize={sizes},maxRaises={' '.join(map(str, caps))}", "fcpa"
    return pyspiel.load_game(
        f"universal_poker({bets},bettingAbstraction={menu},numPlayers=2,blind={big} {small},{cards})"
    )


def _spent(game: Any) -> tuple[int, int]:
    found = re.search(r"Spent: \[P0: (\d+)  P1: (\d+)", str(game))
    assert found
    return int(found[1]), int(found[2])


def _pass_chance(rng: random.Random, game: Any) -> None:
    while game.is_chance_node():
        game.apply_action(rng.choice(game.legal_actions()))


def _play_universal(rng: random.Random, limit: bool) -> None:
    blinds = rng.choice(BLINDS)
    big = blinds[1]
    # more than the big blind each: the corner where universal_poker leaves the rules has a test of its own below
    stacks = (rng.randint(big + 1, 30 * big), rng.randint(big + 1, 30 * big))
    caps = tuple(rng.randint(1, 4) for _ in range(4))
    game = _universal(stacks, blinds, caps=caps if limit else ()).new_initial_state()
    rules = holdem(stacks, blinds=blinds)
    if limit:  # universal_poker's limit games have no stacks
        rules = holdem(10**6, blinds=blinds, bets=(big, big, 2 * big, 2 * big), raises=caps)
    state = start(rules)
    while (state := _dealt(rules, state)).kind <= Kind.PLAYER1:
        _pass_chance(rng, game)
        can = legal(rules, state)
        assert game.current_player() == state.kind
        assert _spent(game) == state.put
        bets = range(can.least + state.base, can.most + state.base + 1) if can.most else ()
        assert game.legal_actions() == [0] * can.fold + [1] + ([2] * bool(can.most) if limit else list(bets))
        action = _choose(rng, can)
        state = _act(rules, state, action)
        name = {"fold": 0, "call": 1}
        game.apply_action(name[action] if isinstance(action, str) else 2 if limit else action + state.base)
    _pass_chance(rng, game)
    assert game.is_terminal()
    _check_end(state, game.returns()[0])


@pytest.mark.parametrize("count", [700, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("limit", [False, True])
def test_random_hands_as_in_universal_poker(limit: bool, count: int) -> None:
    rng = random.Random(6 + limit)
    for _ in range(count):
        _play_universal(rng, limit)


def test_universal_poker_asks_a_big_blind_who_has_nothing_to_decide() -> None:
    """The corner where OpenSpiel leaves the rules, harmlessly: after an all-in call of the blind it asks for a check."""
    game = _universal((40, 2)).new_initial_state()
    _pass_chance(random.Random(0), game)
    game.apply_action(1)
    assert (game.current_player(), game.legal_actions()) == (0, [1])
    rules = holdem((40, 2))
    assert call(rules, start(rules)).kind is Kind.SHOWDOWN


def _same_tree(game: Any, tree: BettingTree, node: int = 0) -> int:
    """Walk both trees side by side, whatever is dealt; returns the nodes that are no chance."""
    while game.is_chance_node():
        game.apply_action(game.legal_actions()[0])
    if tree.kind[node] == Kind.DEAL:
        node = tree.children(node)[0]
    children = tree.children(node)
    if game.is_terminal():
        assert not children
        won = game.returns()[0]
        if tree.kind[node] == Kind.SHOWDOWN:
            assert won in (tree.win[node], tree.lose[node], tree.tie[node])
        else:
            assert won == (tree.win if tree.kind[node] == Kind.FOLD1 else tree.lose)[node]
        return 1
    assert game.current_player() == tree.kind[node]
    assert len(game.legal_actions()) == len(children), tree.path(node)
    return 1 + sum(_same_tree(game.child(a), tree, c) for a, c in zip(game.legal_actions(), children, strict=True))


@pytest.mark.parametrize(
    ("stack", "deck", "menu"),
    [(4, "toy2", "fullgame"), (9, "toy2", "fullgame"), (13, "toy2", "fullgame"), (7, "toy4", "fullgame")]
    + [(stack, "toy4", "fcpa") for stack in (6, 20, 54, 200)],
)
def test_whole_trees_as_in_universal_poker(stack: int, deck: str, menu: str) -> None:
    """Every sequence of whole-chip bets, and every FCPA sequence (at 200 = 100 big blinds too)."""
    tree = build(holdem(stack, last="flop" if deck == "toy2" else "river"), "any" if menu == "fullgame" else "fcpa")
    game = _universal((stack, stack), deck=deck, menu=menu)
    assert _same_tree(game.new_initial_state(), tree) == tree.nodes - (tree.kind == Kind.DEAL).sum()
