"""A network as a policy of a game written as rules (see `games.policy`)."""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

from counterplay.games import kernel_rules as hooks
from counterplay.games.kernel_rules import State, rule
from counterplay.networks.layers import Layers, propagate
from counterplay.networks.stack_memory import MOST, stack_singles
from counterplay.treeplex import simd

_player, _observe = hooks.player, hooks.observe


class LearnedPolicy(NamedTuple):
    """Actions with the softmax of a network's outputs, which are numbered by the actions' codes.

    Attributes:
        layers: the network.
    """

    layers: Layers


@rule
def weigh(policy: Any, rules: Any, state: State, legal: Any, n: int, odds: Any) -> None:
    known = stack_singles(policy.layers.sizes[0])
    for k in range(len(known)):
        known[k] = 0.0
    _observe(rules, state, _player(rules, state), known)
    source, target = simd.pointer(known), simd.pointer(stack_singles(MOST))
    if propagate(policy.layers, source, target):
        source = target
    most = simd.get(source, legal[0])
    for k in range(1, n):
        most = max(most, simd.get(source, legal[k]))
    for k in range(n):
        odds[k] = exp(simd.get(source, legal[k]) - most)
