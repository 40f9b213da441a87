"""One seat's strategy in a whole game: what `opponent`, `respond` and `evaluate` hand around there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy


@dataclass(frozen=True, eq=False)
class HoldemStrategy:
    """One seat's half of a strategy; 0 is the big blind, 1 the button. facts: what is known of it, for tables."""

    rules: Holdem
    player: int
    play: BlueprintStrategy
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"HoldemStrategy({self.rules.name}, player {self.player}, {self.facts.get('method', '')})"

    def probabilities(self, infoset: str) -> dict[str, float]:
        """The probability of each action at a text of `Holdem.infoset`, where the player acts."""
        game, seen = self.rules.game, self.rules.read(infoset, self.player)
        row = probabilities(game, self.play, seen.node, seen.board)[:, game.deck.hand(*seen.hand)]
        return dict(zip(game.betting.actions(seen.node), row.tolist(), strict=True))
