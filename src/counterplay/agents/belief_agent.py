"""The agent that is certain of its model (p = 1) in a game that is not in memory.

At every decision it unfolds the game from what it holds possible, and takes the action that wins most
(Milec et al. 2025, section 5.3).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterplay.agents.player import Player
from counterplay.agents.position.belief import Belief
from counterplay.errors import InputError
from counterplay.games.game import action_name
from counterplay.lookahead.belief_search import BeliefSide, Worth, respond_to
from counterplay.treeplex.nearest_infosets import check_observation

Floats = NDArray[np.float64]
_FIRST = 15
"""The first decision, which is the same in every hand, may cost so many times the budget."""


class BeliefAgent(Player):
    """Plays a seat by ABD at p = 1.

    Args:
        side: who plays whom, and how the own seat may go on behind the limit.
        depth: levels that each look-ahead sees beyond the decision, as in `gametree.compile.levels.Depth`.
        samples: random games from each history at the limit.
        budget: moves of the random games of one decision (see `respond_to`).
        particles: states that the belief may hold.
        seed: of its samples.
        name: for messages.

    Attributes:
        found: what the last look-ahead found; None before the first.
        log: where the model could not explain what happened.
    """

    def __init__(
        self,
        side: BeliefSide,
        depth: int,
        samples: int,
        *,
        budget: int,
        particles: int,
        seed: int = 0,
        name: str = "abd",
    ) -> None:
        super().__init__(side.seat, name)
        self.hands = 0
        self.found: Worth | None = None
        self._side, self._depth, self._samples = side, depth, samples
        self._budget, self._particles, self._seed = budget, particles, seed
        self._opening: dict[str, Floats] = {}
        self._draw = random.Random(seed)
        self._start()

    @property
    def p(self) -> float:
        """It is certain of its model."""
        return 1.0

    @p.setter
    def p(self, p: float) -> None:  # noqa: ARG002
        raise InputError(f"{self.name} on the way is certain of its model: its p is 1; make another agent for less")

    def new_hand(self) -> None:
        """A new hand begins."""
        self.hands += 1
        self._start()

    def _start(self) -> None:
        side = self._side
        self._belief = Belief(side.game, side.seat, side.model, self._particles, self._draw.getrandbits(60))
        self._lost, self._decisions = False, 0

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action.

        Raises:
            InputError: the agent could not be where it observes this, and nobody said which actions are legal; or the model
                fails.
        """
        if not self._observes(observation):
            if not legal:
                raise InputError(f"{self.name}: '{observation}' cannot follow what was observed and done before")
            return self._draw.choice(legal)
        state = self._belief.states[0]
        game = self._side.game
        names = [action_name(game, state, action) for action in game.actions(state)]
        chosen = int(self._worth(observation).argmax())
        self._belief.acted(chosen)
        self._decisions += 1
        return names[chosen]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action where the agent is; it is pure. Nothing is done.

        Raises:
            InputError: the agent could not be where it observes this.
        """
        names, worth = self._asked(observation)
        best = int(worth.argmax())
        return {name: float(k == best) for k, name in enumerate(names)}

    def values(self, observation: str) -> dict[str, float]:
        """What each action is expected to win, in chips of the own seat.

        Raises:
            InputError: the agent could not be where it observes this.
        """
        names, worth = self._asked(observation)
        return dict(zip(names, worth.tolist(), strict=True))

    def _asked(self, observation: str) -> tuple[list[str], Floats]:
        if not self._observes(observation):
            raise InputError(f"{self.name}: '{observation}' cannot follow what was observed and done before")
        state, game = self._belief.states[0], self._side.game
        return [action_name(game, state, action) for action in game.actions(state)], self._worth(observation)

    def _observes(self, observation: str) -> bool:
        """Whether the belief knows where this is; once lost, it stays lost for the hand."""
        check_observation(observation)
        if not self._lost and not self._belief.observe(observation):
            self._lost = True
            self._note(f"'{observation}' cannot be explained by the model: every action alike from here on")
        return not self._lost

    def _worth(self, observation: str) -> Floats:
        """(A,) what each action is worth."""
        first = self._decisions == 0
        if first and observation in self._opening:
            return self._opening[observation]
        belief = self._belief
        found = respond_to(
            self._side, belief.states, belief.weight, self._depth + 1, self._samples,
            self._budget * (_FIRST if first else 1), self._seed,
        )  # fmt: skip
        self.found = found
        if first and not belief.thinned:
            self._opening[observation] = found.actions
        return found.actions

    def belief(self, observation: str) -> dict[str, float]:
        """What the agent thinks of the other player's situation: the text of each infoset that the other may be in, with its
        probability.

        Raises:
            InputError: the agent could not be where it observes this.
        """
        check_observation(observation)
        belief = self._belief.copy()
        if self._lost or not belief.observe(observation, acts=False):
            raise InputError(f"'{observation}' cannot be explained by the model")
        found: dict[str, float] = {}
        for state, weight in zip(belief.states, belief.weight.tolist(), strict=True):
            text = self._side.game.infoset(state, 1 - self.seat)
            found[text] = found.get(text, 0.0) + weight
        return found

    def _note(self, line: str) -> None:
        self.log.append(f"hand {self.hands}: {line}")
