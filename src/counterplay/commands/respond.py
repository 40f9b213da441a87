"""The commands that respond to a model of the opponent, and that measure a strategy, also on hands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any

import counterplay as cp
from counterplay.commands.model import both_seats, counts_in, public_part, show_hand_prediction, show_prediction
from counterplay.commands.on_flops import SAMPLED, evaluate_on_boards, respond_on_flops
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.printing import (
    iterations_text,
    number,
    report,
    show_coverage,
    show_row_coverage,
    tell_left_out,
    verdict,
)
from counterplay.errors import InputError, quoted
from counterplay.files import RESPONSE, check_writable
from counterplay.lookahead.keywords import DialOptions, LookOptions
from counterplay.option import Option
from counterplay.progress_line import progress_line

_SHOWN = [
    "game", "seat", "method", "variant", "p", "alpha", "p_from", "depth", "gadget", "prior", "leaf", "solve", "steps",
    "game_value", "value_against_model", "gain", "exploitability", "gain_percent", "exploitability_percent", "bound",
    "seconds",
]  # fmt: skip
_IN_WHOLE_GAMES = (
    "iterations", "value_against_model", "blueprint_value", "edge", "edge_against_blueprint", "risk", "exploitability",
    "gap", "seconds",
)  # fmt: skip
_EXACT = "lp is exact and takes no --iterations or --seconds"
_CLOSE = 1e-4
"""The share of the span of payoffs from which on the distance from the optimum is shown."""
_NOT_AN_INTERVAL = "spread over the posterior, not a confidence interval"
_PRIOR_FROM_HANDS = "The prior is a model from hands: the interval holds only if these are others."
_SPREAD, _MOST_DRAWS = 0.95, 100_000
_FROM_HANDS = ("hands by ", "logit with precision ")
"""The beginnings of a model's method where it was made from hands."""


@takes_records("respond leduc --to cfr+:10 --max-exploitability 0.05 -o counter.json")
def respond(
    *,
    game: shared.Spec,
    to: shared.To,
    seat: shared.RespondSeat = shared.Seat.FIRST,
    method: Annotated[
        str | None,
        "One of those below, or its text as in rnr:p=0.5; by default safe, rnr or br: as --max-exploitability, --p or "
        "neither is given.",
    ] = None,
    dial: DialOptions,
    look: LookOptions,
    solver: shared.Solver = "auto",
    precision: shared.Precision = "double",
    seconds: Annotated[float | None, "Stop each iterative solve after so many seconds."] = None,
    iterations: Annotated[
        int | None, Option("Of each solve (1000 over a value function, 5000 over net: at 0 < p < 1).", least=1)
    ] = None,
    posterior: Annotated[
        int | None, Option("Also the spread of the gain over N draws of the posterior (--to hands:...).", metavar="N")
    ] = None,
    drawn: shared.FlopFlags,
    methods: Annotated[str | None, "With --flops: several methods on the same ones, separated by commas."] = None,
    keep: Annotated[bool, "In whole games of hold'em: keep the response even where the blueprint is better."] = False,
    result: shared.ResultFlags,
) -> None:
    """Compute a counter-strategy to a model of the opponent: its gain and exploitability, in whole hold'em edge and risk."""
    from counterplay.responses.methods import method_of
    from counterplay.work.run_work import work_line

    solver = shared.solver_in(solver, precision)
    _check_flops(game, drawn, methods, precision, keep)
    options, limited = {**dial, **look}, not (iterations is None and seconds is None)
    chosen = None if methods is not None else method_of(method, **options)
    walked = drawn.flops is not None and chosen is not None and chosen.HEAD not in SAMPLED
    check_writable(result.output, *((RESPONSE,) if walked else shared.endings_for(game)))
    shared.check_work(drawn)
    shared.check_opponents(game, to)
    tree = shared.load_game(game, result.memory, result.output)
    hands = _model_from_hands(tree, to, posterior)
    if drawn.flops is not None:
        model = cp.opponent(tree, to, 1 - int(seat), result.seed)
        limits = shared.stop_of(0.0, iterations, seconds) if limited else None
        respond_on_flops(tree, model, chosen or str(methods), options, drawn, result, limits, keep=keep)
        return
    pieces, together, chosen = _pieces(game, tree, chosen, drawn, result)
    if limited and solver == "lp":
        raise InputError(_EXACT)
    fine = getattr(tree, "fine", None)
    stop = shared.stop_of(fine or 1e-5 * tree.span, iterations, seconds) if limited else None
    model = cp.opponent(tree, to, 1 - int(seat), result.seed)
    quiet = result.as_json or not together, result.as_json or together  # one of them has something to show
    goal = stop or shared.stop_of(fine)
    settings: dict[str, Any] = {"solver": solver, "stop": stop, "seed": result.seed, **pieces}
    with (
        shared.progress_bar(goal, quiet[0], tree) as progress,
        work_line("solved", quiet[1]) as watch,
        shared.naming_solver(),
    ):
        answer = cp.respond(tree, model, chosen, progress=progress, watch=watch, keep=keep, **settings)
    facts, lines = answer.facts, {"game": f"{answer.game} against {to}"}
    below = verdict(facts)
    if answer.iterations is not None:
        lines["iterations"] = iterations_text(answer.iterations, answer.cut)
    if hands is None:
        below.append(partial(_show_unknown_hands, model, tree))
    else:
        more, shown = _checked_by_hands(tree, hands, answer, posterior, chosen, settings, result)
        facts |= more
        below += shown
    if stop is not None and answer.solver == "lp":
        print(f"{_EXACT}; another --solver does", file=sys.stderr)
    names = [*_SHOWN, "gap"] if answer.gap > _CLOSE * getattr(tree, "span", inf) else _SHOWN
    if answer.edge is not None:
        beside = [name for name in _IN_WHOLE_GAMES if answer.facts.get(name) is not None]
        names = [*_SHOWN[: _SHOWN.index("game_value")], *beside]
    report(tree, facts, names, result, lines=lines, strategies=[answer.strategy], model=model, below=below)


def _check_flops(game: str, drawn: shared.FlopFlags, methods: str | None, precision: str, keep: bool) -> None:
    """Reject options of drawn flops without any, and a precision in whole games."""
    if methods is not None and drawn.flops is None:
        raise InputError("--methods goes with --flops")
    if drawn.blueprint is not None and drawn.flops is None:
        raise InputError("--blueprint goes with --flops")
    if keep and not shared.is_whole_game(game):
        raise InputError("--keep is for whole games of hold'em, where a blueprint may be better than the response")
    if precision != "double" and (drawn.flops is not None or shared.is_whole_game(game)):
        raise InputError("--precision is for games in memory and spots, not for whole games of hold'em")


def _pieces(
    game: str, tree: Any, method: Any, drawn: shared.FlopFlags, result: shared.ResultFlags
) -> tuple[dict[str, Any], bool, Any]:
    """The options by which boards of a whole game are solved, whether all are solved at once, and the method; the cost is
    printed first. Elsewhere only a sampled value function has work for several processes."""
    from counterplay.responses.whole_game import check_whole_game, cost_of_search, solves_together

    if shared.is_whole_game(game):
        check_whole_game(tree, method)
        cost = cost_of_search(tree, method)
        if cost and not result.as_json:
            print(cost, file=sys.stderr)
        return {"record": drawn.record, "workers": drawn.workers}, solves_together(tree, method), method
    leaf: Any = None if method is None or method.look is None else method.look.leaf
    if drawn.record is not None or not hasattr(leaf, "workers"):
        shared.check_no_work(drawn, "--flops, and --workers with --leaf sampled:N:..., too")
        return {}, True, method
    return {}, True, replace(method, look=replace(method.look, leaf=replace(leaf, workers=drawn.workers)))


def _model_from_hands(tree: Any, to: str, samples: int | None) -> cp.HandsModel | None:
    """The model of a text `hands:...` in a game in memory, without which there is no posterior to sample; None for other
    opponents and games."""
    from counterplay.opponents.model import MODELS

    from_hands = to.startswith(f"{cp.HandsModel.HEAD}:")
    model = MODELS.parse(to) if from_hands and getattr(tree, "lists_histories", False) else None
    hands = model if isinstance(model, cp.HandsModel) else None
    if samples is not None and not from_hands:
        raise InputError(f"--posterior needs --to hands:FILE,player=NAME, not {quoted(to)}")
    if samples is not None and hands is None:
        raise InputError(f"--posterior is for games in memory, not for {tree.name}")
    if samples is not None and not 2 <= samples <= _MOST_DRAWS:
        raise InputError(f"--posterior takes from 2 to {_MOST_DRAWS:,} samples, not {samples:,}")
    return hands


def _checked_by_hands(
    tree: Any, hands: cp.HandsModel, answer: cp.Answer, posterior: int | None, method: Any, settings: dict[str, Any],
    result: shared.ResultFlags,
) -> tuple[dict[str, Any], list[Callable[[], None]]]:  # fmt: skip
    """The cross-fitted gain of a response to a model from hands, and its spread over the posterior: facts and sentences."""

    def again(model: cp.Strategy) -> cp.Strategy:
        other = cp.respond(tree, model, method, **settings)
        if other.interrupted:
            raise KeyboardInterrupt
        return other.strategy

    counts = hands.counts(tree, 1 - answer.seat)
    fitted = cp.CrossFit(round(counts.hands), reason="the command was interrupted")
    if not answer.interrupted:
        with progress_line("cross-fitting", result.as_json), suppress(KeyboardInterrupt):
            fitted = cp.cross_fit(counts, lambda part: hands.strategy_of(part, result.seed), again, result.seed)
    made = str(hands.base.strategy(tree, 1 - answer.seat, result.seed).facts.get("method", ""))
    note = _PRIOR_FROM_HANDS if made.startswith(_FROM_HANDS) else None  # no half may be new to its model
    facts: dict[str, Any] = {"cross_fitted": {**asdict(fitted), "note": note}}
    text = f"not known, since {fitted.reason}."
    if fitted.low is not None and fitted.high is not None and fitted.claimed is not None:
        low, high, claimed = (number(chips, ".3g") for chips in (fitted.low, fitted.high, fitted.claimed))
        text = (
            f"{low} to {high} chips (95 %), where the models claim {claimed}: two responses, each to a model of one half of "
            f"the {fitted.hands:,} hands, measured on the other half." + (f" {note}" if note else "")
        )
    below: list[Callable[[], None]] = [partial(print, f"\nCross-fitted gain: {text}")]
    if posterior is not None:
        with progress_line("drawing", result.as_json):
            draws = hands.posterior(tree, 1 - answer.seat, posterior, result.seed)
            gain = draws.gain(answer.strategy, _SPREAD)
        facts["posterior"] = {"samples": posterior, **asdict(gain), "note": _NOT_AN_INTERVAL}
        below_share, above_share = (f"{100 * (0.5 + side * gain.spread_share / 2):g} %" for side in (-1, 1))
        text = (
            f"\nOver {posterior:,} strategies that the hands and the prior allow it gains {number(gain.mean)} chips on "
            f"average, {number(gain.spread_low)} at the {below_share} quantile and {number(gain.spread_high)} at the "
            f"{above_share} quantile: {_NOT_AN_INTERVAL}."
        )
        below.append(partial(print, text))
    return facts, below


def _show_unknown_hands(model: cp.Strategy, tree: Any) -> None:
    """A sentence where the model was made from hands that do not check it: in a spot, and where they are not there."""
    if str(model.facts.get("method", "")).startswith(_FROM_HANDS):
        advice = "Write --to hands:FILE,player=NAME for its cross-fitted value."
        if not getattr(tree, "lists_histories", False):
            advice = (
                "What it wins from the player is not known: values are cross-fitted in games in memory, not in spots."
            )
        print(f"\nThe gain is against a model from hands. {advice}")


@dataclass(frozen=True)
class BoardFlags:
    """In whole games of hold'em: what is won on drawn boards, and who computes that."""

    boards: Annotated[int | None, "In whole games of hold'em: by so many drawn boards, both strategies as ranges."] = (
        None
    )
    workers: shared.Workers = 1
    record: shared.Record = None


@takes_records("evaluate leduc counter.json --against cfr+:10")
def evaluate(
    *,
    game: shared.Spec,
    strategy: Annotated[str, Option("A strategy file, or any text that --to takes.", positional=True)],
    against: Annotated[str | None, Option("A model of the other seat.", metavar="OPPONENT")] = None,
    seat: Annotated[shared.Seat | None, "The strategy's seat; by default that of its file."] = None,
    hands: Annotated[
        list[Path] | None, Option("How well the strategy predicts hands (--player).", metavar="FILE")
    ] = None,
    player: Annotated[str | None, Option("Whose hands these are.", metavar="NAME")] = None,
    prior: Annotated[str | None, Option("What its prediction is compared with (nash).", metavar="OPPONENT")] = None,
    coverage: Annotated[bool, "Where a model from hands has seen little, by share of its decisions."] = False,
    drawn: BoardFlags,
    run: shared.RunFlags,
) -> None:
    """Measure a strategy exactly: exploitability, and value and gain against a model."""
    from counterplay.measure.model_quality import predict

    shared.check_work(drawn)
    if drawn.boards is None:
        shared.check_no_work(drawn, "--boards")
    if (hands is None) != (player is None):
        raise InputError("--hands and --player go together")
    if prior is not None and hands is None:
        raise InputError("--prior goes with --hands")
    prior = "nash" if prior is None else prior
    shared.check_opponents(game, strategy, against, prior)
    tree = shared.load_game(game, run.memory)
    if (hands or coverage) and shared.is_whole_game(game):
        _predict_holdem(tree, strategy, prior, hands, player, coverage, run)
        return
    own_seat = int(seat) if seat is not None else shared.seat_in(strategy)
    mine = cp.opponent(tree, strategy, own_seat, run.seed)
    theirs = cp.opponent(tree, against, 1 - own_seat, run.seed) if against else None
    if drawn.boards is not None:
        evaluate_on_boards(tree, mine, theirs, drawn.boards, drawn, run)
        return
    facts = cp.evaluate(tree, mine, theirs).facts
    names, below = list(facts), list[Callable[[], None]]()
    if hands and player:
        counts = counts_in(tree, hands, player, own_seat, "all")
        before = counts.seen_part(cp.opponent(tree, prior, own_seat, run.seed))
        scored = predict(counts.observations, counts.seen_part(mine), before, public_part(counts))
        facts["prediction"] = asdict(scored)
        below.append(partial(show_prediction, scored, f"of {player}"))
    if coverage:
        covered = cp.coverage(tree, mine)
        facts["coverage"] = asdict(covered)
        below.append(partial(show_coverage, covered))
    report(tree, {**facts, "seed": run.seed}, names, run, below=below)


def _predict_holdem(
    rules: Any, strategy: str, prior: str, files: list[Path] | None, player: str | None, coverage: bool, run: shared.RunFlags
) -> None:  # fmt: skip
    """Show the nats a decision of a strategy, a prior, the betting line alone and uniform play on hands of a player, by
    street; with coverage also what the strategy, a model from hands, does not know."""
    from counterplay.measure.model_quality import row_coverage
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.tilting.mapped_hands import map_hands, predict_hands
    from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy

    if not files or player is None:
        raise InputError("in whole games of hold'em --coverage goes with --hands and --player")
    hands = read_hands(files)
    own = hands.holdem_of(player)
    tell_left_out(hands)
    plays = {text: both_seats(rules, text, run.seed) for text in (prior, strategy)}
    if coverage and not isinstance(plays[strategy], ObservedStrategy):
        raise InputError(f"{quoted(strategy)} has no counts: it was not made from hands")
    covered = row_coverage(rules.game, plays[strategy], plays[prior], seed=run.seed) if coverage else []
    rows = predict_hands(rules.game, plays, map_hands(rules.game, own, player))
    facts = {
        "game": rules.name, "player": player, "hands": len(own), "left_out": len(hands.left_out),
        "predictions": [asdict(row) for row in rows], "coverage": [asdict(row) for row in covered], "seed": run.seed,
    }  # fmt: skip
    below = [partial(show_hand_prediction, rows, prior), *([partial(show_row_coverage, covered)] if covered else [])]
    report(rules, facts, ["game", "player", "hands"], run, below=below)
