"""The commands that train networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import Help, Without, takes_records
from counterplay.commands.parsing.program import Brief
from counterplay.commands.printing import show_facts, show_json
from counterplay.errors import InputError
from counterplay.files import NETWORK
from counterplay.learning.settings import Layers, RiverSettings, ValueSettings
from counterplay.option import Option
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.games.kernel_rules import FastGame
    from counterplay.learning.learn_by_play import GradientSettings
    from counterplay.networks.policy_network import PolicyNetwork

learn = typer.Typer(
    cls=Brief, no_args_is_help=True, rich_markup_mode=None, help="Train networks; needs torch (counterplay[learn])."
)
_BY_PLAY = "self-play"
_SAVED = Help(output="Save it (.cpn).")


@takes_records("learn value leduc --depth round -o leduc.cpn")
def value(
    *,
    settings: Annotated[ValueSettings, Without("seed")],
    half: Annotated[bool, "Weights of 16 bits, for half of the file."] = False,
    public: Annotated[bool, "By the rules' numbers of public states, as if not in memory."] = False,
    largest: Annotated[
        int, Option("Histories of a game that is solved to its end, if not in memory.", least=100)
    ] = 20_000,
    result: Annotated[shared.WorkFlags, _SAVED],
) -> None:
    """Learn the values at which look-aheads of a depth stop, for `--leaf net:FILE`. Ctrl-C keeps what --record has.

    A game that does not fit in memory is learned by the rules' numbers of public states.
    """
    from counterplay.learning.learn_value import learn_value, measure_network
    from counterplay.networks.value_network import save_value_network

    shared.check_work(result, NETWORK)
    game = settings.game
    if public and result.memory is not None:
        raise InputError("--public keeps no game in memory, and takes no --memory")
    tree = None if public else _in_memory(game, result.memory)
    settings = replace(settings, game=game if tree is None else tree.name, seed=result.seed)
    if tree is None and half:
        raise InputError("--half is for networks of games in memory, by their numbering")
    if tree is None and settings.responses:
        raise InputError(f"--responses takes best responses, for which {game} has to be in memory")
    if tree is None:
        _learn_from_rules(settings, largest, result)
        return
    learned = _from_solved_games(learn_value, settings, result)
    if half:
        learned = replace(learned, network=learned.network.halved)
    learned = measure_network(learned, tree)
    errors = learned.about["errors"]
    facts = {
        "game": learned.game, "depth": learned.depth, "public states": len(learned.states.histories),
        "different ones": learned.states.count, "samples": learned.about["samples"],
        "weights": learned.network.parameters, "mean error": errors["mean"], "worst error": errors["worst"],
        "gap": errors["gap"],
    }  # fmt: skip
    _finish(save_value_network, learned, facts, result)


def _learn_from_rules(settings: ValueSettings, largest: int, result: shared.WorkFlags) -> None:
    """Learn values by the rules' numbers of public states."""
    from counterplay.gametree.compile.load import find_game
    from counterplay.learning.learn_public_value import PublicSettings, learn_public_value
    from counterplay.networks.value_network import described_rules, save_public_network

    name = described_rules(find_game(settings.game)).name
    wanted = PublicSettings(**{**asdict(settings), "game": name}, largest=largest)
    learned = _from_solved_games(learn_public_value, wanted, result)
    errors = learned.about["errors"]
    facts = {
        "game": learned.game, "depth": learned.depth, "samples": learned.about["samples"],
        "rounds": learned.about["rounds"], "weights": learned.network.parameters, "mean error": errors["mean"],
        "worst error": errors["worst"], "public states not seen": errors["held out"],
    }  # fmt: skip
    _finish(save_public_network, learned, facts, result)


@takes_records("learn river --bets '100%, a' -o river.cpn")
def river(
    *,
    settings: Annotated[RiverSettings, Without("seed")],
    result: Annotated[shared.WorkFlags, Without("memory"), _SAVED],
) -> None:
    """Learn what rivers are worth at both ranges, for `--leaf net:FILE` where a turn ends; --record keeps what is there."""
    from counterplay.learning.learn_river import learn_river
    from counterplay.networks.river_network import save_river_network

    shared.check_work(result, NETWORK)
    learned = _from_solved_games(learn_river, replace(settings, seed=result.seed), result)
    facts = {
        "bets": learned.bets, "raises": "any" if learned.raises is None else learned.raises, "deck from": learned.deck,
        "rivers": learned.about["rivers"], "weights": learned.network.parameters,
        **{f"{name} (% of the pot)": error for name, error in learned.about["errors"].items()},
    }  # fmt: skip
    _finish(save_river_network, learned, facts, result)


def _from_solved_games(learn: Callable[..., Any], settings: Any, result: shared.WorkFlags) -> Any:
    """The network that is learned by some settings, while a line of progress is shown."""
    from counterplay.work.processes import executor_of
    from counterplay.work.run_work import watch_pieces
    from counterplay.work.work_record import WorkRecord

    record, executor = WorkRecord(result.record, settings.identity()), executor_of(result.workers)
    with progress_line("solving", result.as_json) as line:

        def progress(what: str, done: int, steps: int) -> None:
            if line:
                line(f"training {what}: step {done} of {steps}", done, steps)

        watch = line and watch_pieces(line, "solved")
        return learn(settings, record=record, executor=executor, watch=watch, progress=progress)


def _with_record(
    learn: Callable[..., Any], identity: Mapping[str, Any], begin: str, result: shared.WorkFlags, step: str = "step"
) -> Any:
    """Learn with the record of the options and a line of progress. begin, step: its texts."""
    from counterplay.work.work_record import WorkRecord

    record = WorkRecord(result.record, identity)
    with progress_line(begin, result.as_json) as line:
        return learn(watch=shared.counter(line, f"{step} {{}} of {{}}"), record=record)


def _finish(save: Callable[[Path, Any], None], learned: Any, facts: dict[str, Any], result: Any) -> None:
    """Save a network, and show its facts."""
    if result.output:
        save(result.output, learned)
    facts = {**facts, "seed": result.seed}
    if result.as_json:
        show_json(facts)
    else:
        show_facts(facts, list(facts))


@dataclass(frozen=True)
class SizeFlags:
    """The network of a policy."""

    width: Annotated[int, Option("Units of each hidden layer.", least=1, most=1024)] = 96
    layers: Layers = 2


@takes_records("learn policy goofspiel:5 -o goofspiel.cpn")
def policy(
    *,
    game: shared.Spec,
    teacher: Annotated[
        str, Option("Whose strategies of both seats it copies; or self-play.", metavar="OPPONENT")
    ] = "pdcfr+:2000",
    steps: Annotated[int | None, Option("Of training (2000); of self-play, rounds of games (1500).", least=1)] = None,
    net: SizeFlags,
    result: Annotated[shared.WorkFlags, Without("workers"), _SAVED],
) -> None:
    """Learn a policy of both seats, for `net:FILE` wherever an opponent stands. Ctrl-C keeps the network so far."""
    from counterplay.learning.learn_by_play import SELF_PLAY, learn_by_self_play
    from counterplay.learning.learn_policy import PolicySettings, learn_policy, nash_conv

    shared.check_work(result, NETWORK)
    if teacher == _BY_PLAY:
        rules, tree = _rules_and_tree(game, result.memory)
        by_play = _settings(SELF_PLAY, steps, net, result.seed)
        measure = tree and (lambda network: nash_conv(tree, network))
        learn_it = partial(learn_by_self_play, rules, by_play, measure=measure)
        learned = _with_record(learn_it, by_play.identity(rules.name, _BY_PLAY), "playing", result)
    else:
        shared.check_opponents(game, teacher)
        tree = shared.load_game(game, result.memory)
        settings = PolicySettings(teacher, net.width, net.layers, steps or PolicySettings.steps, result.seed)
        learned = _with_record(partial(learn_policy, tree, settings), settings.identity(tree.name), "learning", result)
    _finish_policy(learned, {"teacher": teacher}, result)


@takes_records("learn response leduc --to uniform -o best.cpn")
def response(
    *,
    game: shared.Spec,
    to: shared.To,
    seat: shared.RespondSeat = shared.Seat.FIRST,
    rounds: Annotated[int | None, Option("Of playing and updating (60); in hold'em, boards (4000).", least=1)] = None,
    net: SizeFlags,
    result: Annotated[shared.WorkFlags, Without("workers"), _SAVED],
) -> None:
    """Learn a response to a fixed opponent from games against them, for `net:FILE`. Ctrl-C keeps the network so far."""
    from counterplay.learning.hand_response import HandSettings, learn_hand_response
    from counterplay.learning.learn_by_play import RESPONSE, learn_response, measure_response
    from counterplay.networks.policy_network import save_hand_policy
    from counterplay.opponents.opponent import check_strategy, strategy_of

    shared.check_work(result, NETWORK)
    shared.check_opponents(game, to)
    if shared.is_whole_game(game):  # of both seats, on drawn boards
        holdem = shared.load_game(game, result.memory)
        check_strategy(holdem.game, to, result.seed)
        on_boards = HandSettings(holdem.name, to, rounds or HandSettings.boards, seed=result.seed)
        theirs = strategy_of(holdem.game, to, result.seed)
        learn_it = partial(learn_hand_response, holdem, theirs, on_boards)
        hands = _with_record(
            learn_it, on_boards.identity(holdem.game, theirs), "learning", result, "training boards: step"
        )
        _finish(save_hand_policy, hands, {"game": holdem.name, **hands.about, "weights": hands.parameters}, result)
        return
    rules, tree = _rules_and_tree(game, result.memory)
    settings = _settings(RESPONSE, rounds, net, result.seed)
    identity = settings.identity(rules.name, f"response of {seat} to {to}")
    learned = _with_record(partial(learn_response, rules, int(seat), to, settings), identity, "playing", result)
    if tree:
        learned = measure_response(tree, learned)
    _finish_policy(learned, {"response to": to, "seat": int(seat)}, result)


def _settings(usual: GradientSettings, rounds: int | None, net: SizeFlags, seed: int) -> GradientSettings:
    return replace(usual, rounds=rounds or usual.rounds, width=net.width, layers=net.layers, seed=seed)


def _rules_and_tree(game: str, memory: float | None) -> tuple[FastGame, Any]:
    """The rules of a game, and the game in memory, or None if it does not fit."""
    from counterplay.gametree.compile.load import find_game
    from counterplay.networks.policy_network import ruled

    return ruled(find_game(game), game), _in_memory(game, memory)


def _in_memory(game: str, memory: float | None) -> Any:
    """A compiled game, or None if it is too large."""
    from counterplay.gametree.build.histories import TooLargeError

    try:
        return shared.load_game(game, memory)
    except TooLargeError:
        return None


def _finish_policy(learned: PolicyNetwork, facts: dict[str, Any], result: shared.WorkFlags) -> None:
    from counterplay.networks.policy_network import save_policy_network

    facts = {"game": learned.game, **facts, **learned.about.get("figures", {}), "weights": learned.network.parameters}
    if result.as_json:
        facts |= {key: one for key, one in learned.about.items() if key == "looks"}
    _finish(save_policy_network, learned, facts, result)


for _command in (value, river, policy, response):
    learn.command(epilog=vars(_command)["example"])(_command)
