"""The networks of a training, each kept in its record once it is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from counterplay.learning.fitting.torch_layers import FitSettings, Watch
from counterplay.networks.network import Network
from counterplay.work.work_record import WorkRecord

_FIRST = 0.25
"""Share of the epochs that a network gets over which searches still ask."""
Progress = Callable[[str, int, int], None]
"""Called with what is done, the steps done and their number."""
Fit = Callable[[FitSettings, Watch | None], tuple[Network, Any]]
"""Fits a network; gives the scale of its outputs, too, or None."""


class NetworkSettings(Protocol):
    """What is said of the networks of a training."""

    @property
    def width(self) -> int: ...
    @property
    def layers(self) -> int: ...
    @property
    def epochs(self) -> int: ...
    @property
    def seed(self) -> int: ...


@dataclass(frozen=True)
class KeptNetworks:
    """The networks of a training, which go on from each other.

    Attributes:
        settings: sizes and passes.
        record: of the training.
        progress: called while one is fitted.
    """

    settings: NetworkSettings
    record: WorkRecord
    progress: Progress | None

    def fitted(self, number: int, fit: Fit, *, last: bool) -> tuple[Network, Any]:
        """A network and its scale, from the record if it is there; number: from 1; the last one gets all epochs."""
        name, settings, progress = f"network {number}", self.settings, self.progress
        if name not in self.record.results:
            epochs = settings.epochs if last else max(1, round(_FIRST * settings.epochs))
            told = None if progress is None else lambda done, steps: progress(name, done, steps)
            network, scale = fit(FitSettings(settings.width, settings.layers, epochs, settings.seed), told)
            found = {"weights": network.weights, "biases": network.biases}
            self.record.keep(name, found if scale is None else {**found, "scale": scale})
        kept = self.record.results[name]
        return Network(tuple(kept["weights"]), tuple(kept["biases"])), kept.get("scale")
