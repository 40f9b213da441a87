"""Players of battleships who place uniformly and shoot by a simple rule (ABD paper, experiments)."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.errors import InputError
from counterplay.opponents.policies import from_function
from counterplay.subgames.compile import GameTree
from counterplay.treeplex.strategy import Strategy

_START = "start"


def last(game: GameTree, cell: str, player: int) -> Strategy:
    """Shoots uniformly at random, but at one cell only when no other is left.

    Args:
        game: battleships.
        cell: such as `A1`, top left.
        player: whose strategy.

    Raises:
        InputError: another game, or no such cell.
    """
    if game.rules.name.split(":")[0] != "battleships":
        raise InputError(f"last:{cell} plays battleships, not {game.name}")
    found: set[str] = set()

    def shoot(infoset: str, actions: Sequence[str]) -> dict[str, float]:
        if infoset == _START:
            return dict.fromkeys(actions, 1.0 / len(actions))
        found.update(actions)
        open_to = [action for action in actions if action != cell] or list(actions)
        return {action: (action in open_to) / len(open_to) for action in actions}

    strategy = from_function(game, shoot, player)
    if cell not in found:
        raise InputError(f"last:{cell}: {game.name} has no cell '{cell}'")
    return strategy
