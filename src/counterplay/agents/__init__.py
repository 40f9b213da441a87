"""Agents: players that see the text of their infoset and return the text of an action.

Door: `factory.make_agent.agent`, which makes one from a record or its text.

Registry: `REGISTRY` here, name to class; `other_agent` handles the rest.
"""

from __future__ import annotations

from typing import Any

from counterplay.agents.records import (
    AGENTS,
    AgentRecord,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
    SwitchingBot,
)
from counterplay.opponents.model import OpponentModel
from counterplay.responses.method import Method
from counterplay.treeplex.strategy import Strategy

REGISTRY: dict[str, type[AgentRecord]] = {
    **dict.fromkeys(("resolve", "cdbr", "cdrnr", "abd", "ses", "cdbr-ne"), SearchBot),
    **dict.fromkeys(("br", "mix", "dbr", "rnr", "safe", "bne", "lbr"), ResponseBot),
    LearningBot.HEAD: LearningBot,
    SwitchingBot.HEAD: SwitchingBot,
}
"""Agents by the first word of their text; `other_agent` handles other texts and objects."""


def other_agent(source: Any) -> AgentRecord | None:
    """The agent of an opponent's text, of a model, of a strategy, or of a method that needs no model."""
    if isinstance(source, Method):
        return SearchBot(source) if source.looks_ahead() else ResponseBot(source)
    return StrategyBot(source) if isinstance(source, str | OpponentModel | Strategy) else None


AGENTS.bind(REGISTRY, other_agent)
