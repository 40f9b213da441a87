"""The commands that train networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import (
    Record,
    RespondSeat,
    RunFlags,
    Seat,
    Spec,
    To,
    Workers,
    check_opponents,
    check_work,
    load_game,
    output_option,
)
from counterplay.commands.parsing.program import Brief
from counterplay.commands.printing.output import show_facts, show_json
from counterplay.endings import NETWORK, RECORD
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.option import Option
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.games.kernel_rules import FastGame
    from counterplay.learning.learn_value import ValueSettings
    from counterplay.learning.policy_gradient import GradientSettings
    from counterplay.networks.policy_network import PolicyNetwork
    from counterplay.work.work_record import WorkRecord

learn = typer.Typer(
    cls=Brief, no_args_is_help=True, rich_markup_mode=None, help="Train networks; needs torch (counterplay[learn])."
)
_BY_PLAY = "self-play"
Width = Annotated[int, Option("Units of each hidden layer.", least=1, most=4096)]
Layers = Annotated[int, Option("Hidden layers.", least=1, most=7)]


@dataclass(frozen=True)
class PlayerFlags(RunFlags):
    """Where a policy and the state of its training are kept."""

    output: Annotated[Path | None, output_option("Save it (.cpn).")] = None
    record: Record = None

    def check(self) -> None:
        """Reject files that cannot be written."""
        check_writable(self.output, NETWORK)
        check_writable(self.record, RECORD)

    def record_of(self, identity: Mapping[str, Any]) -> WorkRecord:
        """The record of some work; one in memory if none is named."""
        from counterplay.work.work_record import WorkRecord

        return WorkRecord(self.record, identity)


@dataclass(frozen=True)
class NetworkFlags(RunFlags):
    """Where a network and its samples are kept."""

    output: Annotated[Path | None, output_option("Save it (.cpn).")] = None
    workers: Workers = 1
    record: Record = None


@dataclass(frozen=True)
class SampleFlags:
    """What a network learns from."""

    samples: Annotated[int, Option("Public states solved at drawn ranges.", least=1)] = 200_000
    asked: Annotated[int, Option("Further ones of a round, at ranges that searches ask a network for.", least=0)] = (
        60_000
    )
    rounds: Annotated[int, Option("Rounds of searches, each over the network so far.", least=0)] = 1
    responses: Annotated[bool, "Best responses to weak players ask, as cdbr does, not all searches."] = False
    value: Annotated[str, "The value function that solves them."] = "cfr+:500"


@takes_records
def value(
    *,
    game: Spec,
    depth: Annotated[str, Option("Of the look-aheads.", metavar="N|round|game")],
    data: SampleFlags,
    width: Width = 128,
    layers: Layers = 3,
    epochs: Annotated[int, Option("Passes over all samples.", least=1)] = 50,
    half: Annotated[bool, "Weights of 16 bits, for half of the file."] = False,
    public: Annotated[bool, "By the rules' numbers of public states, as if not in memory."] = False,
    largest: Annotated[
        int, Option("Histories of a game that is solved to its end, if not in memory.", least=100)
    ] = 20_000,
    result: NetworkFlags,
) -> None:
    """Learn the values at which look-aheads of a depth stop, for `--value net:FILE`. Ctrl-C keeps what --record has.

    A game that does not fit in memory is learned by the rules' numbers of public states.
    """
    from counterplay.gametree.table.histories import TooLargeError
    from counterplay.learning.learn_value import ValueSettings
    from counterplay.value_functions.value_function import check_value

    check_writable(result.output, NETWORK)
    check_work(result)
    check_value(data.value)
    if public and result.memory is not None:
        raise InputError("--public keeps no game in memory, and takes no --memory")
    tree = None
    if not public:
        try:
            tree = load_game(game, result.memory)
        except TooLargeError:
            tree = None
    settings = ValueSettings(
        game if tree is None else tree.name, depth, data.samples, data.asked, data.value, width, layers, epochs,
        result.seed, data.responses, data.rounds,
    )  # fmt: skip
    if tree is None and half:
        raise InputError("--half is for networks of games in memory, by their numbering")
    if tree is None and data.responses:
        raise InputError(f"--responses takes best responses, for which {game} has to be in memory")
    if tree is None:
        _learn_from_rules(settings, largest, result)
    else:
        _learn_in_memory(tree, settings, half, result)


def _learn_in_memory(tree: Any, settings: ValueSettings, half: bool, result: NetworkFlags) -> None:
    from counterplay.learning.learn_value import learn_value, measure_network
    from counterplay.networks.value_network import save_value_network

    with _training_tools(settings.identity(), result) as tools:
        learned = learn_value(settings, **tools)
    if half:
        learned = replace(learned, network=learned.network.halved)
    learned = measure_network(learned, tree)
    if result.output:
        save_value_network(result.output, learned)
    facts = {
        "game": learned.game, "depth": learned.depth, "public states": len(learned.states.histories),
        "different ones": learned.states.count, "samples": learned.about["samples"],
        "weights": learned.network.parameters, "mean error": learned.about["errors"]["mean"],
        "worst error": learned.about["errors"]["worst"], "gap": learned.about["errors"]["gap"],
    }  # fmt: skip
    _show({**facts, "seed": result.seed}, result)


def _learn_from_rules(settings: ValueSettings, largest: int, result: NetworkFlags) -> None:
    """Learn values by the rules' numbers of public states."""
    from counterplay.gametree.compile.load import find_game
    from counterplay.learning.learn_public_value import PublicSettings, learn_public_value
    from counterplay.networks.public_network import described_rules, save_public_network

    name = described_rules(find_game(settings.game)).name
    wanted = PublicSettings(**{**asdict(settings), "game": name}, largest=largest)
    with _training_tools(wanted.identity(), result) as tools:
        learned = learn_public_value(wanted, **tools)
    if result.output:
        save_public_network(result.output, learned)
    errors = learned.about["errors"]
    facts = {
        "game": learned.game, "depth": learned.depth, "samples": learned.about["samples"],
        "rounds": learned.about["rounds"], "weights": learned.network.parameters, "mean error": errors["mean"],
        "worst error": errors["worst"], "public states not seen": errors["held out"],
    }  # fmt: skip
    _show({**facts, "seed": result.seed}, result)


@takes_records
def river(
    *,
    bets: Annotated[str, "Sizes of bets and raises on the river."] = "100%, a",
    raises: Annotated[int | None, Option("Most bets and raises; unless given any.", least=0)] = None,
    deck: Annotated[str, "Lowest rank of the deck."] = "2",
    rivers: Annotated[int, Option("Solved at drawn ranges.", least=1)] = 9_000,
    asked: Annotated[int, Option("Further ones at ranges that look-aheads of turns ask for.", least=0)] = 3_000,
    value: Annotated[str, "METHOD:N that solves them."] = "dcfr:150",
    knots: Annotated[int, Option("Of the strength of hands.", least=2, most=512)] = 32,
    width: Width = 120,
    layers: Layers = 3,
    epochs: Annotated[int, Option("Passes over all rivers.", least=1)] = 60,
    result: Annotated[NetworkFlags, Without("memory")],
) -> None:
    """Learn what rivers are worth at both ranges, for `--value net:FILE` where a turn ends; --record keeps what is there."""
    from counterplay.learning.learn_river import RiverSettings, learn_river
    from counterplay.networks.river_network import save_river_network

    check_writable(result.output, NETWORK)
    check_work(result)
    settings = RiverSettings(
        bets, raises, deck, rivers, asked, value, knots, width, layers, epochs, result.seed
    )  # fmt: skip
    with _training_tools(settings.identity(), result) as tools:
        learned = learn_river(settings, **tools)
    if result.output:
        save_river_network(result.output, learned)
    facts = {
        "bets": learned.bets, "raises": "any" if learned.raises is None else learned.raises, "deck from": learned.deck,
        "rivers": learned.about["rivers"], "weights": learned.network.parameters,
        **{f"{name} (% of the pot)": error for name, error in learned.about["errors"].items()},
    }  # fmt: skip
    _show({**facts, "seed": result.seed}, result)


@contextmanager
def _training_tools(identity: Mapping[str, Any], result: NetworkFlags) -> Iterator[dict[str, Any]]:
    """Record, executor and progress of learning from solved games, while its line of progress is shown."""
    from counterplay.work.processes import executor_of
    from counterplay.work.progress import watch_pieces
    from counterplay.work.work_record import WorkRecord

    record, executor = WorkRecord(result.record, identity), executor_of(result.workers)
    with progress_line("solving", result.as_json) as line:
        watch, progress = (None, None) if line is None else (watch_pieces(line, "solved"), partial(_training, line))
        yield {"record": record, "executor": executor, "watch": watch, "progress": progress}


def _training(line: Update, what: str, done: int, steps: int) -> None:
    line(f"training {what}: step {done} of {steps}", done, steps)


def _steps(line: Update | None) -> Callable[[int, int], None] | None:
    return None if line is None else lambda done, steps: line(f"step {done} of {steps}", done, steps)


def _show(facts: dict[str, Any], result: RunFlags) -> None:
    """What is known of a network."""
    if result.as_json:
        show_json(facts)
    else:
        show_facts(facts, list(facts))


@dataclass(frozen=True)
class SizeFlags:
    """The network of a policy."""

    width: Annotated[int, Option("Units of each hidden layer.", least=1, most=1024)] = 96
    layers: Layers = 2


@takes_records
def policy(
    *,
    game: Spec,
    teacher: Annotated[
        str, Option("Whose strategies of both seats it copies; or self-play.", metavar="OPPONENT")
    ] = "pdcfr+:2000",
    steps: Annotated[int | None, Option("Of training (2000); of self-play, rounds of games (1500).", least=1)] = None,
    net: SizeFlags,
    result: PlayerFlags,
) -> None:
    """Learn a policy of both seats, for `net:FILE` wherever an opponent stands. Ctrl-C keeps the network so far."""
    from counterplay.learning.learn_by_play import learn_by_self_play
    from counterplay.learning.learn_policy import PolicySettings, learn_policy, nash_conv
    from counterplay.learning.policy_gradient import SELF_PLAY

    result.check()
    if teacher == _BY_PLAY:
        rules, tree = _rules_and_tree(game, result.memory)
        by_play = _settings(SELF_PLAY, steps, net, result.seed)
        measure = tree and (lambda network: nash_conv(tree, network))
        kept = result.record_of(by_play.identity(rules.name, _BY_PLAY))
        with progress_line("playing", result.as_json) as line:
            learned = learn_by_self_play(rules, by_play, _steps(line), measure, kept)
    else:
        check_opponents(game, teacher)
        tree = load_game(game, result.memory)
        settings = PolicySettings(teacher, net.width, net.layers, steps or PolicySettings.steps, result.seed)
        kept = result.record_of(settings.identity(tree.name))
        with progress_line("learning", result.as_json) as line:
            learned = learn_policy(tree, settings, _steps(line), kept)
    _finish(learned, {"teacher": teacher}, result)


@takes_records
def response(
    *,
    game: Spec,
    to: To,
    seat: RespondSeat = Seat.FIRST,
    rounds: Annotated[int | None, Option("Of playing and updating (60); in hold'em, boards (4000).", least=1)] = None,
    net: SizeFlags,
    result: PlayerFlags,
) -> None:
    """Learn a response to a fixed opponent from games against them, for `net:FILE`. Ctrl-C keeps the network so far."""
    from counterplay.learning.learn_by_play import learn_response, measure_response
    from counterplay.learning.policy_gradient import RESPONSE
    from counterplay.poker.whole_game.game_text import is_whole_game

    result.check()
    check_opponents(game, to)
    if is_whole_game(game):
        _respond_on_boards(game, to, rounds, result)
        return
    rules, tree = _rules_and_tree(game, result.memory)
    settings = _settings(RESPONSE, rounds, net, result.seed)
    kept = result.record_of(settings.identity(rules.name, f"response of {seat} to {to}"))
    with progress_line("playing", result.as_json) as line:
        learned = learn_response(rules, int(seat), to, settings, _steps(line), kept)
    if tree:
        learned = measure_response(tree, learned)
    _finish(learned, {"response to": to, "seat": int(seat)}, result)


def _respond_on_boards(game: str, to: str, boards: int | None, result: PlayerFlags) -> None:
    """Learn a response of both seats on drawn boards of a whole game of hold'em."""
    from counterplay.learning.hand_response import HandSettings, learn_hand_response
    from counterplay.networks.hand_policy import save_hand_policy
    from counterplay.opponents.opponent import check_strategy, strategy_of

    rules = load_game(game, result.memory)
    check_strategy(rules.game, to, result.seed)
    settings = HandSettings(rules.name, to, boards or HandSettings.boards, seed=result.seed)
    theirs = strategy_of(rules.game, to, result.seed)
    kept = result.record_of(settings.identity(rules.game, theirs))
    with progress_line("learning", result.as_json) as line:
        watch = None if line is None else partial(_training, line, "boards")
        learned = learn_hand_response(rules, theirs, settings, kept, watch)
    if result.output:
        save_hand_policy(result.output, learned)
    _show({"game": rules.name, **learned.about, "weights": learned.parameters}, result)


def _settings(usual: GradientSettings, rounds: int | None, net: SizeFlags, seed: int) -> GradientSettings:
    return replace(usual, rounds=rounds or usual.rounds, width=net.width, layers=net.layers, seed=seed)


def _rules_and_tree(game: str, memory: float | None) -> tuple[FastGame, Any]:
    """The rules of a game, and the game in memory, or None if it does not fit."""
    from counterplay.games.kernel_rules import FastGame
    from counterplay.gametree.compile.load import find_game
    from counterplay.gametree.table.histories import TooLargeError

    rules = find_game(game)
    if not isinstance(rules, FastGame):
        raise InputError(f"{game} is not written as rules, which a network of a policy needs")
    _ = rules.network_sizes
    try:
        return rules, load_game(game, memory)
    except TooLargeError:
        return rules, None


def _finish(learned: PolicyNetwork, facts: dict[str, Any], result: PlayerFlags) -> None:
    """Save a policy, and show what is known of it."""
    from counterplay.networks.policy_network import save_policy_network

    if result.output:
        save_policy_network(result.output, learned)
    figures = learned.about.get("figures", {})
    facts = {"game": learned.game, **facts, **figures, "weights": learned.network.parameters, "seed": result.seed}
    looks = {key: one for key, one in learned.about.items() if key == "looks"}
    _show({**facts, **looks} if result.as_json else facts, result)


for _command, _example in {
    value: "value leduc --depth round -o leduc.cpn",
    river: "river --bets '100%, a' -o river.cpn",
    policy: "policy goofspiel:5 -o goofspiel.cpn",
    response: "response leduc --to uniform -o best.cpn",
}.items():
    learn.command(epilog=f"Example: counterplay learn {_example}")(_command)
