"""Milec et al. 2024, figure 15: gain over exploitability in two rounds of biased rock-paper-scissors.

The paper prints neither its opponent nor numbers; the opponent here is ours. It does not say what the series Exp-strat is,
only that it exploits the second round alone and gains half of the maximum. Ours keeps an equilibrium in the first round and
is CDRNR in the second; it gains half of the maximum where the opponent errs in both rounds alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from counterplay import CDBRNE, CDRNR, RNR, SES, LookAhead
from counterplay.lookahead.decisions import decision_groups
from counterplay.lookahead.off_path import without_model
from counterplay.lookahead.search import JOINT
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group
from counterplay.responses.matchup.any_matchup import Outcome
from counterplay.responses.matchup.depth_limited import search_all_decisions
from counterplay.responses.matchup.matchup import Matchup
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import Way
from counterplay_papers.cells.tradeoffs import tradeoffs
from counterplay_papers.experiment import Cell, Derived, Experiment, follows

_OPPONENT = "random:1"
_TRUST = tuple(step / 20 for step in range(21))
_FEW = _TRUST[::2]

_EXP_STRAT = "Exp-strat"
_OTHER_OPPONENT = "the opponent is ours, and does not err in both rounds alike"

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "CDRNR": lambda p: CDRNR(p, LookAhead(1)),
    "resolving": lambda p: CDRNR(p, LookAhead(1, gadget="resolving")),
    "max-margin": lambda p: CDRNR(p, LookAhead(1, gadget="max-margin")),
    "SES": lambda p: SES(alpha=p, look=LookAhead(1)),
    "CDBR-NE": lambda p: CDBRNE(p, LookAhead(1)),
    _EXP_STRAT: lambda p: partial(exploit_later_rounds, p),
}


def experiment() -> Experiment:
    """One panel; depth 1 is the move and the answer of a round."""
    cells: list[Cell | Derived] = []
    more, panel = tradeoffs("rps 2", "rps:2", [_OPPONENT], _METHODS, _TRUST, lambda _, p: p not in _FEW)
    rows = panel[0].rows
    reason = "SES keeps to an equilibrium, whose value is that of the game"
    paper = Derived(
        "SES never gains: largest", "SES gain", rows, ("SES gain",), lambda x: max(x["SES gain"]), follows(0.0), reason
    )
    cells += [*more, paper, _half_of_the_maximum(rows)]
    title = f"two-round biased rock-paper-scissors against {_OPPONENT} (an opponent of ours: the paper prints none)"
    return Experiment("rps", title, f"{paper_sources.CDRNR}, figure 15", 4, cells, [panel])


def exploit_later_rounds(p: float, match: Matchup) -> Outcome:
    """Exp-strat as we read it: the first decision is an equilibrium's, the later ones are CDRNR's."""
    search = search_all_decisions(match, LookAhead(1, solve=JOINT), p)
    chain = SearchState(match.game, match.seat, search, match.model)
    for unit in decision_groups(match.game, match.seat, search.depth, search.joint):
        first = unit.decisions[0].before is None
        decide_group(chain, unit, without_model(search) if first else search)
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(search.method))


def _half_of_the_maximum(rows: Sequence[str]) -> Derived:
    """The largest gain of Exp-strat, in percent of that of RNR."""
    columns = (f"{_EXP_STRAT} gain", "RNR gain")
    return Derived(
        "Exp-strat gains half of the maximum", "% of RNR's largest gain", rows, columns,
        lambda found: 100.0 * max(found[columns[0]]) / max(found[columns[1]]), follows(50.0), _OTHER_OPPONENT,
    )  # fmt: skip
