"""Histories a second from rules to arrays, and memory of the compiled game."""

from __future__ import annotations

import importlib.util

import counterplay as cp
from common import interleaved, table

BUILT_IN = ("leduc", "goofspiel:5", "liars_dice:1,6", "goofspiel:6", "tictactoe")
OPENSPIEL = (
    "openspiel:leduc_poker",
    "openspiel:liars_dice(numdice=1,dice_sides=5)",
    "openspiel:goofspiel(imp_info=True,num_cards=5,points_order=descending)",
)


class Deep:
    """A game as a plain Python class: eight moves of three actions, everything seen."""

    name = "a Python class"

    def root(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return cp.TERMINAL if len(state) == 8 else len(state) % 2

    def actions(self, state: tuple[str, ...]) -> list[str]:
        return ["a", "b", "c"]

    def chance(self, state: tuple[str, ...]) -> list[float]:
        return []

    def child(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def infoset(self, state: tuple[str, ...], player: int) -> str:
        return "".join(state)

    def utility(self, state: tuple[str, ...]) -> float:
        return 1.0 if state[0] == state[-1] else -1.0


def main() -> None:
    specs = (*BUILT_IN, Deep(), *(OPENSPIEL if importlib.util.find_spec("pyspiel") else ()))
    rows = []
    for spec in specs:
        game = cp.load(spec, say=lambda _: None)
        seconds = interleaved({game.name: lambda s=spec: cp.load(s, say=lambda _: None)}, 5)[game.name]
        histories = len(game.histories)
        rows.append((game.name, f"{histories:,}", seconds, histories / seconds / 1e6))
    table("Loading", ("game", "histories", "seconds", "million histories a second"), rows)


if __name__ == "__main__":
    main()
