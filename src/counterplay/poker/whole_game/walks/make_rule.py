"""The rules by which a responder chooses on a walk, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from counterplay.errors import InputError
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import ChoiceRule
from counterplay.poker.whole_game.walks.leaves import ContinuationsLeaf, EquityLeaf, strategy_leaf
from counterplay.poker.whole_game.walks.limited_look_ahead import LimitedLookAhead
from counterplay.poker.whole_game.walks.local_best_response import LocalBestResponseRule

BEST, LOOK_AHEAD, LOCAL, ADAPTING = "br", "cdbr", "lbr", "abd"


@dataclass(frozen=True)
class RuleSettings:
    """Settings of a responder's rule of choice.

    Attributes:
        name: br, cdbr, lbr or abd.
        depth: streets that cdbr and abd see, their own counted.
        blueprint: of cdbr, by which both go on behind the limit; hands are checked down if it is None.
        continuations: of abd, the strategies by the best of which the player goes on behind the limit.
    """

    name: str = BEST
    depth: int = 1
    blueprint: BlueprintStrategy | None = None
    continuations: tuple[BlueprintStrategy, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise InputError(f"over drawn flops there are {', '.join(RULES)}, and not {self.name}")
        if self.depth < 1:
            raise InputError(f"a look-ahead sees at least 1 street, not {self.depth}")
        if (self.name == ADAPTING) != bool(self.continuations):
            raise InputError(f"{ADAPTING} has strategies by which the player goes on, and no other method has")


def _look_ahead(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> ChoiceRule:
    leaf = EquityLeaf(game) if asked.blueprint is None else strategy_leaf(game, player, asked.blueprint)
    return LimitedLookAhead(game, player, theirs, asked.depth, leaf)


def _adapting(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> ChoiceRule:
    leaf = ContinuationsLeaf(game, player, theirs, asked.continuations)
    return LimitedLookAhead(game, player, theirs, asked.depth, leaf)


RULES: dict[str, Callable[[HoldemGame, int, BlueprintStrategy, RuleSettings], ChoiceRule | None]] = {
    BEST: lambda game, player, theirs, asked: None,  # noqa: ARG005 - the walk does it by itself
    LOOK_AHEAD: _look_ahead,
    ADAPTING: _adapting,
    LOCAL: lambda game, player, theirs, asked: LocalBestResponseRule(game, player, theirs),  # noqa: ARG005
}
"""What makes each."""


def make_rule(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> ChoiceRule | None:
    """The rule of a player against a strategy of the other; None for the best response."""
    return RULES[asked.name](game, player, theirs, asked)
