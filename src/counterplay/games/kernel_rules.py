"""Games as kernels: a record of integers plus jitted functions over an array, compiled into one generator.

Such a module holds a `NamedTuple` of parameters (its *rules*) and functions. The first five are jitted; those from
`public_label` on are optional:

    start(rules, state)                       write the first state (an int64 array of `rules.size` zeros) in place;
                                              `start_empty` leaves the zeros
    player(rules, state) -> int               0, 1, CHANCE or TERMINAL
    actions(rules, state, out, chance) -> n   write the n action codes to out and, where chance acts, probabilities
    step(rules, state, action, seen)          play in place; seen[i] = what player i observes, from 1 to 2^23 - 1, or 0
    utility(rules, state) -> float            chips of player 0 at a terminal state
    infoset_label(rules, state, player)       plain Python: the player's knowledge, as text
    action_label(rules, state, action)        plain Python: the action, as text
    public_label(rules, state)                plain Python: common knowledge at a non-terminal state, as text
    stop(rules, state) -> bool                plain Python: whether a look-ahead of depth `game` stops here
    picture(rules, state, player) -> str      plain Python: the infoset drawn for a human player
    observe(rules, state, player, out)        jitted: what the player knows, as numbers for a network; `out` holds zeros
    network_sizes(rules) -> (numbers, moves)  plain Python: how many numbers; players' action codes are less than `moves`
    public_numbers(rules, state) -> numbers   plain Python: common knowledge, as numbers for a network of values
    private_number(rules, state, player) -> n plain Python: what the player alone knows, numbered from 0; states with equal
                                              public and private numbers are the same game below, up to names
    value_sizes(rules) -> (numbers, privates) plain Python: how many numbers; private numbers are less than `privates`
    FIELDS                                    texts: the names of a state's numbers, in order

A player always knows their own actions and everything in `seen[player]`, in order: perfect recall holds by
construction. The public text may say less than common knowledge but never more: it must not show that player 0 has made
a secret move if `seen[1]` is 0 there. The rules have a `name` and three numbers for allocation: `size` of a state, and
upper bounds `branching` and `depth`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numba.extending import overload

from counterplay.arrays import F32, F64, I64
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.jit import kernel

State = I64


def _target(rules: Any, name: str) -> Any:
    """The function `name` in the module of a rules type, resolved at compile time."""
    return getattr(sys.modules[rules.instance_class.__module__], name)


def start(rules: Any, state: Any) -> Any: ...
def player(rules: Any, state: Any) -> Any: ...
def utility(rules: Any, state: Any) -> Any: ...
def actions(rules: Any, state: Any, out: Any, chance: Any) -> Any: ...
def step(rules: Any, state: Any, action: Any, seen: Any) -> Any: ...
def observe(rules: Any, state: Any, player: Any, out: Any) -> Any: ...


_PASSED_ON = {"no_cfunc_wrapper": True, "_nrt": False}


# Written out with their arguments: `*args` would build a tuple, and pay reference counts, at every call.
def _of_state(hook: Callable[..., Any]) -> None:
    name = hook.__name__

    @overload(hook, jit_options=_PASSED_ON, strict=False)
    def resolve(rules: Any, state: Any) -> Any:
        target = _target(rules, name)
        return lambda rules, state: target(rules, state)


for _hook in (start, player, utility):
    _of_state(_hook)


@overload(actions, jit_options=_PASSED_ON, strict=False)
def _actions(rules: Any, state: Any, out: Any, chance: Any) -> Any:
    target = _target(rules, "actions")
    return lambda rules, state, out, chance: target(rules, state, out, chance)


@overload(step, jit_options=_PASSED_ON, strict=False)
def _step(rules: Any, state: Any, action: Any, seen: Any) -> Any:
    target = _target(rules, "step")
    return lambda rules, state, action, seen: target(rules, state, action, seen)


@overload(observe, jit_options=_PASSED_ON, strict=False)
def _observe(rules: Any, state: Any, player: Any, out: Any) -> Any:
    target = _target(rules, "observe")
    return lambda rules, state, player, out: target(rules, state, player, out)


def module_of(rules: Any) -> ModuleType:
    """The module that holds the functions of these rules."""
    return sys.modules[type(rules).__module__]


class FastGame:
    """A game written as rules, behind the same protocol as every other game; its states are int64 arrays."""

    augmented = True

    def __init__(self, name: str, rules: Any) -> None:
        self.name = name
        self.rules = rules
        self._module = module_of(rules)
        # Compiled code is identified by the names of its types: two classes of one name and length would share it.
        kind, prefix = type(rules), type(rules).__module__.replace(".", "_") + "_"
        if not kind.__name__.startswith(prefix):
            kind.__name__ = prefix + kind.__name__
        if hasattr(self._module, "stop"):
            self.stop = lambda state: bool(self._module.stop(rules, state))
        if hasattr(self._module, "picture"):
            self.picture = lambda state, player: str(self._module.picture(rules, state, player))

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> State:
        state = np.zeros(self.rules.size, np.int64)
        self._module.start(self.rules, state)
        return state

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the numbers of a state; unnamed ones get their index."""
        names: tuple[str, ...] = tuple(getattr(self._module, "FIELDS", ()))
        return (*names, *(str(place) for place in range(len(names), self.rules.size)))

    def player(self, state: State) -> int:
        return int(self._module.player(self.rules, state))

    def legal(self, state: State) -> tuple[I64, F64]:
        """(n,) codes of the legal actions and, where chance acts, their (n,) probabilities."""
        codes, chance = np.zeros(self.rules.branching, np.int64), np.zeros(self.rules.branching)
        n = self._module.actions(self.rules, state, codes, chance)
        return codes[:n], chance[:n]

    def actions(self, state: State) -> list[int]:
        return self.legal(state)[0].tolist()  # type: ignore[no-any-return]

    def chance(self, state: State) -> list[float]:
        return self.legal(state)[1].tolist()  # type: ignore[no-any-return]

    def child(self, state: State, action: int) -> State:
        after = state.copy()
        self._module.step(self.rules, after, action, np.zeros(2, np.int64))
        return after

    def infoset(self, state: State, player: int) -> str:
        return str(self._module.infoset_label(self.rules, state, player))

    def action_name(self, state: State, action: int) -> str:
        return str(self._module.action_label(self.rules, state, action))

    def public(self, state: State) -> str:
        """Common knowledge at a non-terminal state; an `InputError` if the rules have no `public_label`."""
        label = getattr(self._module, "public_label", None)
        if label is None:
            raise InputError(f"{self.name}: the rules have no function public_label, which gives the public state")
        return str(label(self.rules, state))

    def utility(self, state: State) -> float:
        return float(self._module.utility(self.rules, state))

    @property
    def network_sizes(self) -> tuple[int, int]:
        """Count of the numbers of `observe`, and a bound above the codes of the players' actions."""
        return self._sizes(
            "network_sizes",
            "the rules have no function observe, which says in numbers what a player knows; add observe and network_sizes",
        )

    @property
    def value_sizes(self) -> tuple[int, int]:
        """Count of the numbers of `public_numbers`, and a bound above every private number."""
        return self._sizes(
            "value_sizes",
            "the rules have no function public_numbers, which describes public states to a network of values; add "
            "public_numbers, private_number and value_sizes",
        )

    def _sizes(self, name: str, lack: str) -> tuple[int, int]:
        """Two numbers that rules for networks state; lack: the sentence about rules that do not."""
        sizes = getattr(self._module, name, None)
        if sizes is None:
            raise InputError(f"{self.name}: {lack} to them, as games/kuhn.py has them")
        numbers, bound = sizes(self.rules)
        return int(numbers), int(bound)

    def public_numbers(self, state: State) -> F32:
        """(numbers,) common knowledge."""
        return np.array(self._module.public_numbers(self.rules, state), np.float32)

    def private_number(self, state: State, player: int) -> int:
        """A player's private knowledge, numbered."""
        return int(self._module.private_number(self.rules, state, player))


rule = kernel(inline=True)
"""Decorator of the jitted functions of a game."""


@rule
def start_empty(rules: Any, state: State) -> None:
    """The `start` of rules whose first state is all zeros."""
    state[:] = 0
