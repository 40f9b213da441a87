"""A leak in a spot as an opponent: the equilibrium, but for the nodes that a file of leaks locks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.opponents.model import OpponentModel
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.leak_match import check_leaks, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.spot_plans import ArraySpotPlans
from counterplay.problem.solvable_game import by_kind
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.strategy import Strategy

_MOST = 20_000
_REFERENCES: WeakKeyDictionary[Subgame, SolvedSpot] = WeakKeyDictionary()


@dataclass(frozen=True)
class Locked(OpponentModel):
    """A player with the leaks of a file who plays the equilibrium everywhere else. A line with `trust T` is followed with
    probability T at each of its decisions.

    Attributes:
        file: path of the leaks, in the language of `counterplay spot --lock`.
    """

    HEAD = "lock"
    file: str

    @classmethod
    def from_text(cls, text: str) -> Locked:
        file = text.partition(":")[2]
        if not file:
            raise InputError(f"{quoted(text)} lacks the file of leaks, as in lock:leak.txt")
        return cls(file)

    def __str__(self) -> str:
        return f"{self.HEAD}:{self.file}"

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: no spot, an unreadable file, or leaks that do not fit: another player's, or other nodes."""
        solve = by_kind(REFERENCES, game, None)
        if solve is None:
            raise InputError(f"{quoted(self)} is an opponent in a spot of hold'em, not in {game.name}")
        leaks = Leaks.from_file(self.file)
        if game.spot is not None:
            check_leaks(leaks, game.spot)
            if (who := opponent_of(leaks, game.spot.betting)) != player:
                raise InputError(
                    f"{self.file} has leaks of {PLAYERS[who]}, but the opponent is {PLAYERS[player]}: take the other seat"
                )
        solved = solve(game)
        lock = lock_nodes(solved, leaks)
        tree = game.trees[player]
        trust = np.where(tree.owner >= 0, lock.trust[np.maximum(tree.owner, 0)], 0.0)
        usual = solved.plans.behaviour(player)[:]
        return Strategy(tree, trust * lock.plans.behaviour(player)[:] + (1.0 - trust) * usual)

    def check(self) -> None:
        Leaks.from_file(self.file)

    def is_fixed(self, rules: object) -> bool:  # noqa: ARG002 - a file may change
        return False


def _reference(game: SpotGame) -> SolvedSpot:
    """The equilibrium to which leaks are applied: the one the game was loaded with, or one found once, as `spot` does."""
    if game.spot is None:
        raise InputError(f"{game.name} has no board, ranges and chips of its own, to which leaks could be applied")
    if game.known is not None and game.known.is_equilibrium:
        return game.known
    if game.subgame not in _REFERENCES:
        found = solve_cfr(game.subgame, minimiser(METHOD), Stop(game.fine, _MOST))
        if found.interrupted:
            raise KeyboardInterrupt
        plans = ArraySpotPlans.of_tree(game.tree, found.plans)
        _REFERENCES[game.subgame] = SolvedSpot(game.spot, game.tree, plans, {"exploitability": found.exploitability})
    return _REFERENCES[game.subgame]


REFERENCES: dict[type, Callable[[SpotGame], SolvedSpot]] = {SpotGame: _reference}
"""What solves a kind of game that takes leaks."""
