"""The forms of agents' texts, refused before there is a game."""

from __future__ import annotations

from counterplay.agents.options import Options
from counterplay.catalogue import METHODS, OPPONENTS
from counterplay.errors import InputError, UnknownError, unknown
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.value_function import check_value
from counterplay.lookahead.priors import prior_of
from counterplay.opponents import REGISTRY
from counterplay.opponents.opponent import check_text
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.gadgets import gadget_of

OPTIONS = (
    "p", "max_exploitability", "gain", "alpha", "depth", "gadget", "prior", "epsilon", "value", "solver", "seconds",
    "iterations", "gap", "expand", "memory", "remember", "budget", "particles", "to",
)  # fmt: skip
"""Of any agent that computes."""


def check_form(text: str) -> None:
    """Refuse a text that no game could make an agent of; what depends on the game is seen when it is there.

    Raises:
        InputError: naming the word, the file or the module.
    """
    head = text.partition(":")[0]
    if head not in METHODS:
        _check_opponent(text)
        return
    options = Options.read(text)
    options.allow(OPTIONS)
    given = options.given
    if "to" in given:
        check_text(given["to"])
    if "gadget" in given:
        gadget_of(given["gadget"])
    if "prior" in given:
        prior_of(given["prior"])
    if "depth" in given:
        Depth.of(given["depth"])
    if given.get("solver", "lp") != "lp":
        minimiser(given["solver"])
    if "value" in given:
        check_value(given["value"])


def no_agent(text: str) -> InputError:
    """The sentence about a text that means no agent."""
    return unknown("agent", text, (*METHODS, *REGISTRY), listed=(*METHODS, *OPPONENTS))


def _check_opponent(text: str) -> None:
    try:
        check_text(text)
    except UnknownError as error:
        raise (no_agent(text) if error.name == text else error) from None
