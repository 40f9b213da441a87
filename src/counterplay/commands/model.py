"""The command that makes a model from hands, and what `evaluate` says of one on others. Registered in `registry.py`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.inputs import check_opponents, endings_for, load_game, opponent_of
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ResultFlags, Seat, Spec
from counterplay.commands.printing.coverage import show_coverage
from counterplay.commands.printing.left_out import tell_left_out
from counterplay.commands.printing.output import show_rows
from counterplay.commands.value_output import report
from counterplay.commands.whole_game_models import FEW, HELD_OUT, model_holdem, profile_holdem
from counterplay.endings import SPOT
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.measure.models.prediction import Prediction, StreetNats
    from counterplay.opponents.counts import Counts
    from counterplay.opponents.spot_counts import SpotCounts
    from counterplay.treeplex.strategy import Strategy

    AnyCounts = Counts | SpotCounts
Files = Annotated[list[Path], typer.Option("--hands", metavar="FILE", help="Hand histories; several times.")]
Player = Annotated[str, typer.Option("--player", metavar="NAME", help="Whose hands, by the name in the files.")]
Prior = Annotated[str, typer.Option("--prior", metavar="OPPONENT", help="What the player is taken for unseen.")]
Reveal = Annotated[
    str, typer.Option("--reveal", help="Of hands in which all is known, take: all, what a showdown shows, or none.")
]


@dataclass(frozen=True)
class EstimateFlags:
    """How a model is made of hands."""

    weight: Annotated[
        str,
        typer.Option(
            "--weight", help="Observations of an infoset, in hold'em of a row, that the prior is worth, or auto."
        ),
    ] = "auto"
    by: Annotated[str, typer.Option("--by", help="em, convex, frequencies of shown hands, or logit.")] = "em"
    reveal: Reveal = "all"
    trust: Annotated[
        str, typer.Option("--trust", help="In whole hold'em, counts of: rows, strengths, lines or categories.")
    ] = "rows"


@takes_records
def model(
    *,
    game: Spec,
    hands: Annotated[
        list[Path] | None, typer.Option("--hands", metavar="FILE", help="Hand histories; several times.")
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME", help="Whose hands, by the name in the files.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="STATISTIC=PERCENT", help="Figures instead of hands: 'VPIP=45,3-bet=12'."),
    ] = None,
    seat: Annotated[Seat, typer.Option("--seat", help="The player's seat.")] = Seat.SECOND,
    prior: Prior = "nash",
    flags: EstimateFlags,
    coverage: Annotated[bool, typer.Option("--coverage", help="Also what the model does not know.")] = False,
    result: ResultFlags,
) -> None:
    """Make a model of a player from hands, with the counts that trust rests on, and test it on a part left out; in whole
    hold'em also from figures alone."""
    from counterplay.opponents.counts import LOGIT
    from counterplay.opponents.hands_model import checked_row_weight
    from counterplay.poker.whole_game.game_text import is_whole_game

    check_writable(result.output, *endings_for(game))
    _check_flags(game, flags)
    if profile is not None and (hands or player or not is_whole_game(game)):
        raise InputError("--profile is for whole games of hold'em, and instead of --hands and --player")
    check_opponents(game, prior if profile is None else f"profile:{profile}:{prior}")
    if profile is not None:
        if coverage:
            raise InputError("--coverage is of models from hands")
        profile_holdem(load_game(game, result.memory), f"profile:{profile}:{prior}", result)
        return
    if not hands or player is None:
        raise InputError("a model needs --hands FILE and --player NAME")
    tree = load_game(game, result.memory, result.output)
    if is_whole_game(game):
        model_holdem(tree, prior, hands, player, flags.trust, checked_row_weight(flags.weight), coverage, result)
        return
    counts = counts_in(tree, hands, player, int(seat), flags.reveal)
    if counts.game.enters_boards_alone and (coverage or flags.by == LOGIT):
        raise InputError(f"--coverage and --by {LOGIT} are for games in memory, not for {tree.name}")
    _fitted(tree, counts, player, prior, flags, coverage, result)


def _check_flags(game: str, flags: EstimateFlags) -> None:
    """Reject invalid flags, and those of the other kind of game."""
    from counterplay.opponents.counting.estimate import checked_weight
    from counterplay.opponents.counting.terminal_infosets import checked_reveal
    from counterplay.opponents.counts import ESTIMATORS, LOGIT
    from counterplay.opponents.hands_model import checked_row_weight
    from counterplay.opponents.tilting.tilted_model import checked_trust
    from counterplay.poker.whole_game.game_text import is_whole_game

    if flags.by not in (*ESTIMATORS, LOGIT):
        raise InputError(f"a model is made by {', '.join(ESTIMATORS)} or {LOGIT}, not {quoted(flags.by)}")
    if flags.by == LOGIT and flags.weight != "auto":
        raise InputError("a quantal response has no --weight of a prior: leave it out")
    checked_reveal(flags.reveal)
    if flags.weight != "auto":
        checked_weight(flags.weight)
    checked_trust(flags.trust)
    if is_whole_game(game) and flags != EstimateFlags(flags.weight, trust=flags.trust):
        raise InputError("--by and --reveal are for games in memory")
    if is_whole_game(game):
        checked_row_weight(flags.weight)
    if not is_whole_game(game) and flags.trust != EstimateFlags.trust:
        raise InputError("--trust is for whole games of hold'em")


def _fitted(
    tree: Any, counts: AnyCounts, player: str, prior: str, flags: EstimateFlags, coverage: bool, result: ResultFlags
) -> None:
    """Make, test and show the model of a game in memory, or of a spot."""
    from counterplay.measure.models.coverage import coverage as coverage_of
    from counterplay.opponents.counts import LOGIT, Counts

    seat = counts.seat
    start = opponent_of(tree, prior, seat, result.seed)
    with progress_line("fitting", result.as_json):
        other = opponent_of(tree, prior, 1 - seat, result.seed) if flags.by == LOGIT else None
        if other is not None and isinstance(counts, Counts):
            found = counts.quantal_response(other)
        else:
            found = counts.strategy(start, flags.weight, flags.by, seed=result.seed)
        held = None if counts.hands < FEW else _held_out(counts, start, other, flags, result.seed)
    facts = {**found.facts, "prior": prior, "seat": seat, "player": player, "seed": result.seed}
    made: Any = replace(found, facts=facts)
    covered = coverage_of(tree, made) if isinstance(counts, Counts) else None
    told = facts | {"held_out": held and asdict(held), "coverage": covered and asdict(covered)}
    below = [] if held is None else [partial(show_prediction, held, "left out of a first fit")]
    below += [partial(show_coverage, covered)] if coverage and covered is not None else []
    names = ["game", "seat", "player", "hands", "prior", "weight", "precision", "method", "gap"]
    strategies = [made]
    if result.output is not None and result.output.suffix == SPOT:  # which holds both players
        strategies.append(opponent_of(tree, "nash", 1 - seat, result.seed))
    report(tree, told, names, result, strategies=strategies, below=below)


def counts_in(tree: Any, files: list[Path], player: str, seat: int, reveal: str) -> AnyCounts:
    """The hands of a player in files, counted; what readers leave out is said on stderr."""
    from counterplay.opponents.counts import counts_of_player
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.spot_counts import counts_in_spot

    found = read_hands(files)
    if not getattr(tree, "lists_histories", False):
        tell_left_out(found)
        counts = counts_in_spot(tree, seat, found, player, reveal)
        if counts is None:
            raise InputError(f"the hands of {player!r} are of hold'em, and no log of {tree.name}: there they make a model "
                             "as hands:FILE,player=NAME")  # fmt: skip
        return counts
    own = found.others_of(player)
    tell_left_out(found)
    return counts_of_player(tree, seat, own, player, reveal)


def _held_out(
    counts: AnyCounts, prior: Strategy, other: Strategy | None, flags: EstimateFlags, seed: int
) -> Prediction:
    """A fit of three quarters of the hands, scored on the fourth. other: to whom a quantal response responds."""
    from counterplay.measure.models.prediction import predict
    from counterplay.opponents.counting.estimate import split_hands
    from counterplay.opponents.counts import Counts
    from counterplay.opponents.quantal_response import fit_logit

    data, prior = counts.observations, counts.seen_part(prior)
    part = split_hands(data.hands, HELD_OUT, seed)[0]
    rest = data.weighted(data.hands - part)
    if other is None:
        behaviour = Counts.fit(rest, prior.behaviour, flags.weight, flags.by, seed)[0].behaviour
    else:
        behaviour = fit_logit(counts.game, counts.seat, rest, other)[0]
    return predict(data.weighted(part), type(prior)(prior.tree, behaviour), prior, where_of(counts), rest)


def where_of(counts: AnyCounts) -> Any:
    """What `predict` asks for public states and streets."""
    from counterplay.opponents.counts import Counts

    return counts.game if isinstance(counts, Counts) else counts


def show_prediction(found: Prediction, which: str) -> None:
    """Nats a decision of model, prior, betting line alone and uniform play, of the whole hand and by street."""
    print(f"\nNats a decision of {found.hands:,} hands {which}, with 95 % intervals:")
    rows = _rows_of("", found)
    for one in found.streets:
        rows += _rows_of(f"street {one.street}, {one.decisions:,.0f} decisions", one)
    show_rows(("<12", ">9", ">22", ""), rows)


def _rows_of(which: str, found: Prediction | StreetNats) -> list[tuple[str, str, str, str]]:
    told = (("model", found.model), ("prior", found.prior), ("line alone", found.line), ("uniform", found.uniform))
    end = f"  {which}" if which else ""
    return [(name, f"{one.mean:.4f}", f"{one.low:.4f} to {one.high:.4f}", end) for name, one in told]
