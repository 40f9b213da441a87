"""Agents of Flop Hold'em from a short text."""

from __future__ import annotations

from dataclasses import replace

from counterplay.agents.agent import UniformAgent
from counterplay.agents.options import Options
from counterplay.agents.player import Player
from counterplay.agents.whole_game.agents import BlueprintAgent, FlopSearchAgent, FullGadgetAgent, LBRAgent
from counterplay.agents.whole_game.search_settings import SEARCHES, SearchSettings, parse_settings
from counterplay.blueprints.whole_game.preflop_lookahead import look_ahead_preflop
from counterplay.catalogue import heads
from counterplay.errors import InputError, UnknownError, unknown
from counterplay.opponents.whole_game import GRAMMAR, check_strategy, strategy_of
from counterplay.poker.whole_game.rules import Holdem

LBR = "lbr"


def fhp_agent(rules: Holdem, text: str, seat: int, seed: int, draws: int, memory: float | None = None) -> Player:
    """The agent of a text.

    Args:
        rules: rules of the game.
        text: one of `strategies.GRAMMAR`; or `resolve`, `ses`, `cdbr`, `cdrnr`, `abd` or `lbr` with options, as in
            `cdrnr:p=0.5,gadget=resolving,seconds=0.1,to=shuffle:0.3:blueprint` (see `search_settings.parse_settings`).
        seat: 0 (big blind) or 1 (button).
        seed: seed of random opponents and models.
        draws: seed of the agent's draws.
        memory: limit in bytes of its searches; by default half of the machine's memory.

    Raises:
        InputError: an unknown agent or option.
    """
    if seat not in (0, 1):
        raise InputError(f"an agent's seat must be 0 or 1, not {seat}")
    check_text(rules, text, memory)
    head = text.partition(":")[0]
    if text == "uniform":
        return UniformAgent(seat, draws)
    if head in SEARCHES:
        return _searching(rules, parse_settings(rules.game, Options.read(text), seed, memory), seat, draws)
    if head == LBR:
        options = Options.read(text)
        options.allow(("to",))
        return LBRAgent(rules, strategy_of(rules.game, options.model(), seed), seat, draws)
    return BlueprintAgent(rules, strategy_of(rules.game, text, seed), seat, draws, text)


def check_text(rules: Holdem, text: str, memory: float | None = None) -> None:
    """Reject, before anything is solved, a text that names no agent; arguments and errors as in `fhp_agent`."""
    head = text.partition(":")[0]
    if head in (*SEARCHES, LBR) and rules.limits.last > 1:
        raise InputError(f"{head} plays games that end on the flop, and {rules.name} goes on")
    if head in SEARCHES:
        parse_settings(rules.game, Options.read(text), 0, memory, check_strategy)
        return
    if head == LBR:
        options = Options.read(text)
        options.allow(("to",))
        check_strategy(rules.game, options.model())
        return
    try:
        check_strategy(rules.game, text)
    except UnknownError as error:
        if (error.kind, error.name) != ("opponent", text):
            raise
        known, listed = (*heads(GRAMMAR), *SEARCHES, LBR), (*GRAMMAR, *SEARCHES, LBR)
        raise unknown("agent", text, known, listed=listed, where="in Flop Hold'em ") from None


def _searching(rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> Player:
    """The agent that searches each flop, or all at once; with portfolios, from a look-ahead before the flop."""
    if asked.ahead is not None:
        search, ways = asked.ahead
        look = look_ahead_preflop(rules.game, asked.blueprint, seat, asked.model, ways, search, asked.memory)
        if look.solution.interrupted:
            raise KeyboardInterrupt
        asked = replace(asked, blueprint=look.play)
    return (FullGadgetAgent if asked.together else FlopSearchAgent)(rules, asked, seat, draws)
