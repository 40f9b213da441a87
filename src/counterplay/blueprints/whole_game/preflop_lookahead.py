"""A look-ahead of the street before the flop, with portfolios: adapting beyond the depth limit (Milec et al. 2025).

The result is a strategy of the whole game: the look-ahead's before the flop, and on it each hand class's mixture of the
player's portfolio. Flops may then be re-solved from it, as from any blueprint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.lookahead.search import Search, played_behaviour, solve_lookahead
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy, Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.continuation_values import continuation_values, memory_of, preflop_problem
from counterplay.poker.whole_game.walks.response_on_flops import ALL, draw_flops
from counterplay.solvers.cfr import Solution
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.sampled_portfolio import SampledPortfolio


@dataclass(frozen=True, eq=False)
class PreflopLookAhead:
    """Both players' strategies before the flop, and the mixtures by which they continue; and the solution, in chips per
    hand, whose value is player 0's against the opponent mixed by p."""

    play: LookAheadStrategy
    solution: Solution


def portfolio_of(value: Any) -> Portfolio:
    """A value function for a look-ahead before the first street that is solved to the end."""
    if isinstance(value, Portfolio):
        return value
    raise InputError(f"this look-ahead takes portfolio:A;B, before the flop also sampled:FLOPS:A;B, not {value.name}")


def look_ahead_preflop(
    game: HoldemGame,
    base: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    ways: Ways,
    search: Search,
    memory: float | None = None,
) -> PreflopLookAhead:
    """Solve the street before the flop of a game that ends on it.

    Args:
        game: a game of hold'em that ends on the flop.
        base: the other player's strategy if only the model is met.
        model: model of the other player, who continues as the model on the flop.
        ways: portfolios of players 0 and 1.
        search: p, the value function (a portfolio), solver, and stopping rule.
        memory: bytes that may be taken; by default half of the machine's."""
    other, value = 1 - me, portfolio_of(search.value)
    if game.last > 1:
        raise InputError(
            f"before the flop portfolios are valued where the flop is the last street, and this game ends on the "
            f"{STREETS[game.last]}"
        )
    drawn = (value.samples, value.seed) if isinstance(value, SampledPortfolio) else (ALL,)
    seen = draw_flops(game.boards, *drawn)
    trusted = model if search.p > 0.0 else None
    faced = [list(one) for one in ways]
    if trusted is not None:  # where p = 1 there is only the model
        faced[other] = [trusted] if search.p == 1.0 else [*faced[other], trusted]
    needed, count = memory_of(game, len(faced[0]), len(faced[1])), f"{len(faced[0])} by {len(faced[1])} continuations"
    check_memory(f"{count} take {needed / 2**30:.3g} GiB", needed, memory, "ask for fewer strategies")
    worth = continuation_values(game, faced[0], faced[1], np.array(seen.numbers), seen.weights)
    look = preflop_problem(game, worth, other if trusted is not None and search.p < 1.0 else None)
    problem = look.subgame if trusted is None else look.following(other, trusted, search.p)
    solution = solve_lookahead(problem, me, search)
    preflop, go_on, shares = [], [list(one) for one in ways], []
    for player in (0, 1):
        behaviour = played_behaviour(problem, player, solution)
        shares.append(look.shares(player, behaviour))
        preflop.append(look.preflop(player, behaviour))
        go_on[player] = [*go_on[player], *go_on[player]][: shares[player].shape[1]]
    if search.p == 1.0:  # the other player goes on as in the base
        preflop[other], go_on[other] = base.preflop[other], [base]
        shares[other] = np.ones((len(game.entries), 1, game.boards.classes))
    tables, mixed = (preflop[0], preflop[1]), (shares[0], shares[1])
    return PreflopLookAhead(LookAheadStrategy(game, game.boards.root, tables, (go_on[0], go_on[1]), mixed), solution)
