"""Settings of learned values, which are also the flags of their commands; it imports no solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from counterplay.errors import InputError, quoted
from counterplay.option import Option

if TYPE_CHECKING:
    from counterplay.poker.cards.deck import Deck
    from counterplay.value_functions.solved_value import SolvedValue

Width = Annotated[int, Option("Units of each hidden layer.", least=1, most=4096)]
Layers = Annotated[int, Option("Hidden layers.", least=1, most=7)]


def solved_by(text: str) -> SolvedValue:
    """The value function that solves samples; an `InputError` if it solves nothing."""
    from counterplay.value_functions.leaf_value import value_function
    from counterplay.value_functions.solved_value import SolvedValue

    value = value_function(text)
    if not isinstance(value, SolvedValue):
        raise InputError(f"samples are solved by lp or METHOD:N such as cfr+:500, not by {quoted(text)}")
    return value


@dataclass(frozen=True)
class ValueSettings:
    """Settings of learned values; game: spec of the game."""

    game: Annotated[
        str, Option("leduc, openspiel:leduc_poker, game.efg, river.toml, ...", metavar="GAME", positional=True)
    ]
    depth: Annotated[str, Option("Of the look-aheads.", metavar="N|round|game")]
    samples: Annotated[int, Option("Public states solved at drawn ranges.", least=1)] = 200_000
    asked: Annotated[int, Option("Further ones of a round, at ranges that searches ask a network for.", least=0)] = (
        60_000
    )
    solver: Annotated[str, "The value function that solves them."] = "cfr+:500"
    width: Width = 128
    layers: Layers = 3
    epochs: Annotated[int, Option("Passes over all samples.", least=1)] = 50
    seed: int = 0
    responses: Annotated[bool, "Best responses to weak players ask, as cdbr does, not all searches."] = False
    rounds: Annotated[int, Option("Rounds of searches, each over the network so far.", least=0)] = 1

    def __post_init__(self) -> None:
        solved_by(self.solver)

    def identity(self) -> Mapping[str, Any]:
        """Everything that the pieces depend on."""
        return {"learned": "values", "of each kind": "as many", **asdict(self)}


@dataclass(frozen=True)
class RiverSettings:
    """Settings of learned rivers; raises: None without a cap."""

    bets: Annotated[str, "Sizes of bets and raises on the river."] = "100%, a"
    raises: Annotated[int | None, Option("Most bets and raises; unless given any.", least=0)] = None
    deck: Annotated[str, "Lowest rank of the deck."] = "2"
    rivers: Annotated[int, Option("Solved at drawn ranges.", least=1)] = 9_000
    asked: Annotated[int, Option("Further ones at ranges that look-aheads of turns ask for.", least=0)] = 3_000
    solver: Annotated[str, "METHOD:N that solves them."] = "dcfr:150"
    knots: Annotated[int, Option("Of the strength of hands.", least=2, most=512)] = 32
    width: Width = 120
    layers: Layers = 3
    epochs: Annotated[int, Option("Passes over all rivers.", least=1)] = 60
    seed: int = 0

    def check(self) -> None:
        """Reject a solver and bets that rivers are not learned with."""
        from counterplay.poker.betting.bet_sizes import read_sizes

        if solved_by(self.solver).iterations is None:
            raise InputError(f"rivers are solved by METHOD:N such as dcfr:150, not by {quoted(self.solver)}")
        if any(size.letter == "c" for sizes in read_sizes(self.bets).at.values() for size in sizes):
            raise InputError("the bets of learned rivers are shares of the pot, and not chips")

    def identity(self) -> Mapping[str, Any]:
        """Everything that the pieces depend on."""
        return {"learned": "rivers", **asdict(self)}

    @cached_property
    def cards(self) -> Deck:
        from counterplay.poker.cards.deck import Deck

        return Deck.from_rank(self.deck)
