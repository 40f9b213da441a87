"""The agent with full trust in its model (p = 1) in a game that is not in memory.

At every decision it unfolds the game from its belief, and takes the action with the largest value (Milec et al. 2025,
section 5.3).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from counterplay.agents.player import Player
from counterplay.agents.position.belief import Belief
from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.games.game import action_name
from counterplay.lookahead.belief_search import BeliefSide, Worth, respond_to
from counterplay.treeplex.nearest_infosets import check_observation

_FIRST = 15
"""The factor of the budget for the first decision, which is the same in every hand."""


class BeliefAgent(Player):
    """Plays a seat by ABD at p = 1.

    Args:
        side: the players, and the agent's continuations beyond the limit.
        depth: levels of each look-ahead beyond the decision, as in `gametree.compile.levels.Depth`.
        samples: random games per history at the limit.
        budget: moves of the random games of one decision (see `respond_to`).
        particles: the most states of the belief.
        seed: seed of its samples.
        name: for messages.

    Attributes:
        found: result of the last look-ahead; None before the first.
        log: remarks on observations that the model cannot explain.
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
        self._opening: dict[str, F64] = {}
        self._draw = random.Random(seed)
        self._start()

    @property
    def p(self) -> float:
        """The trust in the model, always 1."""
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
            InputError: the agent cannot observe this, and the legal actions are not given; or the model fails.
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
        """The probability of each action at the agent's position: a pure strategy. The agent's state does not change.

        Raises:
            InputError: the agent cannot observe this.
        """
        names, worth = self._asked(observation)
        best = int(worth.argmax())
        return {name: float(k == best) for k, name in enumerate(names)}

    def values(self, observation: str) -> dict[str, float]:
        """The expected value of each action, in chips of the agent.

        Raises:
            InputError: the agent cannot observe this.
        """
        names, worth = self._asked(observation)
        return dict(zip(names, worth.tolist(), strict=True))

    def _asked(self, observation: str) -> tuple[list[str], F64]:
        if not self._observes(observation):
            raise InputError(f"{self.name}: '{observation}' cannot follow what was observed and done before")
        state, game = self._belief.states[0], self._side.game
        return [action_name(game, state, action) for action in game.actions(state)], self._worth(observation)

    def _observes(self, observation: str) -> bool:
        """Whether the belief explains the observation; once it fails, it fails for the rest of the hand."""
        check_observation(observation)
        if not self._lost and not self._belief.observe(observation):
            self._lost = True
            self._note(f"'{observation}' cannot be explained by the model: every action alike from here on")
        return not self._lost

    def _worth(self, observation: str) -> F64:
        """(A,) the value of each action."""
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
        """The agent's belief about the other player: the text of each possible infoset of theirs, with its probability.

        Raises:
            InputError: the agent cannot observe this.
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
