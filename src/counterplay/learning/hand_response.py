"""A learned response in whole games of hold'em: policies by networks, improved on drawn boards against a fixed strategy.

On a drawn run-out the opponent's range is carried exactly, so that every hand of the responder learns at every decision what
each action earns there: policy gradients over all actions (Sutton et al. 2000; Lockhart et al. 2019), in which only boards
are sampled.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit.clock import run_time
from counterplay.learning.torch_layers import TorchNetwork, Updates, Watch, check_torch, fresh_network
from counterplay.networks.network import HANDS_LAYERS, Network
from counterplay.networks.policy_network import HandPolicy
from counterplay.poker.whole_game.boards.board import Board, RunOut, RunOutDraws
from counterplay.poker.whole_game.holdem import HoldemGame, question_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands, sizes_of
from counterplay.poker.whole_game.strategy import BlueprintStrategy, digest_of, entry_reach, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import preflop_values
from counterplay.work.work_record import WorkRecord

Networks = tuple[tuple[Network, ...], ...]
_RATE = 2e-3
_SMALL, _SHARP = 0.1, 30.0
"""Of the last layer at first, so that play begins almost uniformly; and factor of the outputs in the end."""
_PASSES = 4
"""Steps on each board: what actions earn there costs far more than a step."""
_KEEP = 200
"""Boards between two records of the networks."""


@dataclass(frozen=True)
class HandSettings:
    """Settings of a learned response.

    Attributes:
        game: its text.
        to: text of the opponent.
        boards: run-outs to learn from.
        widths: units of the hidden layers.
        entropy: weight of the policy's entropy at first; it falls to 0. The unit is the size of what actions earn.
        seed: of all randomness.
    """

    game: str
    to: str
    boards: int = 4_000
    widths: tuple[int, int] = (48, 20)
    entropy: float = 0.3
    seed: int = 0

    def identity(self, game: HoldemGame, theirs: BlueprintStrategy) -> dict[str, Any]:
        """Everything that the networks depend on; the opponent by what it plays, and not by the name of its file."""
        played = [digest_of(game, seat, theirs) for seat in (0, 1)]
        return {"learned": "response", "passes": _PASSES, **asdict(self), "to": played}


def learn_hand_response(
    rules: Holdem,
    theirs: BlueprintStrategy,
    settings: HandSettings,
    record: WorkRecord | None = None,
    watch: Watch | None = None,
) -> HandPolicy:
    """Learn a response of both seats to a strategy of a whole game. record: keeps the networks so far, from which
    learning continues. watch: called with the boards done and their number; an interrupt ends learning with the
    policy so far.

    Raises:
        InputError: torch is not installed.
    """
    check_torch()
    learner, record = _Learner(rules, theirs, settings), record or WorkRecord()
    learner.resume(record)
    begun = run_time()
    try:
        while learner.done < settings.boards:
            learner.learn()
            if watch:
                watch(learner.done, settings.boards)
            if learner.done % _KEEP == 0 or learner.done == settings.boards:
                learner.seconds, begun = learner.seconds + run_time() - begun, run_time()
                learner.keep(record)
    except KeyboardInterrupt:
        if learner.done == 0:
            raise
        learner.keep(record)
    about = {"response to": settings.to, "seed": settings.seed, "boards": learner.done}
    about["seconds"] = round(learner.seconds)
    sharp = tuple(tuple(_scaled_last(net, _SHARP, _SHARP) for net in seat) for seat in learner.networks)
    return HandPolicy(question_of(rules.game), sharp, about)


class _Learner:
    """Networks of both seats while they learn."""

    def __init__(self, rules: Holdem, theirs: BlueprintStrategy, settings: HandSettings) -> None:
        import torch

        self._torch, self._game, self._theirs, self._settings = torch, rules.game, theirs, settings
        sizes, inputs = sizes_of(self._game)
        nets = [
            [
                fresh_network(1, [inputs[street], *settings.widths, size], settings.seed + 10 * seat + street)
                for street, size in enumerate(one)
            ]
            for seat, one in enumerate(sizes)
        ]
        assert all(len(net.weights) == HANDS_LAYERS for one in nets for net in one)
        self._start([[_scaled_last(net, _SMALL) for net in one] for one in nets])
        self._draws = RunOutDraws(self._game.boards, self._game.last, settings.seed)
        self.done, self.seconds = 0, 0.0

    def _start(self, networks: Any) -> None:
        self._nets = [[TorchNetwork(net) for net in seat] for seat in networks]
        steps = _PASSES * self._settings.boards
        self._updates = [[Updates(net, _RATE, steps) for net in seat] for seat in self._nets]

    @property
    def networks(self) -> Networks:
        """As they are now."""
        return tuple(tuple(net.network for net in seat) for seat in self._nets)

    def keep(self, record: WorkRecord) -> None:
        """Record the networks."""
        arrays = [[[list(net.weights), list(net.biases)] for net in seat] for seat in self.networks]
        record.keep("networks", {"done": self.done, "seconds": self.seconds, "layers": arrays})

    def resume(self, record: WorkRecord) -> None:
        """Take the networks of a record, if it has some; the moments of the optimiser start at zero."""
        kept = record.results.get("networks")
        if kept is None:
            return
        self._start([[Network(tuple(w), tuple(b)) for w, b in seat] for seat in kept["layers"]])
        self.done, self.seconds = int(kept["done"]), float(kept["seconds"])
        for seat in self._updates:
            for update in seat:
                update.done = _PASSES * self.done

    def learn(self) -> None:
        """Some steps of all networks, on the next run-out."""
        run_out = self._draws[self.done]
        play = LearnedHands(self._game, self.networks)
        for seat in (0, 1):
            for street, (numbers, decisions, earned) in enumerate(
                earnings_on(self._game, seat, self._theirs, play, run_out)
            ):
                for _ in range(_PASSES):
                    self._step(seat, street, numbers, decisions, earned)
        self.done += 1

    def _step(self, seat: int, street: int, numbers: Any, decisions: I64, earned: AnyArray) -> None:
        """earned: (sequences, lanes) what each action earns, if the policy goes on after it."""
        torch = self._torch
        if not len(decisions):
            return
        unit = float(np.abs(earned).mean()) or 1.0
        cooling = self._settings.entropy * max(0.0, 1.0 - self.done / (0.7 * self._settings.boards))
        answers = self._nets[seat][street].outputs(torch.from_numpy(numbers))
        rows = torch.from_numpy(np.ascontiguousarray(earned.T / unit, np.float32))
        gain: Any = 0.0
        for count in np.unique(decisions[:, 3]).tolist():
            first = decisions[decisions[:, 3] == count, 2]
            columns = torch.from_numpy((first[:, None] + np.arange(count)).reshape(-1))
            logs = torch.log_softmax(answers[:, columns].reshape(len(numbers), -1, count), dim=2)
            here, odds = rows[:, columns].reshape(logs.shape), logs.exp()
            size = (here - here.mean(dim=2, keepdim=True)).abs().mean(dim=(0, 2), keepdim=True) + 1e-6
            gain = gain + (odds * here / size).sum() - cooling * (odds * logs).sum()
        (-gain / len(numbers)).backward()
        self._updates[seat][street].step()


def _scaled_last(net: Network, weight: float, bias: float = 1.0) -> Network:
    """The network with factors of its last layer."""
    return Network((*net.weights[:-1], weight * net.weights[-1]), (*net.biases[:-1], bias * net.biases[-1]))


def earnings_on(game: Any, seat: int, theirs: BlueprintStrategy, play: LearnedHands, run_out: RunOut) -> Any:
    """Street by street what the networks see, the decisions, and (sequences, lanes) what actions earn on the run-out."""
    walk = BoardWalk(game, seat, theirs, play, run_out)
    board, root = game.boards.root, game.boards.root
    boards: list[Board] = []
    while board.street < game.last:
        board = run_out.after(board)[0][0]
        boards.append(board)
    side = game.sides[seat]
    below = walk.below(root, entry_reach(game, 1 - seat, theirs))
    early = preflop_values(game, seat, reaches(game.sides[1 - seat], theirs.preflop[1 - seat]), below)
    yield play.numbers(root), side.decisions[0], _backed_up(early, play.preflop[seat], side.decisions[0])
    for here in boards:
        values = walk.values_on(here).astype(np.float64)
        table = play.on(seat, here)[0]
        lanes = np.zeros((len(values), here.lanes))
        np.add.at(lanes.T, here.lane, values.T)
        yield play.numbers(here), side.decisions[here.street], _backed_up(lanes, table, side.decisions[here.street])


def _backed_up(values: F64, odds: AnyArray, decisions: I64) -> F64:
    """(sequences, lanes) values of what comes right after each sequence, with those of later decisions on the street."""
    out = values.copy()
    for _, before, first, count in decisions[::-1].tolist():
        out[before] += (odds[first : first + count] * out[first : first + count]).sum(axis=0)
    return out
