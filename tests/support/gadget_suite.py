"""What every gadget promises, wherever it stands: in an enumerated game, a spot, on any street of a whole hold'em game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import counterplay as cp
from counterplay import LookAhead, Strategy
from counterplay.blueprints.resolve import parts_of
from counterplay.blueprints.whole_game.as_strategy import gifts_before
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.resolver import Knowledge, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.betting.rules import flop_holdem, holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import uniform
from counterplay.subgames.cut import Place, subgames_at
from counterplay.subgames.plan_store import ArrayPlans
from tests.support.public_trees import toy

WORLDS = ("enumerated", "spot", "flop", "turn", "river")
BOARDS = {"flop": "Jc Qd Kh", "turn": "Jc Qd Kh Jd", "river": "Jc Qd Kh Jd Qc"}
NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))


@cache
def four_streets() -> Holdem:
    """No-limit with nine cards and an all-in on every street."""
    return Holdem(holdem(6, blinds=(1, 2)), "a", NINE, "four streets")


def subtrees(world: str, seat: int) -> Iterator[tuple[Any, Knowledge]]:
    """Some subtrees of a world, and what is known there."""
    if world in BOARDS:
        game = Holdem(flop_holdem(1), deck=NINE).game if world == "flop" else four_streets().game
        play, board = uniform(game), game.deck.held(BOARDS[world])
        street, search = DEALT.index(len(board)), Search()
        given = gifts_before(game, play, 1 - seat, board)
        entries = [entry for entry, node in enumerate(game.roots[street].tolist()) if game.betting.children(node)]
        for entry in entries[:: -(-len(entries) // 3)]:
            piece = board_subtree(game, entry, board, seat, given)
            yield piece, known_at_board(piece, play, None, search)
        return
    game = cp.load("liars_dice:1,3") if world == "enumerated" else SpotGame("toy", toy(2, "turn", "a"), 10.0, 0.01)
    mine, theirs = (cp.opponent(game, "random:3", player) for player in (seat, 1 - seat))
    known = Knowledge(ArrayPlans.of(game.subgame, mine, theirs))
    if world == "enumerated":
        found = iter(subgames_at(game, Place.of("moves:1"), seat))
    else:
        found = (subtree_at(game.tree, part, seat) for part in parts_of(game, 1)[:4])
    yield from ((one, known) for one in found if one is not None)


def check_gadget(gadget: Any, world: str, seat: int) -> None:
    """Linear program and regret minimiser agree on its gadget game; and where it protects the blueprint, no root of the
    opponent is worth more afterwards than its alternative value, gifts added where they may be taken back."""
    solved = 0
    for subtree, known in subtrees(world, seat):
        exact = resolve_subtree(subtree, Search(LookAhead(gadget=gadget)), known)
        if exact is None:
            continue
        stop = cp.Stop(iterations=3000, exploitability=1e-3)
        close = resolve_subtree(subtree, Search(LookAhead(gadget=gadget), solver="dcfr", stop=stop), known)
        assert close is not None
        assert abs(exact.solution.value - close.solution.value) <= close.solution.nash_conv + 1e-9
        solved += 1
        if gadget.contracts_path or (not gadget.never_worse and not gadget.takes_gifts):
            continue
        me, plans = subtree.resolver, known.plans
        allowed = subtree.alternative_values(plans) + (subtree.gifts(plans) if gadget.takes_gifts else 0.0)
        whole = plans.strategies[me].tree  # type: ignore[attr-defined]
        for found in (exact, close):
            after = Strategy(whole, found.splice(me, plans.behaviour(me)))
            room = found.gap + 1e-9 * max(1.0, float(np.abs(allowed).max()))
            assert (subtree.alternative_values(ArrayPlans.of(plans.subgame, after)) <= allowed + room).all()  # type: ignore[attr-defined]
    assert solved
