"""Agents of Flop Hold'em: what they win from a shuffled opponent and what they risk, in milli-big-blinds a hand, means over
both seats. About an hour for all of `AGENTS`; texts on the command line are measured instead:

    .venv/bin/python benchmarks/fhp_agents.py "cdrnr:p=0.5,to=MODEL"

Flops solved one by one are 40 drawn ones, with standard errors; behind the full gadget all are solved, and nothing is drawn.
Seconds are processor time of a flop after one betting, or wall time of all flops behind the full gadget.
"""

from __future__ import annotations

import sys
from time import perf_counter

from common import table
from counterplay.agents.factory.whole_games import search_settings
from counterplay.agents.records import SearchBot
from counterplay.agents.worlds.whole_game import SearchSettings
from counterplay.blueprints.whole_game.portfolio_look_ahead import look_ahead_preflop
from counterplay.blueprints.whole_game.whole_game_plans import JointSolve
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.row_models import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.response_on_flops import draw_flops
from counterplay_papers.refined_flops import SampleBasis, measure_sample, sample_basis, search_all_flops

MODEL, FLOPS = "shuffle:0.7,1:blueprint", 40
_BIASES = "portfolio:blueprint;bias:raise=3:blueprint;bias:fold=3:blueprint;bias:call=3:blueprint"
_BEST = "portfolio:blueprint;br:MODEL;br:br:MODEL"
_ALL = "gadget=full,iterations=60"
AGENTS = (
    "resolve", "resolve:gadget=max-margin", "resolve:gadget=unsafe", f"resolve:{_ALL}", "ses:alpha=0.5,to=MODEL",
    "cdrnr:p=0.2,to=MODEL", "cdrnr:p=0.5,to=MODEL", "cdrnr:p=0.5,gadget=unsafe,to=MODEL", f"cdrnr:p=0.5,{_ALL},to=MODEL",
    f"abd:p=0.5,leaf=[{_BIASES}],to=MODEL", f"abd:p=0.5,{_ALL},leaf=[{_BIASES}],to=MODEL",
    f"abd:p=0.2,leaf=[{_BEST}],to=MODEL", f"abd:p=0.5,leaf=[{_BEST}],to=MODEL",
    f"abd:p=0.5,{_ALL},leaf=[{_BEST}],to=MODEL", "cdbr:to=MODEL",
)  # fmt: skip


def main() -> None:
    texts = sys.argv[1:] if sys.argv[0].endswith("fhp_agents.py") else []
    game = read_holdem("fhp").game
    model = strategy_of(game, MODEL)
    rows = [(text, *_measured(game, text.replace("MODEL", MODEL), model)) for text in texts or AGENTS]
    table(f"Against {MODEL} (MODEL)", ("agent", "wins", "±", "exploitability", "±", "s"), rows)


def _measured(game: HoldemGame, text: str, model: BlueprintStrategy) -> tuple[float, ...]:
    """Wins and exploitability with their standard errors, and seconds."""
    asked = search_settings(game, SearchBot.from_text(text), 0)
    bases = [_base(game, asked, seat) for seat in (0, 1)]
    if asked.search.frees_the_opponent:
        begin = perf_counter()
        standing = [StandingDecisions(game, me, bases[me]) for me in (0, 1)]
        joint = [JointSolve(game, one, asked.model, asked.search).advance().play for one in standing]
        seconds = perf_counter() - begin
        won = (value(game, joint[0], model) - value(game, model, joint[1])) / 2
        lost = sum(best_response_value(game, play, 1 - me) for me, play in enumerate(joint)) / 2
        return won * game.milli, 0.0, lost * game.milli, 0.0, seconds / 2
    flops = draw_flops(game.boards, FLOPS)
    one, two = (
        search_all_flops(game, bases[me], me, asked.model, flops.numbers, asked.search, profile=asked.profile)
        for me in (0, 1)
    )
    facts = [sample_basis(game, base, model) for base in bases]
    both = SampleBasis(
        *((getattr(facts[0], part)[0], getattr(facts[1], part)[1]) for part in ("value", "below", "early"))
    )
    found = measure_sample(game, both, (one, two), model, flops)
    return (
        found.evaluation, found.evaluation_error, found.exploitability, found.exploitability_error,
        (one.seconds + two.seconds) / 2 / len(game.entries),
    )  # fmt: skip


def _base(game: HoldemGame, asked: SearchSettings, seat: int) -> BlueprintStrategy:
    """What flops are solved again from."""
    if asked.ahead is None:
        return asked.blueprint
    search, ways = asked.ahead
    return look_ahead_preflop(game, asked.blueprint, seat, asked.model, ways, search).play


if __name__ == "__main__":
    main()
