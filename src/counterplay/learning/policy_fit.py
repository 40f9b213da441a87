"""The fit of a network of a policy to what a teacher does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.learning.fitting.kept_training import KeptTraining
from counterplay.learning.fitting.torch_layers import Updates, Watch, fresh_network, network_of, outputs, torch_layers
from counterplay.learning.teacher import Lessons
from counterplay.networks.network import Network
from counterplay.work.work_record import WorkRecord

_BATCH, _RATE = 768, 4e-3
"""Infosets of a step; the largest rate."""


@dataclass(frozen=True)
class PolicyFit:
    """A fit: units of each hidden layer, number of these, steps, seed."""

    width: int
    layers: int
    steps: int
    seed: int


def fit_policy(
    lessons: Lessons, fit: PolicyFit, watch: Watch | None = None, record: WorkRecord | None = None
) -> Network:
    """A network whose softmax over the legal actions is close to the teacher's odds, by cross-entropy.

    Args:
        lessons: infosets with the teacher's odds.
        fit: sizes and steps.
        watch: see `Watch`. If it is interrupted, the network is the one so far.
        record: keeps the state of the training, which goes on from there.
    """
    import torch

    torch.set_num_threads(1)
    inputs, targets, legal = (torch.from_numpy(one) for one in lessons[:3])
    sizes = [inputs.shape[1], *[fit.width] * fit.layers, targets.shape[1]]
    layers = torch_layers(torch, fresh_network(1, sizes, fit.seed))
    odds = np.sqrt(lessons.weight.astype(np.float64))
    odds /= odds.sum()
    counts = torch.from_numpy((lessons.weight / odds / len(odds)).astype(np.float32))
    updates = Updates(torch, layers, _RATE, fit.steps)
    kept = KeptTraining(record, updates, fit.steps)
    kept.go_on()
    try:
        for rows in _drawn_rows(odds, fit, updates.done):
            chosen = torch.from_numpy(rows)
            loss = (_divergence(torch, layers, inputs[chosen], targets[chosen], legal[chosen]) * counts[chosen]).mean()
            loss.backward()
            updates.step()
            kept.step_done()
            if watch:
                watch(updates.done, fit.steps)
    except KeyboardInterrupt:
        if updates.done == 0:
            raise
    return network_of(layers)


def _drawn_rows(odds: F64, fit: PolicyFit, done: int) -> Iterator[Any]:
    """The rows of every step after the first `done`, drawn by the roots of their weights: rows that are reached often come
    often and still count more each time, so that neither few rows fill the batches nor single rows dominate a step.
    """
    rng, sums, every = np.random.default_rng(fit.seed), np.cumsum(odds), np.arange(_BATCH)
    for start in rng.random(fit.steps)[done:].tolist():
        yield np.minimum(np.searchsorted(sums, (start + every) / _BATCH), len(odds) - 1)


def _divergence(torch: Any, layers: Any, inputs: Any, targets: Any, legal: Any) -> Any:
    """(n,) the teacher's cross-entropy of the network's odds."""
    return -(targets * log_odds(torch, layers, inputs, legal)).sum(dim=1)


def log_odds(torch: Any, layers: Any, inputs: Any, legal: Any) -> Any:
    """(n, moves) the logarithms of a network's odds; 0 where an action is not legal."""
    logits = outputs(torch, layers, 0, inputs).masked_fill(~legal, float("-inf"))
    return torch.log_softmax(logits, dim=1).masked_fill(~legal, 0.0)
