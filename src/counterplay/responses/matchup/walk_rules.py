"""The rules by which methods choose on a walk over boards, where the opponent is surely the model."""

from __future__ import annotations

from counterplay.errors import InputError
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.walks.make_rule import ADAPTING, LOOK_AHEAD, RULES, RuleSettings
from counterplay.responses.matchup.any_matchup import AnyMatchup, MatchedMethod
from counterplay.value_functions.equity import Equity
from counterplay.value_functions.exact_leaf import ExactLeaf
from counterplay.value_functions.portfolio import Portfolio


def rule_settings(match: AnyMatchup, method: MatchedMethod) -> RuleSettings:
    """How a method chooses on a walk over boards."""
    if method.HEAD not in RULES:
        known = ", ".join(RULES)
        raise InputError(f"over drawn flops there are {known}, and not {method.HEAD}")
    if method.look is None:
        return RuleSettings(method.HEAD)
    if method.HEAD == ADAPTING and method.trust != 1.0:
        raise InputError(f"over drawn flops {ADAPTING} trusts the model: p=1")
    return look_ahead_settings(match, method.HEAD, method.look)


def look_ahead_settings(match: AnyMatchup, name: str, look: LookAhead) -> RuleSettings:
    """How a look-ahead against the model alone chooses."""
    depth = Search(look).depth
    streets = 1 if look.depth is None or str(depth) == "round" else depth.levels
    if not streets:
        raise InputError(f"on a walk over boards a look-ahead sees a number of streets, not {depth}")
    leaf, game, seed = look.leaf, match.game.game, match.seed or 0
    if name == ADAPTING:
        assert isinstance(leaf, Portfolio)
        plays = tuple(strategy_of(game, source, seed) for source in leaf.sources[match.seat])
        return RuleSettings(ADAPTING, streets, continuations=plays)
    if isinstance(leaf, Portfolio):
        one, two = leaf.sources
        if one != two or len(one) != 1:
            raise InputError("on a walk over boards a portfolio has one strategy, by which both players go on")
        return RuleSettings(LOOK_AHEAD, streets, strategy_of(game, one[0], seed))
    if not isinstance(leaf, Equity | ExactLeaf):
        raise InputError(
            f"on a walk over boards a look-ahead ends in equity or portfolio:FILE.cpb, not {look.value_name}"
        )
    return RuleSettings(LOOK_AHEAD, streets)
