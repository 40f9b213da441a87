"""Attack on agents: nonsense for observations, decisions twice, hands broken off, a millisecond, files in between."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attack.formats import spot_of_all
from attack.judge import LONGEST
from attack.part import Outcome
from attack.program import blame, is_plain, warm
from attack.words import JUNK

TEXTS = {
    "kuhn": ("uniform", "nash", "random:1", "cfr+:2", "cdbr:depth=1,to=uniform", "cdrnr:p=0.5,depth=1,to=random:1",
    "cdrnr:p=0.5,depth=2,iterations=3,to=nash",
             "resolve:depth=1,seconds=0.001", "resolve:depth=1,gadget=max-margin,iterations=2",
             "cdrnr:p=0.9,depth=1,seconds=0.001,to=random:2",
             "abd:p=0.5,depth=1,leaf=portfolio:uniform;nash,to=uniform", "ses:alpha=0.5,depth=1,to=random:1",
             "rnr:p=0.5,to=uniform",
             "safe:max_exploitability=0.1,to=uniform", "br:to=random:3", "cdbr-ne:p=0.5,depth=1,to=uniform",
             "cdrnr:p=0.5,depth=1,leaf=cfr:3,remember=no,to=uniform", "resolve:depth=1,leaf=rollout:2"),
    "leduc:merged=true": ("uniform", "lbr:to=uniform", "random:1", "cdrnr:p=0.5,depth=1,seconds=0.001,to=uniform",
    "cdbr:depth=1,iterations=2,to=random:1", "resolve:depth=1,iterations=1",
                          "resolve:depth=1,seconds=0.001,gadget=max-margin",
                          "cdrnr:p=0.5,depth=1,iterations=3,leaf=rollout:1,to=uniform"),
    "river": ("uniform", "random:1", "resolve:seconds=0.001", "resolve:iterations=2",
    "cdrnr:p=0.5,iterations=2,to=uniform", "cdbr:iterations=2,to=random:1",
              "ses:alpha=0.5,iterations=2,to=uniform", "br:to=uniform"),
}  # fmt: skip
"""By game, the texts of agents. A new kind of agent needs one line."""
_HANDS = 6
_SLOW = 3.0
"""Processor seconds that one decision may take at the very most; those with a limit have a millisecond."""
_SUM = 1e-6


class Agents:
    """Each case is one agent through some hands of misuse."""

    about = "agents: only legal actions, no NaN, no traceback, whatever they are told"
    cases, few = 700, 24
    cpu = 40.0

    def prepare(self, folder: Path) -> None:
        import counterplay as cp
        from counterplay.poker.spots.spot_game import as_spot_game

        warm()
        self.problems: list[str] = []
        os.environ["COUNTERPLAY_CACHE"] = str(folder / "cache")
        self.games: dict[str, Any] = {spec: cp.load(spec) for spec in TEXTS if spec != "river"}
        self.games["river"] = as_spot_game(spot_of_all())
        for spec, texts in TEXTS.items():
            for text in texts:
                agent: Any = cp.agent(self.games[spec], text, 0)
                _hand(self.games[spec].rules, agent, random.Random(0), self._ask)

    def enter(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        import counterplay as cp
        from counterplay.errors import InputError

        spec = draw.choice(list(TEXTS))
        text, seat, seed = draw.choice(TEXTS[spec]), draw.randrange(2), draw.randrange(1000)
        self.finished = "seconds=" not in text and "iterations=" not in text
        line, self.done = f"cp.agent({spec!r}, {text!r}, {seat}, {seed})", 0
        self.problems = []
        try:
            agent: Any = cp.agent(self.games[spec], text, seat, seed)
        except InputError as error:
            return Outcome((f"refused: {error}",), line, kind="refused")
        except Exception as error:
            return Outcome((blame(error),), line, kind="raised")
        for _ in range(_HANDS):
            try:
                agent = _hand(self.games[spec].rules, agent, draw, self._misused(draw))
            except Exception as error:
                self.problems.append(blame(error))
                break
        return Outcome(
            tuple(f"{spec} {text}: {one}" for one in dict.fromkeys(self.problems)), line, done=max(1, self.done)
        )

    def _misused(self, draw: random.Random) -> Callable[..., Any]:
        """Ask for a decision, with misuse before and after."""

        def ask(agent: Any, observation: str, names: list[str], state: Any) -> tuple[Any, str]:
            for _ in range(draw.choice((0, 0, 1, 2))):
                agent = draw.choice((self._nonsense, self._twice, self._asked, self._kept, self._changed))(
                    agent, observation, names, draw
                )
            return self._ask(agent, observation, names, state)

        return ask

    def _ask(self, agent: Any, observation: str, names: list[str], state: Any) -> tuple[Any, str]:
        begin = time.process_time()
        with_state = getattr(agent, "act_at", None)
        chosen = with_state(state) if with_state else agent.act(observation, names)
        spent = time.process_time() - begin
        self.done = getattr(self, "done", 0) + 1
        if chosen not in names:
            self._say(f"{chosen!r} at {observation!r}, where {names} are legal")
            chosen = names[0]
        if spent > _SLOW:
            self._say(f"a decision of {spent:.1f} processor seconds")
        return agent, chosen

    def _say(self, problem: str) -> None:
        self.problems.append(problem[:300])

    def _nonsense(self, agent: Any, observation: str, names: list[str], draw: random.Random) -> Any:
        """An input may be rejected in one sentence; an answer must be an action of the game."""
        from counterplay.errors import InputError

        what = draw.choice((draw.choice(JUNK), observation[::-1], observation + "x", "", observation.upper()))
        how = draw.choice(("act", "policy", "belief"))
        if not hasattr(agent, how):
            return agent
        try:
            getattr(agent, how)(what, names) if how == "act" else getattr(agent, how)(what)
        except InputError as error:
            if len(str(error)) > LONGEST or not is_plain(str(error)) or "\n" in str(error):
                self._say(f"{how}: a message of {len(str(error))} characters, {str(error)[:80]!r}")
        except Exception as error:
            self._say(f"{how}({what[:30]!r}): {blame(error)}")
        return agent

    def _twice(self, agent: Any, observation: str, names: list[str], draw: random.Random) -> Any:
        """The same decision again, or a new hand in the middle."""
        if draw.random() < 0.5:
            agent.new_hand()
        if not hasattr(agent, "act_at"):
            chosen = agent.act(observation, names)
            if chosen not in names:
                self._say(f"{chosen!r} at {observation!r} the second time")
        return agent

    def _asked(self, agent: Any, observation: str, names: list[str], draw: random.Random) -> Any:
        """Its policy and belief are probabilities; one that has none says so."""
        from counterplay.errors import InputError

        for how in ("policy", "belief"):
            if hasattr(agent, how):
                try:
                    odds = getattr(agent, how)(observation)
                except InputError:
                    continue
                if not abs(sum(odds.values()) - 1.0) <= _SUM or not all(
                    0.0 <= one <= 1.0 + _SUM for one in odds.values()
                ):
                    self._say(f"{how} of {observation!r} is {str(odds)[:100]}")
                if how == "policy" and not set(odds) <= set(names):
                    self._say(f"policy of {observation!r} has {list(odds)}, where {names} are legal")
        return agent

    def _kept(self, agent: Any, observation: str, names: list[str], draw: random.Random) -> Any:
        """Put away and taken up again: it plays on as it would have."""
        import counterplay as cp
        from counterplay.errors import InputError

        if not hasattr(agent, "save"):
            return agent
        path = self.folder / "kept.cpa"
        try:
            agent.save(path)
        except InputError:
            return agent  # not every agent has something to put away
        try:
            again = cp.resume(path)
        except InputError as error:
            self._say(f"resume: {error}")
            return agent
        if self.finished:  # what was cut short goes on whenever it is asked, and so is never the same twice
            mine, other = agent.policy(observation), again.policy(observation)
            if mine.keys() != other.keys() or any(abs(mine[name] - other[name]) > _SUM for name in mine):
                self._say(f"resumed, it plays {other} instead of {mine} at {observation!r}")
        return again

    def _changed(self, agent: Any, observation: str, names: list[str], draw: random.Random) -> Any:
        """Another model, valid or not; an invalid one is rejected in the log or by an InputError."""
        from counterplay.errors import InputError

        if not hasattr(type(agent), "model"):
            return agent
        try:
            agent.model = draw.choice(("uniform", "random:5", "nosuch", "", 3, None, float("nan"), {"x": 1}, str))
        except InputError:
            pass
        except Exception as error:
            self._say(f"model: {blame(error)}")
        return agent


def _hand(rules: Any, agent: Any, draw: random.Random, ask: Callable[..., tuple[Any, str]]) -> Any:
    """One hand against a random player, sometimes broken off. Returns the agent, which may be another object by then."""
    from counterplay.games.game import CHANCE, TERMINAL, action_name

    agent.new_hand()
    state = rules.root()
    while (who := rules.player(state)) != TERMINAL:
        actions = list(rules.actions(state))
        if who == CHANCE:
            state = rules.child(state, draw.choices(actions, list(rules.chance(state)))[0])
        elif who == agent.seat:
            names = [action_name(rules, state, action) for action in actions]
            agent, chosen = ask(agent, rules.infoset(state, who), names, state)
            state = rules.child(state, actions[names.index(chosen)])
        else:
            state = rules.child(state, draw.choice(actions))
        if draw.random() < 0.05:
            break
    return agent
