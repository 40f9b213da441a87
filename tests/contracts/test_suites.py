"""Every entry of every registry keeps the promises of its kind (`support/suites.py`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, Minimiser
from counterplay.card_abstraction import REGISTRY as CARD_ABSTRACTIONS
from counterplay.card_abstraction.abstraction_record import ABSTRACTIONS
from counterplay.card_abstraction.card_abstraction import OneLane
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.card_abstraction.ochs import cluster
from counterplay.games import GAMES, make_game
from counterplay.opponents import REGISTRY as OPPONENTS
from counterplay.opponents.model import MODELS
from counterplay.poker.whole_game.boards.board import flops_of
from counterplay.responses import METHODS
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.texts.record import usage
from counterplay.value_functions import REGISTRY as LEAF_VALUES
from tests.support import suites
from tests.support.games import MORE_GAMES

WORDS = {
    "last": "last:A1", "bias": "bias:Call=3:uniform", "blueprint": "blueprint:buckets=3,iterations=20",
    "net": f"net:{Path(__file__).parent.parent / 'files' / 'kuhn-policy.cpn'}",
    "hands": f"hands:{Path(__file__).parent.parent / 'files' / 'kuhn-hands.jsonl'},player=uniform,prior=uniform",
    "incentive": "incentive:call=0.5:uniform", "lock": "lock:examples/leaks/bluffcatcher.txt",
    **{name: f"{name}:10" for name in MINIMISERS},
}  # fmt: skip
"""Texts of opponents that their records give no example of."""
FILES = Path(__file__).parent.parent / "files"
STATED = {
    "exact": ("exact", 1e-9), "lp": ("lp", 1e-9), "rollout": ("rollout:200", 1.5), "equity": ("equity", 1e-7),
    "portfolio": ("portfolio:uniform;nash|cfr:3;random:2", 1e-12), "sampled": ("sampled:300,5:uniform;nash|random:2", 0.0),
    "net": (f"net:{FILES / 'kuhn.cpn'}", 0.05),
    **{name: (f"{name}:100", 2e-3) for name in MINIMISERS},
}  # fmt: skip
"""Value functions with words, and how far each may be from what it says, in chips."""
MORE_MINIMISERS = [*(f"{name}:simultaneous" for name in MINIMISERS), "dcfr:1,1,1", "dcfr:2,-1,3"]


@pytest.mark.parametrize("spec", [*(entry.example for entry in GAMES.values()), *MORE_GAMES])
def test_games(spec: str) -> None:
    suites.check_game(make_game(spec))


@pytest.mark.parametrize("name", [*MINIMISERS, *MORE_MINIMISERS])
def test_minimisers(name: str) -> None:
    suites.check_minimiser(minimiser(name))


@pytest.mark.parametrize("boards", [None, flops_of(suites.NINE)], ids=["flop and turn", "flop"])
@pytest.mark.parametrize("name", CARD_ABSTRACTIONS)
def test_card_abstractions(name: str, boards: Any) -> None:
    kind = ABSTRACTIONS.parse(f"{name}:5" if usage(CARD_ABSTRACTIONS[name]) else name)
    assert ABSTRACTIONS.parse(str(kind)) == kind
    if name == "ochs" and boards is None:
        with pytest.raises(InputError, match="games that end on the flop"):
            suites.check_card_abstraction(lambda given: make_buckets(given, kind))
        return
    suites.check_card_abstraction(lambda given: make_buckets(given, kind), boards)


def test_a_card_abstraction_with_fewer_buckets_before_the_flop() -> None:
    suites.check_card_abstraction(
        lambda boards: cluster(boards, 2, preflop=3, groups=2, remember=True), flops_of(suites.NINE)
    )


@pytest.mark.parametrize("name", OPPONENTS)
def test_opponents(name: str) -> None:
    kind = OPPONENTS[name]
    words = usage(kind).lstrip(":")
    model = MODELS.parse(WORDS.get(name, f"{name}:{words}" if words else name))
    seeded = "seed" in kind.__dataclass_fields__
    suites.check_opponent(replace(model, seed=3) if seeded else model)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    kind = METHODS[name]
    dial = {"p": 0.5, "alpha": 0.5, "max_exploitability": 0.05}
    words: dict[str, Any] = {kind.DIAL: dial[kind.DIAL]} if kind.DIAL else {}
    if kind.looks_ahead():
        words["look"] = cp.LookAhead(depth=1, leaf="portfolio:uniform;nash" if name == "abd" else None)
    suites.check_method(kind(**words))


@pytest.mark.parametrize("name", LEAF_VALUES)
def test_leaf_values(name: str) -> None:
    suites.check_leaf_value(*STATED[name])


class Toss:
    """A coin is tossed, player 0 sees it and bets or not, player 1 does not and calls or not."""

    name = "toss"

    def root(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return (cp.CHANCE, 0, 1, cp.TERMINAL)[len(state)]

    def actions(self, state: tuple[str, ...]) -> list[str]:
        return ["heads", "tails"] if not state else ["yes", "no"]

    def chance(self, state: tuple[str, ...]) -> list[float]:
        return [0.5, 0.5]

    def child(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def infoset(self, state: tuple[str, ...], player: int) -> str:
        return state[0] if player == 0 else state[1]

    def utility(self, state: tuple[str, ...]) -> float:
        coin, bet, call = state
        won = 1.0 if coin == "heads" else -1.0
        return won * (2.0 if bet == call == "yes" else 1.0)


BROKEN = {
    "payoffs": {"utility": lambda *_: float("nan")},
    "chance": {"chance": lambda *_: [0.5, 0.6]},
    "names": {"action_name": lambda *_: "same"},
    "menus": {
        "actions": lambda _, state: ["yes", "no"][: 1 if state == ("no", "no") else 2],
        "infoset": lambda *_: "x",
    },
    "recall": {"player": lambda _, state: (cp.CHANCE, 0, 0, cp.TERMINAL)[len(state)], "infoset": lambda *_: "x"},
}


@pytest.mark.parametrize("members", BROKEN.values(), ids=BROKEN)
def test_games_that_break_a_promise_are_found(members: dict[str, Any]) -> None:
    suites.check_game(Toss())
    with pytest.raises(AssertionError):
        suites.check_game(type("Broken", (Toss,), members)())


def test_a_minimiser_that_does_not_converge_is_found() -> None:
    with pytest.raises(AssertionError):
        suites.check_minimiser(Minimiser("forgetful", alpha=-5.0, beta=-5.0))


def test_a_card_abstraction_that_depends_on_suits_is_found() -> None:
    def by_first_card(boards: Any) -> Any:
        blind = OneLane(boards.classes)
        blind.sizes_on = lambda street: np.array([1 if street == 0 else 52])  # type: ignore[method-assign]
        blind.lanes_on = lambda board: (0, boards.deck.hands[board.hand, 0].astype(np.uint32))  # type: ignore[method-assign]
        return blind

    with pytest.raises(AssertionError):
        suites.check_card_abstraction(by_first_card)
