"""The commands on models of a player: make one from hands or figures, and measure a strategy, also on hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.printing import (
    interval,
    report,
    say,
    show_coverage,
    show_frequency_rows,
    show_row_coverage,
    show_rows,
    tell_left_out,
)
from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT, SPOT, check_writable
from counterplay.option import Option
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.measure.model_quality import Prediction
    from counterplay.opponents.spot_counts import SpotCounts
    from counterplay.opponents.tilting.mapped_hands import HandPrediction
    from counterplay.poker.whole_game.strategy import BucketedStrategy

    AnyCounts = cp.Counts | SpotCounts

_HELD_OUT, _FEW = 4, 40
"""One hand in so many is left out to test a model, from so many hands on."""


@dataclass(frozen=True)
class EstimateFlags:
    """The estimate of a model from hands."""

    weight: Annotated[str, "Observations of an infoset, in hold'em of a row, that the prior is worth, or auto."] = (
        "auto"
    )
    by: Annotated[str, "em, convex, frequencies of shown hands, or logit."] = "em"
    reveal: Annotated[str, "Of hands in which all is known, take: all, what a showdown shows, or none."] = "all"
    trust: Annotated[str, "In whole hold'em, counts of: rows, strengths, lines or categories."] = "rows"

    def check(self, game: str) -> None:
        """Reject invalid options, and those of the other kind of game."""
        from counterplay.opponents.counting.estimate import checked_weight
        from counterplay.opponents.counting.terminal_infosets import checked_reveal
        from counterplay.opponents.counts import ESTIMATORS, LOGIT
        from counterplay.opponents.known_players import checked_row_weight
        from counterplay.opponents.tilting.tilted_model import checked_trust

        if self.by not in (*ESTIMATORS, LOGIT):
            raise InputError(f"a model is made by {', '.join(ESTIMATORS)} or {LOGIT}, not {quoted(self.by)}")
        if self.by == LOGIT and self.weight != "auto":
            raise InputError("a quantal response has no --weight of a prior: leave it out")
        checked_reveal(self.reveal)
        if self.weight != "auto":
            checked_weight(self.weight)
        checked_trust(self.trust)
        if shared.is_whole_game(game) and self != EstimateFlags(self.weight, trust=self.trust):
            raise InputError("--by and --reveal are for games in memory")
        if shared.is_whole_game(game):
            checked_row_weight(self.weight)
        if not shared.is_whole_game(game) and self.trust != EstimateFlags.trust:
            raise InputError("--trust is for whole games of hold'em")


@takes_records("model leduc --hands match.jsonl --player bob -o villain.cps")
def model(
    *,
    game: shared.Spec,
    hands: Annotated[list[Path] | None, Option("Hand histories; several times.", metavar="FILE")] = None,
    player: Annotated[str | None, Option("Whose hands, by the name in the files.", metavar="NAME")] = None,
    profile: Annotated[
        str | None, Option("Figures instead of hands: 'VPIP=45,3-bet=12'.", metavar="STATISTIC=PERCENT")
    ] = None,
    seat: Annotated[shared.Seat, "The player's seat."] = shared.Seat.SECOND,
    prior: Annotated[str, Option("What the player is taken for unseen.", metavar="OPPONENT")] = "nash",
    flags: EstimateFlags,
    coverage: Annotated[bool, "Also what the model does not know."] = False,
    result: shared.ResultFlags,
) -> None:
    """Make a model of a player from hands, with the counts that trust rests on, and test it on a part left out; in whole
    hold'em also from figures alone."""
    from counterplay.opponents.counts import LOGIT
    from counterplay.opponents.known_players import checked_row_weight

    check_writable(result.output, *shared.endings_for(game))
    flags.check(game)
    if profile is not None and (hands or player or not shared.is_whole_game(game)):
        raise InputError("--profile is for whole games of hold'em, and instead of --hands and --player")
    shared.check_opponents(game, prior if profile is None else f"profile:{profile}:{prior}")
    if profile is not None:
        if coverage:
            raise InputError("--coverage is of models from hands")
        _profile_holdem(shared.load_game(game, result.memory), f"profile:{profile}:{prior}", result)
        return
    if not hands or player is None:
        raise InputError("a model needs --hands FILE and --player NAME")
    tree = shared.load_game(game, result.memory, result.output)
    if shared.is_whole_game(game):
        _model_holdem(tree, prior, hands, player, flags.trust, checked_row_weight(flags.weight), coverage, result)
        return
    counts = counts_in(tree, hands, player, int(seat), flags.reveal)
    if counts.game.enters_boards_alone and (coverage or flags.by == LOGIT):
        raise InputError(f"--coverage and --by {LOGIT} are for games in memory, not for {tree.name}")
    _model_in_memory(tree, counts, player, prior, flags, coverage, result)


def _model_in_memory(
    tree: Any, counts: AnyCounts, player: str, prior: str, flags: EstimateFlags, coverage: bool, result: shared.ResultFlags
) -> None:  # fmt: skip
    from counterplay.measure.model_quality import predict
    from counterplay.opponents.counting.estimate import split_hands
    from counterplay.opponents.counts import LOGIT
    from counterplay.opponents.reference_players import fit_logit

    seat = counts.seat
    start = cp.opponent(tree, prior, seat, result.seed)
    with progress_line("fitting", result.as_json):
        other = cp.opponent(tree, prior, 1 - seat, result.seed) if flags.by == LOGIT else None
        if other is not None and isinstance(counts, cp.Counts):
            fitted = counts.quantal_response(other)
        else:
            fitted = counts.strategy(start, flags.weight, flags.by, seed=result.seed)
        held = None
        if counts.hands >= _FEW:  # of a fit of three quarters of the hands, on the fourth
            data, before = counts.observations, counts.seen_part(start)
            part = split_hands(data.hands, _HELD_OUT, result.seed)[0]
            rest = data.weighted(data.hands - part)
            if other is None:
                fit = cp.Counts.fit(rest, before.behaviour, flags.weight, flags.by, result.seed)[0].behaviour
            else:
                fit = fit_logit(counts.game, seat, rest, other)[0]
            tested = type(before)(before.tree, fit)
            held = predict(data.weighted(part), tested, before, public_part(counts), rest)
    facts = {**fitted.facts, "prior": prior, "seat": seat, "player": player, "seed": result.seed}
    made: Any = replace(fitted, facts=facts)
    covered = cp.coverage(tree, made) if isinstance(counts, cp.Counts) else None
    facts = facts | {"held_out": held and asdict(held), "coverage": covered and asdict(covered)}
    below = [] if held is None else [partial(show_prediction, held, "left out of a first fit")]
    below += [partial(show_coverage, covered)] if coverage and covered is not None else []
    names = ["game", "seat", "player", "hands", "prior", "weight", "precision", "method", "gap"]
    strategies = [made]
    if result.output is not None and result.output.suffix == SPOT:  # which holds both players
        strategies.append(cp.opponent(tree, "nash", 1 - seat, result.seed))
    report(tree, facts, names, result, strategies=strategies, below=below)


def counts_in(tree: Any, files: list[Path], player: str, seat: int, reveal: str) -> AnyCounts:
    """The hands of a player in files, counted; what readers leave out is said on stderr."""
    from counterplay.opponents.counts import counts_of_player
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.spot_counts import counts_in_spot

    hands = read_hands(files)
    own = hands.others_of(player) if getattr(tree, "lists_histories", False) else None
    tell_left_out(hands)
    if own is not None:
        return counts_of_player(tree, seat, own, player, reveal)
    counts = counts_in_spot(tree, seat, hands, player, reveal)
    if counts is None:
        raise InputError(f"the hands of {player!r} are of hold'em, and no log of {tree.name}: there they make a model "
                         "as hands:FILE,player=NAME")  # fmt: skip
    return counts


def public_part(counts: AnyCounts) -> Any:
    """The source of public states and streets for `predict`."""
    return counts.game if isinstance(counts, cp.Counts) else counts


def show_prediction(scored: Prediction, which: str) -> None:
    """Nats a decision of model, prior, betting line alone and uniform play, of the whole hand and by street."""
    print(f"\nNats a decision of {scored.hands:,} hands {which}, with 95 % intervals:")
    parts: list[tuple[str, Any]] = [("", scored)]
    parts += [(f"  street {one.street}, {one.decisions:,.0f} decisions", one) for one in scored.streets]
    rows = [
        (name, f"{nats.mean:.4f}", interval((nats.low, nats.high), ".4f"), end)
        for end, part in parts
        for name, nats in (
            ("model", part.model), ("prior", part.prior), ("line alone", part.line), ("uniform", part.uniform),
        )
    ]  # fmt: skip
    show_rows(("<12", ">9", ">22", "<1"), rows)


def _model_holdem(
    rules: Any, prior: str, files: Sequence[Path], player: str, trust: str, weight: float | None, coverage: bool,
    result: shared.ResultFlags,
) -> None:  # fmt: skip
    """Make a model of a player, show how a fit of three quarters of the hands predicts the fourth, and save the model."""
    from counterplay.measure.model_quality import row_coverage
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.tilting.mapped_hands import map_hands, predict_hands
    from counterplay.opponents.tilting.tilted_model import model_of_hands
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, ObservedRows
    from counterplay.poker.whole_game.blueprints.blueprint_file import check_listed, digest_play, save

    hands = read_hands(files)
    own = hands.holdem_of(player)
    tell_left_out(hands)
    prior_play, begin = both_seats(rules, prior, result.seed), process_time()
    play = getattr(prior_play, "play", prior_play)  # also of a model from hands
    start = _bucketed(play, prior, "tilted toward hands")
    if result.output is not None:
        if result.output.suffix != BLUEPRINT:
            raise InputError(f"a model from hands is kept with its counts, in a file with the ending {BLUEPRINT}")
        check_listed(rules.game, start.buckets)
    with progress_line("fitting", result.as_json):
        made = model_of_hands(rules.game, start, map_hands(rules.game, own, player), trust, weight)
        rows: list[HandPrediction] = []
        if len(own) >= _FEW:
            part = map_hands(rules.game, own[::_HELD_OUT], player)
            rest = map_hands(rules.game, [hand for k, hand in enumerate(own) if k % _HELD_OUT], player)
            first = model_of_hands(rules.game, start, rest, weight=weight)
            rows = predict_hands(rules.game, {prior: start, "model": first.play}, part, rest)
    covered = row_coverage(rules.game, made, start, seed=result.seed) if coverage else []
    digest, seconds = digest_play(rules.game, start), process_time() - begin
    if result.output is not None:
        seen = ObservedRows(made.counts, made.fit.weights, digest, len(made.mapped.hands))
        about = Blueprint(made.play, f"hands of {player}", 0, result.seed, seconds, observed=seen)
        save(result.output, rules.game, about)
    facts = {
        "game": rules.name, "player": player, "hands": len(own), "left_out": len(hands.left_out), "prior": prior,
        "prior_digest": digest, "trust": trust, "weight_in_rows": made.row_strength,
        "weight": made.strength, "sharpness": made.sharpness, "made of": made.note(),
        "held_out": [asdict(row) for row in rows], "coverage": [asdict(row) for row in covered], "seed": result.seed,
    }  # fmt: skip
    below = [partial(show_hand_prediction, rows, prior)] if rows else []
    below += [partial(show_row_coverage, covered)] if covered else []
    names = ["game", "player", "hands", "prior", "weight", "sharpness", "weight_in_rows", "made of"]
    report(rules, facts, names, shared.ResultFlags(result.as_json), below=below)


def _profile_holdem(rules: Any, text: str, result: shared.ResultFlags) -> None:
    """Make a model of a player from figures, show what was asked for and what was reached, and save the model."""
    from counterplay.opponents.model import MODELS
    from counterplay.opponents.tilting.tilted_model import BOARDS, tilt_game
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
    from counterplay.poker.whole_game.blueprints.blueprint_file import check_listed, save

    profile = MODELS.parse(text)
    assert isinstance(profile, cp.Profile)
    prior = str(profile.to)
    start, begin = _bucketed(both_seats(rules, prior, result.seed), prior, "changed"), process_time()
    if result.output is not None:
        check_listed(rules.game, start.buckets)
    with progress_line("fitting", result.as_json):
        made = tilt_game(rules.game, start, profile.shares, seed=result.seed)
    if result.output is not None:
        about = Blueprint(made.play, str(profile), 0, result.seed, process_time() - begin)
        save(result.output, rules.game, about)
    facts = {
        "game": rules.name, "profile": str(profile), "boards": BOARDS, "seed": result.seed,
        "frequencies": [row.facts for row in made.rows],
    }  # fmt: skip
    below = [partial(say, [""]), partial(show_frequency_rows, made.rows, prior)]
    report(rules, facts, ["game", "profile", "boards"], shared.ResultFlags(result.as_json), below=below)


def both_seats(rules: Any, text: str, seed: int) -> Any:
    made: Any = cp.opponent(rules, text, 0, seed)
    return made.play


def _bucketed(play: Any, text: str, done: str) -> BucketedStrategy:
    """A strategy, refused if it is not by buckets. text, done: its name, and what is done to it, for the message."""
    from counterplay.poker.whole_game.strategy import BucketedStrategy

    if not isinstance(play, BucketedStrategy):
        raise InputError(f"only a strategy by buckets can be {done}, not {text!r}")
    return play


def show_hand_prediction(rows: Sequence[HandPrediction], prior: str) -> None:
    def error(width: float | None) -> str:
        return "" if width is None else f" ± {width:.4f}"

    print("\nNats a decision, with 95 % intervals:")
    table = [["", "street", "decisions", "nats", "", f"  better than {prior}"]]
    for row in rows:
        nats = [f"{row.decisions:,}", f"{row.nats:.4f}", error(row.error)]
        table.append([row.name, row.street, *nats, f"  {row.better:+.4f}{error(row.better_error)}"])
    show_rows("<<>><<", table)
