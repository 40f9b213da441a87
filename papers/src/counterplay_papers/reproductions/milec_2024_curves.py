"""Milec et al. 2024, figures 5 to 7 and 11 to 15 and appendix D: depth-limited responses by opponent, depth and p.

The figures print no numbers. SES looks five levels ahead, the most that the paper lets it (appendix G: "we only use the
highest step value of 5"), or to the end of the round; its alpha is p (appendix H).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from counterplay import BNE, BR, CDBR, CDBRNE, CDRNR, LBR, RNR, SES, LookAhead, Method, opponent
from counterplay.lookahead.decisions import SearchState, decision_groups
from counterplay.lookahead.search import JOINT
from counterplay.lookahead.step import decide_group, without_model
from counterplay.responses.matchup import Matchup, local_best_response, search_all_decisions
from counterplay.responses.method import Outcome
from counterplay_papers.experiment import (
    MILEC_2024,
    AnyCell,
    Derived,
    Experiment,
    field,
    follows,
    grid,
    largest,
    never_less,
)  # fmt: skip
from counterplay_papers.panels import Panel
from counterplay_papers.responses import (
    CFR,
    CFR_PLUS,
    GAIN,
    MEASURES,
    RANDOM,
    ResponseCell,
    Way,
    Ways,
    game,
    lines,
    tradeoffs,
)  # fmt: skip

_GAMES = {"leduc": "leduc", "goofspiel 5": "goofspiel:5", "liar's dice 1x4": "liars_dice:1,4,wild=false"}


VS_LBR_FAMILIES = (CFR, CFR_PLUS, RANDOM)
_LBR: dict[str, Way] = {"LBR": LBR(), "LBR (no range update)": partial(local_best_response, update_range=False)}


def cdbr_vs_lbr() -> Experiment:
    """Figures 6 and 7: gain of depth-limited and of local best responses; a row of panels for each game.

    The paper says only that the weak opponents are made by a few iterations of CFR. Both families that this may mean are
    shown: vanilla CFR, and CFR+ with simultaneous updates, against which LBR that does not update the opponent's range stops
    gaining before 34 iterations, as the paper says of LBR.
    """
    cells: list[AnyCell] = []
    panels: list[list[Panel]] = []
    for name, spec in _GAMES.items():
        ways = {
            "BR": BR(),
            **(_LBR if spec == "leduc" else {}),
            **{f"CDBR{n}": CDBR(look=LookAhead(n)) for n in (1, 3, 5)},
        }
        panels.append([])
        for family in VS_LBR_FAMILIES:
            more, drawn = lines(name, spec, family, ways, [GAIN])
            cells += more
            panels[-1] += drawn
    title = "gain against averages after N iterations, and against random opponents"
    return Experiment("cdbr-vs-lbr", title, f"{MILEC_2024}, figures 6 and 7", 4, cells, panels)


LEDUC_FAMILIES = (CFR, RANDOM)
LEDUC_TRUST, _LEDUC_QUICK = (0.1, 0.3, 0.5, 0.8), (0.1, 0.5)
_LATE = ("CDRNR VF",)
"""Columns that take half a minute for each number: 1,000 iterations, in each of which the value function iterates 500 times.
They are computed for the fewer p, and left out by `--quick`."""
_LEDUC_WAYS: Ways = {
    "BR": lambda _: BR(),
    "BNE": lambda _: BNE(),
    "RNR": lambda p: RNR(p),
    "CDBR-NE": lambda p: CDBRNE(p, LookAhead(1)),
    "SES": lambda p: SES(alpha=p, look=LookAhead(5)),
    "CDRNR": lambda p: CDRNR(p, LookAhead(1)),
    "CDRNR VF": lambda p: CDRNR(p, LookAhead(1, leaf="cfr:500")),
}


def cdrnr_leduc() -> Experiment:
    """Figure 5: gain and exploitability in Leduc; a column of panels for each p, gain above and exploitability below.

    The text says that SES "performs poorly", which we read as no more gain than CDRNR's, and that it is almost not
    exploitable.
    """
    cells: list[AnyCell] = []
    panels: list[list[Panel]] = []
    reason = "the best equilibrium wins more, too: p is too small to pay for leaving it"
    for family in LEDUC_FAMILIES:
        above: list[Panel] = []
        below: list[Panel] = []
        for p in LEDUC_TRUST:
            slow = p not in _LEDUC_QUICK
            ways = {name: way(p) for name, way in _LEDUC_WAYS.items() if name not in _LATE or not slow}
            more, (gain, risk) = lines("leduc", "leduc", family, ways, MEASURES, f"p={p:g}", slow, _LATE)
            name, rows = f"leduc, {family.name}, p={p:g}", tuple(gain.rows)
            claim = never_less(f"{name}: CDRNR gains no less than SES", rows, "CDRNR gain", "SES gain", reason)
            cells += [*more, claim, largest(name, rows, "SES exploitability")]
            above.append(gain)
            below.append(risk)
        panels += [above, below]
    title = (
        "gain and exploitability in Leduc against averages after N iterations, and against random opponents; depth 1"
    )
    return Experiment("cdrnr-leduc", title, f"{MILEC_2024}, figure 5", 4, cells, panels)


STEPS_GAMES = {name: _GAMES[name] for name in ("goofspiel 5", "leduc", "liar's dice 1x4")}
STEPS_OPPONENTS, _STEPS_QUICK = ("cfr:5", "cfr:20", "random:1", "random:2"), ("random:1",)
STEPS_TRUST, _STEPS_FEW = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9), (0.3, 0.7)
_STEPS_WAYS: Ways = {
    "RNR": lambda p: RNR(p),
    "CDRNR1": lambda p: CDRNR(p, LookAhead(1)),
    "CDRNR3": lambda p: CDRNR(p, LookAhead(3)),
    "CDRNR5": lambda p: CDRNR(p, LookAhead(5)),
    "SES5": lambda p: SES(alpha=p, look=LookAhead(5)),
}
_ROUND_WAYS: Ways = {
    "CDRNR round": lambda p: CDRNR(p, LookAhead("round")),
    "SES round": lambda p: SES(alpha=p, look=LookAhead("round")),
}
"""Columns of Leduc alone, which figure 13 splits by the round."""


def cdrnr_steps() -> Experiment:
    """Figures 11 to 14: CDRNR of several depths against RNR and SES over p; a row of panels for each game.

    SES "performs poorly" beside CDRNR, which we read as: gains no more at equal p; and the exploitability of both.
    """
    cells: list[AnyCell] = []
    panels = []
    reason = "with a small p both play nearly an equilibrium, and SES happens to find one that wins more"
    for name, spec in STEPS_GAMES.items():
        ways = {**_STEPS_WAYS, **(_ROUND_WAYS if spec == "leduc" else {})}
        more, drawn = tradeoffs(
            name,
            spec,
            STEPS_OPPONENTS,
            ways,
            STEPS_TRUST,
            lambda one, p: one not in _STEPS_QUICK or p not in _STEPS_FEW,
        )
        rows = tuple(row for panel in drawn for row in panel.rows)
        claim = never_less(f"{name}: CDRNR5 gains no less than SES5", rows, "CDRNR5 gain", "SES5 gain", reason)
        cells += [*more, claim, *(largest(name, rows, f"{one} exploitability") for one in ("SES5", "CDRNR5"))]
        panels.append(drawn)
    title = "gain over exploitability of CDRNR by depth, p from 0.1 to 0.9"
    return Experiment("cdrnr-steps", title, f"{MILEC_2024}, figures 11 to 14", 4, cells, panels)


_LARGE, _LARGE_OPPONENT, _LARGE_SOLVER, _LARGE_TRUST = "goofspiel:6", "cfr:3", "pdcfr+", (0.1, 0.3, 0.5, 0.8)


def cdrnr_goofspiel6() -> Experiment:
    """Appendix D: the large experiment, Goofspiel 6 against the average of three iterations of CFR.

    The paper says that it ran it, and prints neither table nor numbers. Equilibria and responses are iterated, not exact:
    PDCFR+ stops at 1e-5 of the span of payoffs. The value of the game is 0 by symmetry.
    """
    rows: dict[str, tuple[Method, float]] = {"BR": (BR(), 1.0)}
    for p in _LARGE_TRUST:
        rows |= {f"RNR, p={p:g}": (RNR(p), p), f"CDRNR5, p={p:g}": (CDRNR(p, LookAhead(5)), p)}
        rows[f"SES5, p={p:g}"] = SES(alpha=p, look=LookAhead(5)), p
    columns = {measure: measure for measure in MEASURES}
    cells: list[AnyCell] = [
        *grid(rows, columns, lambda way, measure: field(measure, _large, *way), lambda way, _: way[0] != BR()),
        *(
            Derived(
                f"CDRNR5 less SES5, p={p:g}", GAIN, (f"CDRNR5, p={p:g}", f"SES5, p={p:g}"), (GAIN,),
                lambda found: found[GAIN][0] - found[GAIN][1],
            ) for p in _LARGE_TRUST
        ),
    ]  # fmt: skip
    title, measure = (
        f"Goofspiel 6 against {_LARGE_OPPONENT}: gain and exploitability (points)",
        "gain, exploitability (points)",
    )
    return Experiment("cdrnr-goofspiel6", title, f"{MILEC_2024}, appendix D", 4, cells, measure=measure)


RPS_TRUST = tuple(step / 20 for step in range(21))
_RPS_FEW, _RPS_OPPONENT = RPS_TRUST[::2], "random:1"
_EXP_STRAT = "Exp-strat"
_RPS_WAYS: Ways = {
    "RNR": lambda p: RNR(p),
    "CDRNR": lambda p: CDRNR(p, LookAhead(1)),
    "resolving": lambda p: CDRNR(p, LookAhead(1, gadget="resolving")),
    "max-margin": lambda p: CDRNR(p, LookAhead(1, gadget="max-margin")),
    "SES": lambda p: SES(alpha=p, look=LookAhead(1)),
    "CDBR-NE": lambda p: CDBRNE(p, LookAhead(1)),
    _EXP_STRAT: lambda p: partial(exploit_later_rounds, p),
}


def rps() -> Experiment:
    """Figure 15: two rounds of biased rock-paper-scissors; depth 1 is the move and the answer of a round.

    The paper prints neither its opponent nor numbers; the opponent here is ours. It does not say what the series Exp-strat
    is, only that it exploits the second round alone and gains half of the maximum. Ours gains half of the maximum where the
    opponent errs in both rounds alike.
    """
    cells, panels = tradeoffs("rps 2", "rps:2", [_RPS_OPPONENT], _RPS_WAYS, RPS_TRUST, lambda _, p: p not in _RPS_FEW)
    rows: Sequence[str] = tuple(panels[0].rows)
    best, exact = f"{_EXP_STRAT} gain", "RNR gain"
    claims = [
        Derived(
            "SES never gains: largest", "SES gain", rows, ("SES gain",), lambda found: max(found["SES gain"]), follows(0.0),
            "SES keeps to an equilibrium, whose value is that of the game",
        ),
        Derived(
            "Exp-strat gains half of the maximum", "% of RNR's largest gain", rows, (best, exact),
            lambda found: 100.0 * max(found[best]) / max(found[exact]), follows(50.0),
            "the opponent is ours, and does not err in both rounds alike",
        ),
    ]  # fmt: skip
    title = f"two-round biased rock-paper-scissors against {_RPS_OPPONENT} (an opponent of ours: the paper prints none)"
    return Experiment("rps", title, f"{MILEC_2024}, figure 15", 4, [*cells, *claims], [panels])


def exploit_later_rounds(p: float, match: Matchup) -> Outcome:
    """Exp-strat as we read it: the first decision is an equilibrium's, the later ones are CDRNR's."""
    search = search_all_decisions(match, LookAhead(1, solve=JOINT), p)
    chain = SearchState(match.game, match.seat, search, match.model)
    for unit in decision_groups(match.game, match.seat, search.depth, search.joint):
        first = unit.decisions[0].before is None
        decide_group(chain, unit, without_model(search) if first else search)
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(search.method))


@cache
def _large(method: Method, dial: float) -> ResponseCell:
    """A response in Goofspiel 6."""
    tree = game(_LARGE)
    pair = Matchup(tree, opponent(tree, _LARGE_OPPONENT, player=1), solver=_LARGE_SOLVER)
    found = method.in_game(tree).response(pair, dial)
    if found.interrupted:
        raise KeyboardInterrupt
    return ResponseCell(pair.value_against_model(found.plan), -pair.guarantee(found.plan))
