"""Opponents with incentives: players who gain or lose something for an action, beside their chips.

A file names nodes and hands (`poker/locking/leak_match.py`): `incentive:likes.txt`.

The game that such a player plays is general-sum: the responder maximises chips u, the opponent -u plus the gains of the
opponent's own actions. Without another opponent in the text the model is the opponent's part of a Nash equilibrium of that
game, in which both know of the incentive. It is found by regret minimisation on both payoffs, whose accuracy is measured by
two best responses: no theorem says that it converges in every general-sum game (Gibson 2014, section 4), so the error is
stated. With another one, `incentive:call=1:nash`, the model is the best response to that player under the changed payoff.

Both differ where a mixture is in balance. In equilibrium the opponent's frequencies make the responder indifferent, so that
a gain for calling changes the responder's bluffs and not the calls. Experiments find otherwise, the own-payoff effect (Ochs
1995): people take an action more often if they gain more by it. A player who does not expect us to adapt calls with every
hand that the gain tips over, and that is where the chips are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from counterplay.errors import InputError, SeatError, quoted
from counterplay.games.game import TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.leaves.matrix import Matrix
from counterplay.leaves.protocol import Leaves
from counterplay.leaves.sequence_gains import OwnPayoffs, SequenceGains, along_paths
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.opponents.reference_players import ByPrefix, check_new
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.stakes import CHIPS, Amount, read_amount, stakes_of
from counterplay.poker.locking.leak_match import PlacedGains
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.problem.solvable_game import by_kind
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import DCFR
from counterplay.strategies.strategy_makers import decision_rows
from counterplay.texts.grammar import bracketed, cut, key_text, split_pairs, tokens
from counterplay.treeplex.strategy import Strategy

_ACCURACY, _ITERATIONS = 2e-4, 20_000
"""Accuracy of the solve, as a share of the span of payoffs (a spot has its own); and the most iterations."""


@dataclass(frozen=True)
class Incentive(OpponentModel):
    """A player who gains so much for each of some actions: in equilibrium with a responder who only counts chips, or against
    a given one.

    Attributes:
        gains: prefixes of actions' names, ignoring case, each with an amount such as "0.5bb", "-1" or "10%"; the longest
            match counts. An action that a player cannot choose otherwise gains nothing.
        to: the player in the other seat to whom they best respond; None for equilibrium.
        file: of gains at nodes of a spot, in place of `gains`.
    """

    HEAD = "incentive"
    gains: tuple[tuple[str, str], ...] = ()
    to: OpponentModel | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        starts = [start for start, _ in self.gains]
        for k, (start, amount) in enumerate(self.gains):
            check_new(start, starts[:k], self.HEAD)
            _amount(amount)
        if bool(self.gains) == (self.file is not None):
            raise InputError(f"{self.HEAD} takes actions, as in incentive:call=0.5bb, or a file of gains")

    @classmethod
    def from_text(cls, text: str) -> Incentive:
        words, colon, behind = cut(text.partition(":")[2], ":")
        to = MODELS.parse(behind) if colon else None
        match tokens(text, words, last=""):
            case [(None, file)]:
                return cls((), to, file)
        return cls(tuple(split_pairs(words, f"{cls.HEAD} takes ACTION=AMOUNT, as in incentive:call=0.5bb")), to)

    def __str__(self) -> str:
        gains = ",".join(f"{key_text(action)}={amount}" for action, amount in self.gains)
        if self.file is not None:
            gains = bracketed(self.file, bare=True)
        return f"{self.HEAD}:{gains}{'' if self.to is None else f':{self.to}'}"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """Raises: InputError: a prefix that no action has, an amount of another game's stakes, or a spot with a rake."""
        if self.file is None:
            problem = incentive_problem(game, player, self.gains)
        elif (place := by_kind(PLACED, game, None)) is not None:
            problem = place(game, player, PlacedGains.from_file(self.file))
        else:
            raise InputError(f"{quoted(self)} names nodes of a spot of hold'em, not of {game.name}")
        if self.to is not None:
            other = self.inner.strategy(game, 1 - player, seed)
            return Strategy(game.trees[player], best_response(problem, player, other.plan).behaviour)
        fine = getattr(game, "fine", _ACCURACY * game.span)
        found = solve_cfr(problem, DCFR, Stop(fine, _ITERATIONS))
        if found.interrupted:
            raise KeyboardInterrupt
        made = Strategy.from_plan(game.trees[player], found.plans[player])
        return replace(made, facts={"incentive error": found.exploitability})

    def check(self) -> None:
        if self.file is not None:
            PlacedGains.from_file(self.file)

    def is_fixed(self, rules: object) -> bool:
        return self.file is None and super().is_fixed(rules)  # a file may change


def incentive_problem(game: AnyGame, player: int, gains: tuple[tuple[str, str], ...]) -> Subgame:
    """The game as one problem in which `player` also gains for some actions."""
    _check_rake(game)
    add_gains: Callable[..., Leaves] = by_kind(CHANGED_PAYOFF, game, _of_tree)
    stakes = stakes_of(game)
    chips = ByPrefix({start: _amount(text).chips(stakes, Incentive.HEAD) for start, text in gains}, 0.0)
    changed = add_gains(game, player, chips)
    chips.check()
    own = (game.payoff, changed) if player == 1 else (changed, game.payoff)
    return replace(game.subgame, leaves=OwnPayoffs(own))


def placed_problem(game: SpotGame, player: int, gains: PlacedGains) -> Subgame:
    """A spot as one problem in which `player` also gains for actions at some nodes."""
    _check_rake(game)
    if game.spot is None:
        raise InputError(f"{game.name} has no board and ranges of its own, whose nodes gains could name")
    if (who := gains.player(game.spot)) != player:
        raise SeatError(
            f"these gains are of {PLAYERS[who]}, but the opponent is {PLAYERS[player]}: take the other seat (--seat)"
        )
    betting, one = game.tree.betting, np.ones(game.tree.betting.nodes)
    counted = replace(game.payoff, betting=replace(betting, win=one, lose=one, tie=one))
    total = along_paths(game.trees[player], gains.of_sequences(game.tree, game.spot, game.stakes))
    leaves = SequenceGains(game.payoff, counted, player, total)
    return replace(game.subgame, leaves=leaves, beyond=leaves.beyond)


def _check_rake(game: AnyGame) -> None:
    if getattr(game, "rake", 0.0):
        raise InputError("an incentive is for spots without a rake")


def _amount(text: str) -> Amount:
    return read_amount(text, CHIPS, Incentive.HEAD, signed=True)


def _of_tree(game: GameTree, player: int, gains: ByPrefix) -> Leaves:
    """The payoff with the gains on the path to each terminal, from the side of player 0."""
    tree, gained = game.trees[player], np.zeros(game.trees[player].size)
    for decision in decision_rows(game, player):
        if decision.sequences.size:
            gained[decision.sequences] = gains.of(decision.actions)[:, None]
    total = along_paths(tree, gained)
    table = game.histories
    ends = np.flatnonzero(table.player == TERMINAL)
    last = [game.sequences[who][ends] for who in (0, 1)]
    chips = table.utility[ends] + (1.0 if player == 0 else -1.0) * total[last[player]]
    groups = (game.trees[0].arrays.groups, game.trees[1].arrays.groups)
    shape = (game.trees[0].size, game.trees[1].size)
    return Matrix.from_entries(last[0], last[1], chips * table.reach[ends], shape, groups)


def _of_spot(game: SpotGame, player: int, gains: ByPrefix) -> Leaves:
    """The payoff with the gains on the betting line to each terminal: the player wins, loses and splits so much more."""
    betting, total = game.tree.betting, np.zeros(game.tree.betting.nodes)
    for node in range(1, betting.nodes):
        above = int(betting.parent[node])
        total[node] = total[above]
        if int(betting.kind[above]) == player and len(betting.children(above)) > 1:
            total[node] += gains.of([betting.label(node)])[0]
    paid = replace(betting, win=betting.win + total, lose=betting.lose + total, tie=betting.tie + total)
    return replace(game.payoff, betting=paid)


CHANGED_PAYOFF: dict[type, Callable[..., Leaves]] = {SpotGame: _of_spot}
"""What adds gains to the payoff of a kind of game; those of others are listed by histories."""
PLACED: dict[type, Callable[..., Subgame]] = {SpotGame: placed_problem}
"""What makes the problem of a kind of game whose nodes a file of gains can name."""
