"""The Leduc players of Milec et al. 2025: passive in one round and aggressive in the other (table 2), or the same in
both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.games.kernel_rules import FastGame
from counterplay.games.leduc import PHASE, ROUND_2
from counterplay.opponents.bias import STYLES as PLAIN
from counterplay.opponents.bias import play_style
from counterplay.opponents.model import OpponentModel
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.texts.readers import Head
from counterplay.treeplex.strategy import Strategy

# The rounds in which the player is aggressive, and whether it folds there where only Fold and Call are left.
_AGGRESSIVE = {
    "s1": ((2,), False), "s2": ((1,), False), "s3": ((2,), True), "s4": ((1,), True),
    "passive": ((), False), "aggressive": ((1, 2), False),
}  # fmt: skip
STYLES = tuple(_AGGRESSIVE)


@dataclass(frozen=True)
class LeducPlayer(OpponentModel):
    """S1 checks or folds in round 1, bets or raises in round 2, and calls there if it cannot raise; S2 does the
    reverse; S3 and S4 are S1 and S2 but fold in their aggressive round if only fold and call are legal. `passive` and
    `aggressive` play the same in both rounds (tight-passive and loose-aggressive).

    Attributes:
        style: one of `STYLES`.
    """

    style: Annotated[str, Head(words=STYLES)]

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        round_of = _round_reader(game)
        aggressive, gives_up = _AGGRESSIVE[self.style]
        tree = game.trees[player]
        behaviour = np.zeros(tree.size)
        behaviour[0] = 1.0
        labels, first = tree.labels, game.first[player]
        for state, lane, names in zip(game.states(first), labels.lanes, labels.actions, strict=True):
            if lane < 0:
                continue
            facing, can_raise = "Fold" in names, "Raise" in names
            if round_of(state) in aggressive:
                choice = "Raise" if can_raise else ("Fold" if gives_up else "Call")
            else:
                choice = "Fold" if facing else "Call"
            behaviour[tree.sequences_of(lane)] = [float(action == choice) for action in names]
        return Strategy(tree, behaviour)

    @property
    def plays_whole_games(self) -> bool:
        return self.style in PLAIN

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return play_style(game, self.style)


def _round_reader(game: Any) -> Any:
    """A function from a state to its round, 1 or 2."""
    rules = game.rules
    if isinstance(rules, FastGame) and rules.name.split(":")[0] == "leduc":
        return lambda state: 2 if state[PHASE] == ROUND_2 else 1
    if isinstance(rules, OpenSpielGame) and rules.game.get_type().short_name == "leduc_poker":
        return lambda state: 2 if "[Round 2]" in state.information_state_string() else 1
    raise InputError(f"{', '.join(STYLES)} play Leduc poker, not {game.name}")
