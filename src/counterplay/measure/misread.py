"""Values of responses when the opponent is not the one that they were made for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay.catalogue import MISREAD, MISREAD_WHOLE_GAME
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.measure.evaluate import baseline, value_against
from counterplay.opponents.opponent import opponent
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind
from counterplay.responses.method import METHOD, Method
from counterplay.responses.respond import respond, world_of
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.texts.arguments import FUNCTION, SEAT, SEED, SEVERAL, or_none, takes

Watch = Callable[[int, int], None]
"""Called with the number of finished responses, and of all."""


@dataclass(frozen=True)
class Misreading:
    """One response, against every model.

    Attributes:
        method: its method.
        model: the model that it was made for.
        gains: against each of the models, in chips a hand; none in a whole game of hold'em, whose value is not known.
        worst: against a best responder; the exploitability with a minus, in a whole game the risk.
        edges: in a whole game, what it wins from each of the models beyond what the blueprint wins; none elsewhere.
    """

    method: str
    model: str
    gains: tuple[float, ...]
    worst: float
    edges: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.method} to {self.model}", labelled("worst", self.worst))


class Misreadings(list[Misreading]):
    """The responses, in the order in which they were computed; gains count from `game_value`, an upper bound by at most
    `game_value_gap`, None where there is no value. `interrupted` by Ctrl-C. note: a caveat about the numbers."""

    interrupted = False
    game_value = 0.0
    game_value_gap: float | None = None
    note: str | None = None


@takes(models=SEVERAL, methods=or_none(SEVERAL), seat=SEAT, seed=SEED, watch=or_none(FUNCTION))
def misread(
    game: Any,
    models: Sequence[Any],
    methods: Sequence[Method | str] | None = None,
    *,
    seat: int = 0,
    seed: int = 0,
    watch: Watch | None = None,
) -> Misreadings:
    """Responses by each method to each model, measured against all models and against a best responder.

    A response wins most from the model that it was made for; `worst` is what a wrong model may cost at most. Of the methods,
    `safe` with the smallest allowed exploitability has the smallest worst loss.

    Args:
        game: as `respond` takes it.
        models: two or more, as `opponent` takes them.
        methods: records or their texts; by default br, rnr at p = 0.75, and but for whole hold'em safe within 1 %.
        seat: the responder's.
        seed: of random models.
        watch: see `Watch`. After Ctrl-C there are the rows so far, which are `interrupted`.

    Raises:
        InputError: fewer than two models, no method, or what `respond` refuses.
    """
    if len(models) < 2:
        raise InputError("misreading needs two or more models, as in --models A;B")
    if methods is None:
        methods = by_kind({Holdem: MISREAD_WHOLE_GAME}, game, MISREAD)
    if not methods:
        raise InputError("misreading needs a method, as in --methods br")
    players: list[Any] = [opponent(game, source, 1 - seat, seed) for source in models]
    records = [METHOD.record(method) for method in methods]
    world = world_of(game)
    converted = world.convert(game)
    matches = [world.matchup(converted, player) for player in players]
    for record in records:  # before the first is computed
        record.check_set()
        world.check(converted, record)
        matches[0].in_game(record)
    whole, base, found = isinstance(matches[0], HoldemMatchup), [baseline(match) for match in matches], Misreadings()
    found.game_value = 0.0 if whole else base[0]
    found.game_value_gap, found.note = matches[0].value_gap, matches[0].about.get("note")
    for record in records:
        for source, model in zip(models, players, strict=True):
            answer = respond(game, model, record, seed=seed, keep=whole)
            if answer.interrupted:
                found.interrupted = True
                return found
            pairs = zip(matches, base, strict=True)
            won = tuple(value_against(match, answer.strategy) - before for match, before in pairs)
            lost = answer.exploitability if answer.risk is None else answer.risk
            found.append(Misreading(str(record), str(source), () if whole else won, -lost, won if whole else ()))
            if watch is not None:
                watch(len(found), len(records) * len(models))
    return found
