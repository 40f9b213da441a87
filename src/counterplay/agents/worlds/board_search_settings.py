"""Settings of a searching agent in a whole game of hold'em: blueprint, model, search, and on which street it begins."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.agents.records import OF_LISTED_GAMES, PROFILE, SearchBot
from counterplay.blueprints.whole_game.as_strategy import next_gadget
from counterplay.blueprints.whole_game.board_subtree import betting_after, cards_after
from counterplay.blueprints.whole_game.portfolio_look_ahead import SOLVER as SAMPLED
from counterplay.blueprints.whole_game.portfolio_look_ahead import portfolio_of, values_ranges
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.errors import InputError, unknown
from counterplay.gadgets import gadget_of
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.given_strategy import TrainedBlueprint
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.public_tree.size_estimate import SpotSize, size_of
from counterplay.poker.whole_game.blueprints.street_regrets import check_room
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.strategies.look_ahead_strategy import Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.responses.board_search import (
    GAP,
    ITERATIONS,
    SOLVER,
    TOGETHER,
    look_to_the_end,
    ways_of,
)
from counterplay.responses.method import ALPHA, P
from counterplay.responses.methods import ABD, CDBR
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.value_functions.leaf_value import ExactLeaf
from counterplay.value_functions.sampled_portfolio import SampledPortfolio

SEARCHES = {"resolve": "resolving", "ses": "max-margin", "cdbr": "unsafe", "cdrnr": "resolving", ABD.HEAD: "resolving"}
"""The searching agents, with their default gadgets."""
SECONDS = 4.0
"""Default time limit of a board that is not the last, whose iterations might take minutes."""
MOST_SEQUENCES = 20_000_000
"""Default limit of the rest of a hand that is solved: a turn at 200 big blinds with pots and all-ins has 14 million
sequences."""


@dataclass(frozen=True, eq=False)
class SearchSettings:
    """A searching agent.

    Attributes:
        blueprint: its strategy before the first search, and the source of alternative values, unless there is a look-ahead.
        search: of each board, or of all flops.
        ahead: search of the street before `street`, and both players' portfolios after it; None to play the blueprint there.
        profile: alternative values are those of the opponent's part of the blueprint.
        street: first street whose boards are solved again: 1 for the flop, 2 for the turn, 3 for the river.
        memory: limit in bytes; None for half of the machine's memory.
    """

    blueprint: BlueprintStrategy
    model: BlueprintStrategy | None
    search: Search
    ahead: tuple[Search, Ways] | None
    profile: bool
    street: int = 1
    memory: float | None = None

    @property
    def together(self) -> bool:
        """Whether all boards are solved at once: with the full gadget, unless the opponent is surely the model."""
        return self.search.frees_the_opponent


def search_settings(
    game: HoldemGame, bot: SearchBot, seed: int, memory: float | None = None, made: Callable[..., Any] = strategy_of
) -> SearchSettings:
    """The settings of an agent by a method of `SEARCHES`; options that whole games do not have are refused. A value
    function lets a look-ahead decide before the flop, too. memory: limit in bytes. made: computes the strategies."""
    head, look = bot.head, bot.method.look or LookAhead()
    bot.refuse("gain", *OF_LISTED_GAMES)
    if look.depth is not None:
        raise unknown("option", "depth", [key for key in bot.keys(type(bot.method)) if key != "depth"], lacks=head)
    if bot.method.max_exploitability is not None:
        raise InputError(f"{head} of a whole game of hold'em needs {bot.method.DIAL}, not a largest exploitability")
    p = 1.0 if isinstance(bot.method, CDBR) else (bot.method.trust or 0.0) if bot.method.DIAL == P else 0.0
    alpha = (bot.method.trust or 0.0) if bot.method.DIAL == ALPHA else 0.0
    gadget = gadget_of(look.gadget or SEARCHES[head])
    together = gadget.keeps_path and p < 1.0
    valued = values_ranges(look.leaf)
    entered = look_to_the_end(look, next_gadget(look.leaf, gadget) if valued else gadget)
    street = 1 if together else _first_street(game, bot, memory)
    search = Search(entered, p, alpha, _solver(bot, together), _stop(game, bot, together, street < game.last))
    if gadget.trims_path:
        raise InputError(f"{head}: the {gadget} gadget needs a game in memory, history by history; this one takes full")
    if bot.values == PROFILE and together:
        raise InputError(f"{head}: the full gadget has no alternative values")
    if together and not is_walked(game):
        raise InputError(
            f"{head}: the full gadget solves all boards at once, and this game has too many; ask for a gadget of single "
            "boards"
        )
    if together:
        check_room(game, lossless(game.boards), memory, "ask for a gadget of single boards")
    before = None if isinstance(look.leaf, ExactLeaf) else _before(game, bot, look, p, street)
    if before is not None and street > 1 and (gadget.chooses_one or gadget.keeps_path):
        raise InputError(
            f"{head}: a look-ahead with portfolios on a board is entered by resolving or unsafe, not {gadget}"
        )
    blueprint = TrainedBlueprint() if bot.blueprint is None else bot.blueprint
    play = made(game, blueprint, seed)
    model = None if bot.to is None else made(game, bot.to, seed)
    ahead = None
    if before is not None:
        ways = ([], []) if valued else ways_of(before.value, str(blueprint), lambda text: made(game, text, seed))
        ahead = before, ways
    return SearchSettings(play, model, search, ahead, bot.values == PROFILE, street, memory)


def _first_street(game: HoldemGame, bot: SearchBot, memory: float | None) -> int:
    """The first street whose boards are solved again: as asked for, or the first whose rest of a hand is small
    enough."""
    if bot.street is None:
        streets = range(1, game.last + 1)
        return next(k for k in streets if k == game.last or _largest(game, k).sequences <= MOST_SEQUENCES)
    street = STREETS.index(bot.street)
    if street > game.last:
        raise InputError(f"{bot.head}: this game ends on the {STREETS[game.last]}; it has no {bot.street}")
    _largest(game, street).check(memory)
    return street


def lines_by_size(game: HoldemGame, street: int, *sizes: int) -> list[int]:
    """Lines of betting to a street, as numbers in `HoldemGame.roots`: that with the smallest rest of a hand, and with
    the smallest that has at least each of some numbers of sequences. One is left out where no decision follows or none
    is so large."""
    roots = game.roots[street]
    left = (game.betting.end[roots] - roots).tolist()
    entries = sorted((k for k, node in enumerate(roots.tolist()) if game.betting.children(node)), key=left.__getitem__)
    found = set(entries[:1])
    for size in sizes:
        large = bisect_left(entries, size, key=lambda entry: _size(game, street, entry).sequences)
        found.update(entries[large : large + 1])
    return sorted(found)


def _largest(game: HoldemGame, street: int) -> SpotSize:
    """The size of the largest rest of a hand from a street on."""
    roots = game.roots[street]
    return _size(game, street, int(np.argmax(game.betting.end[roots] - roots)))


def _size(game: HoldemGame, street: int, entry: int) -> SpotSize:
    """The size of the rest of a hand after a line of betting."""
    return size_of(betting_after(game, street, entry), cards_after(game, game.deck.cards[: DEALT[street]]))


def _before(game: HoldemGame, bot: SearchBot, look: LookAhead, p: float, street: int) -> Search:
    """The search of the street before the first that is solved to the end: before the flop, or by drawn boards behind
    the gadget."""
    value = look.leaf if values_ranges(look.leaf) and street > 1 else portfolio_of(look.leaf)
    if street == 1:
        return Search(LookAhead(Depth(), value), p, solver=_solver(bot, False), stop=_stop(game, bot, False, False))
    if p == 1.0:
        raise InputError(f"{bot.head}: at p = 1 boards are answered to the end of the hand, without a value function")
    if isinstance(value, SampledPortfolio):
        raise InputError(
            f"{bot.head}: on a board the boards to come are drawn anew in each iteration: give portfolio, not sampled"
        )
    solver = SAMPLED if bot.solver is None and not values_ranges(value) else _solver(bot, False)
    look = LookAhead(leaf=value, gadget=look.gadget or SEARCHES[bot.head])
    return Search(look, p, solver=solver, stop=_stop(game, bot, False, True))


def _solver(bot: SearchBot, together: bool) -> str:
    name = bot.solver or SOLVER
    method = None if name == "lp" else minimiser(name)
    if together and (method is None or method.predictive or not method.alternating):
        raise InputError(f"{bot.head}: all flops are solved by cfr, cfr+ or dcfr, not by {name}")
    return name


def _stop(game: HoldemGame, bot: SearchBot, together: bool, to_come: bool) -> Stop:
    """The stopping rule of one board, or of all flops. to_come: whether more cards are dealt."""
    seconds, iterations, gap = bot.seconds, bot.iterations, bot.gap
    if to_come and not together and seconds is iterations is gap is None:
        seconds = SECONDS
    usual = TOGETHER if together and gap is None else 1 << 62 if seconds is not None else ITERATIONS
    if gap is None:
        gap = 0.0 if together or iterations is not None else GAP * 1000.0 / game.milli
    return Stop(gap, iterations or usual, float("inf") if seconds is None else seconds)
