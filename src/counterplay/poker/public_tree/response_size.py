"""Memory of a response to a model in a large spot, by what its method holds at once."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.size_estimate import BASE, LOCKING, SINGLE, WINDOW, LaidTree, laid_trees

_DTYPES = 2
"""Work spaces of sweeps: of the iterations, and of measurements in float64."""


class Needs(NamedTuple):
    """What a method holds at once, beside the equilibrium and the model.

    Attributes:
        answers: averages of the responder.
        ways: ways of the opponent that are iterated, with the responder; 0 if one sweep finds the response.
        locked: whether decisions of the opponent are bound one by one.
        profiles: pairs of averages of both players, of look-aheads.
        gadgets: whether boards are entered one by one, by CFVs.
        portfolio: further averages of both players, to continue with.
        nested: whether the game beyond a limit is solved.
        arrays: bytes of the street that a look-ahead with a value function sees.
    """

    answers: int = 1
    ways: int = 0
    locked: bool = False
    profiles: int = 0
    gadgets: bool = False
    portfolio: tuple[int, int] = (0, 0)
    nested: bool = False
    arrays: float = 0.0

    @property
    def all_boards(self) -> bool:
        """Whether boards that are alike are told apart."""
        return self.locked or self.profiles > 0


def response_memory(
    betting: BettingTree, cards: Cards, precision: str, opponent: int, needs: Needs, *, alike: bool
) -> float:
    """Bytes at the peak of a response, the solve of the equilibrium before it included.

    Args:
        betting: the betting tree.
        cards: the cards.
        precision: of what is stored.
        opponent: the modelled player.
        needs: what the method holds.
        alike: whether the model stands where isomorphic suits are dealt once.
    """
    here, every = laid_trees(betting, cards, alike=True)
    known = _Parts(here, precision, opponent)
    parts = known if alike and not needs.all_boards else _Parts(every, precision, opponent)
    memory = known.rest + 0.5 * (known.own + known.other) + 0.5 * parts.other
    if parts.tree is not known.tree:  # the equilibrium again, on all boards
        memory += parts.rest + 0.5 * (parts.own + parts.other)
    memory += needs.answers * 0.5 * parts.own + needs.profiles * 0.5 * (parts.own + parts.other)
    memory += sum(0.5 * count * part for count, part in zip(_by_player(needs, opponent), parts.sides, strict=True))
    ways = max(needs.ways, int(needs.nested))  # what lies beyond a limit is solved before, or with the opponent free
    if ways:
        memory += parts.own + ways * parts.other + _DTYPES * parts.rest
    if needs.locked:  # each answer keeps the locks under which it was found
        memory += (1 + needs.answers) * every.locks(opponent)
    if needs.gadgets:
        # CFVs in float64 take as many bytes as both numbers in float32.
        window = min(WINDOW, every.compact(SINGLE, opponent))
        memory += window + LOCKING * every.places + every.locks(1 - opponent)
    return BASE + needs.arrays + max(memory, known.rest + known.own + known.other)


def _by_player(needs: Needs, opponent: int) -> tuple[int, int]:
    """The portfolios of the responder and of the opponent."""
    return needs.portfolio[1 - opponent], needs.portfolio[opponent]


class _Parts:
    """The numbers of the responder and of the opponent, and what the layout takes besides."""

    def __init__(self, tree: LaidTree, precision: str, opponent: int) -> None:
        self.tree, self.own, self.other = tree, tree.compact(precision, 1 - opponent), tree.compact(precision, opponent)
        self.rest = tree.compact(precision) - self.own - self.other

    @property
    def sides(self) -> tuple[float, float]:
        """Those of the responder and of the opponent."""
        return self.own, self.other
