"""Players known from their hands, from figures of the villain card, or by their leaks."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self, cast

from counterplay.errors import InputError, SeatError, quoted
from counterplay.files import check_readable
from counterplay.opponents.counting.estimate import checked_weight
from counterplay.opponents.counting.terminal_infosets import REVEALS, SHOWN
from counterplay.opponents.counts import AUTO, EM, ESTIMATORS, LOGIT, Counts, Posterior, counts_of_player
from counterplay.opponents.histories.hand_record import GameHand
from counterplay.opponents.histories.read_hands import Hands, log_skipped, log_use, read_hands
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.opponents.reference_players import Nash
from counterplay.opponents.spot_counts import SpotObserver, counts_in_spot, seen_hands, spot_hands_of_player
from counterplay.opponents.tilting.mapped_hands import map_hands
from counterplay.opponents.tilting.spot_tilt import (
    SpotTilt,
    count_in_spot,
    situations,
    spot_from_figures,
    spot_from_hands,
    spot_from_log,
    statistic_classes,
)
from counterplay.opponents.tilting.tilted_model import (
    ROWS,
    TENDENCIES,
    TRUSTS,
    model_of_hands,
    model_of_tendencies,
    tilt_game,
)
from counterplay.opponents.villain.seen_decisions import STATISTICS, WENT, WON
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.locking.leak_match import check_leaks, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solve_spot import name_of_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import as_spot_game
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.strategies.strategy_makers import locked_strategy, spot_of, spot_reference
from counterplay.texts.grammar import cut, split_pairs
from counterplay.texts.readers import NumberPairs, OneOf, Parsed, Reader, number_text
from counterplay.treeplex.strategy import Strategy

DECIDED = tuple(name for name in STATISTICS if name not in (WENT, WON))
"""The statistics that are counted decision by decision, which alone can be asked for."""


@dataclass(frozen=True)
class Locked(OpponentModel):
    """A player with the leaks of a file who plays the equilibrium everywhere else. A line with `trust T` is followed
    with probability T at each of its decisions. file: path of the leaks, in the language of `counterplay spot --lock`.
    """

    HEAD, FIXED = "lock", False
    file: Annotated[str, Reader(what="the file of leaks", example="leak.txt", greedy=True)]

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: no spot, an unreadable file, or leaks that do not fit: another player's, or other nodes."""
        spot, leaks = spot_of(game, self), Leaks.from_file(self.file)
        check_leaks(leaks, spot)
        if (who := opponent_of(leaks, spot.betting)) != player:
            raise SeatError(
                f"{self.file} has leaks of {PLAYERS[who]}, but the opponent is {PLAYERS[player]}: take the other "
                "seat (--seat)"
            )
        return locked_strategy(lock_nodes(spot_reference(game, self), leaks), game)

    def check(self) -> None:
        Leaks.from_file(self.file)


def figures_of(words: str) -> dict[str, float]:
    """The figures of a text such as `VPIP=45,fold to c-bet=70`: per cent by the beginning of a statistic's name."""
    figures: dict[str, float] = {}
    for key, value in split_pairs(words, "profile takes STATISTIC=PERCENT, as in 'profile:VPIP=45,fold to c-bet=70'"):
        name, share = key.strip(), value.strip()
        if name in figures:
            raise InputError(f"profile: {quoted(name)} is given twice")
        try:
            figures[name] = float(share.removesuffix("%"))
        except ValueError:
            raise InputError(f"profile: {name} must be a number of per cent, not {quoted(share)}") from None
        if not 0.0 <= figures[name] <= 100.0:
            raise InputError(f"profile: {name} must be from 0 to 100 per cent, not {share}")
        if not _met(name):
            raise InputError(f"profile: no statistic begins with {quoted(name)}; they are {', '.join(DECIDED)}")
    return figures


def _met(start: str) -> list[str]:
    """The statistics that begin with a text, ignoring case."""
    return [name for name in DECIDED if name.casefold().startswith(start.casefold())]


@dataclass(frozen=True)
class Profile(OpponentModel):
    """A player with some figures of the villain card, who else plays as another one: `profile:VPIP=45,3-bet=12:nash`.

    Attributes:
        figures: per cent by the beginning of a statistic's name, ignoring case; a longer beginning counts before a shorter
            one; a mapping is accepted.
        to: the player that is changed; in a spot always its solution.
    """

    HEAD = "profile"
    figures: Annotated[tuple[tuple[str, float], ...], NumberPairs(parse=figures_of, example="VPIP=45")]
    to: Annotated[OpponentModel | str, MODELS.nested("the player that it changes")] = field(default=Nash())

    @classmethod
    def from_text(cls, text: str) -> Self:
        return super().from_text(text if cut(text.partition(":")[2], ":")[1] else f"{text}:{Nash.HEAD}")

    @property
    def shares(self) -> dict[str, float]:
        """The share, from 0 to 1, of every statistic that the figures name."""
        found: dict[str, float] = {}
        for start, share in sorted(self.figures, key=lambda pair: len(pair[0])):
            found |= dict.fromkeys(_met(start), share / 100.0)
        return {name: found[name] for name in DECIDED if name in found}

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002 - nothing is drawn
        self.check_spot(spot_of(game, self), player)
        return locked_strategy(self.tilt(spot_reference(game, self), player).lock, game)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return tilt_game(game, self.bucketed(game, seed), self.shares).play

    def check_spot(self, spot: Spot, seat: int) -> None:
        if self.to != Nash():
            raise InputError(f"{quoted(self)}: in a spot a profile changes its solution, and no other player")
        known = {one.name for one in statistic_classes(spot.betting, seat)}
        if not known & self.shares.keys():
            counted = ", ".join(sorted(known)) or "none"
            raise InputError(f"{quoted(self)}: none of its figures counts in this spot, where there are {counted}")

    def tilt(self, solved: SolvedSpot, seat: int) -> SpotTilt:
        return spot_from_figures(solved, seat, self.shares)


def _name(spot: Spot) -> str:
    return f"spot {cards_text(spot.board)}"


def _weight_text(word: str) -> str:
    """The weight of a prior as a word: `auto`, or a number of at least 0."""
    return word if word == AUTO else number_text(checked_weight(word))


def checked_row_weight(weight: float | str) -> float | None:
    """The weight of the tilted blueprint in a row of whole hold'em, above 0; None for `auto`, which is learned."""
    number = None if weight == AUTO else checked_weight(weight)
    if number is not None and number <= 0.0:
        raise InputError(f"the weight of the prior in whole hold'em is auto or above 0, not {quoted(weight)}")
    return number


@dataclass(frozen=True)
class HandsModel(OpponentModel):
    """A model of a player from hands: `hands:session.jsonl,player=bob,prior=nash`.

    Attributes:
        file: of hands, in any format, or a folder of such files.
        player: name of the player there, or `everyone`.
        prior: what is assumed without hands; in a spot always its solution, unless the hands are a log of that spot.
        weight, by, reveal: of games in memory and logs of spots: see `Counts.strategy` and `counts_of_player`; by `logit` it
            is the quantal response to the prior's play in the other seat (see `Counts.quantal_response`).
        trust: of whole hold'em: see `tilted_model.model_of_hands`, as is its weight; or `tendencies`, by street alone (see
            `tilted_model.model_of_tendencies`).
    """

    HEAD, FIXED = "hands", False
    file: Annotated[str, Reader(what="the file", example="hands.phhs")]
    player: Annotated[str, Reader(what="the player", example="bob")] = field(kw_only=True)
    prior: Annotated[OpponentModel | str, MODELS.nested("the prior", keyed=True, example="nash")] = field(
        default=Nash(), kw_only=True
    )
    weight: Annotated[str, Parsed(what="the weight", parse=_weight_text)] = field(default=AUTO, kw_only=True)
    by: Annotated[str, OneOf(words=(*ESTIMATORS, LOGIT))] = field(default=EM, kw_only=True)
    reveal: Annotated[str, OneOf(words=REVEALS)] = field(default=SHOWN, kw_only=True)
    trust: Annotated[str, OneOf(words=(*TRUSTS, TENDENCIES))] = field(default=ROWS, kw_only=True)

    def make(self, game: Any, player: int, seed: int) -> Strategy:
        if self.trust != ROWS:
            raise InputError(f"{quoted(self)}: trust is for whole games of hold'em")
        if not game.lists_histories:
            # The model in a spot: counts of its own log, or a tilt of its solution toward hands of hold'em.
            hands = self.hands()
            if (logged := counts_in_spot(game, player, hands, self.player, self.reveal)) is not None:
                if self.by == LOGIT:
                    raise InputError(f"{quoted(self)}: by={LOGIT} is for games in memory, not for {game.name}")
                return logged.strategy(self.prior, self.weight, self.by, seed=seed)
            self.check_spot(spot_of(game, self), player, hands)
            tilted = self.tilt(spot_reference(game, self), player, hands)
            if (seen := tilted.hands) is not None:
                log_use(self.player, seen.about, seen.left_out, *seen.mapped)
            return locked_strategy(tilted.lock, game)
        if self.by == LOGIT and self.weight != AUTO:
            raise InputError(f"{quoted(self)}: a quantal response has no weight of a prior: leave it out")
        return self.strategy_of(self.counts(game, player), seed)

    def strategy_of(self, counts: Counts, seed: int) -> Strategy:
        """The model of some hands in a game in memory."""
        if self.by == LOGIT:
            return counts.quantal_response(self.prior, seed=seed)
        return counts.strategy(self.prior, self.weight, self.by, seed=seed)

    def counts(self, game: AnyGame, player: int) -> Counts:
        """The player's hands in a game in memory, counted; errors as of `counts_of_player`."""
        found = self.hands()
        others = found.others_of(self.player)
        counts = counts_of_player(game, player, others, self.player, self.reveal)
        reasons = {
            f"hands not in seat {player}": len(others) - round(counts.hands),
            "hands of hold'em": len(found.of(self.player)) - len(others),
        }
        log_use(self.player, f"{counts.hands:,} hands in seat {player}", reasons)
        return counts

    def posterior(self, game: AnyGame, player: int, samples: int, seed: int) -> Posterior:
        """Strategies that the hands and the prior leave possible, in a game in memory; see `Counts.posterior`. An
        InputError for another estimate than EM, which is the one with a prior."""
        if self.by != EM:
            raise InputError(f"a posterior needs the prior of by={EM}, not by={self.by}")
        return self.counts(game, player).posterior(samples, self.prior, self.weight, seed=seed)

    def check_spot(self, spot: Spot, seat: int, hands: Hands | None = None) -> None:
        hands = self.hands() if hands is None else hands
        if self.has_counting_options or self.trust != ROWS or self.prior != Nash():
            raise InputError(
                f"{quoted(self)}: here a spot takes hands:FILE,player=NAME, since the prior is its solution"
            )
        if (logged := self._logged(spot, hands)) is None:
            count_in_spot(spot, situations(spot.betting, seat), hands.holdem_of(self.player), self.player, seat)
        elif not any(hand.players[seat] == self.player for hand in logged[0]):
            raise InputError(f"there are no hands of {quoted(self.player)} as {PLAYERS[seat]} in {_name(spot)}")

    def tilt(self, solved: SolvedSpot, seat: int, hands: Hands | None = None) -> SpotTilt:
        hands = self.hands() if hands is None else hands
        if (logged := self._logged(solved.spot, hands)) is None:
            return spot_from_hands(solved, seat, hands.holdem_of(self.player), self.player)
        seen = list(seen_hands(SpotObserver(as_spot_game(solved), seat), logged[0], self.player))
        left_out = Counter({f"hands not as {PLAYERS[seat]}": len(logged[0]) - len(seen)} | logged[1])
        return spot_from_log(solved, seat, [one.actions for one in seen], self.player, +left_out)

    def _logged(self, spot: Spot, hands: Hands) -> tuple[list[GameHand], dict[str, int]] | None:
        return spot_hands_of_player(name_of_spot(spot), _name(spot), hands, self.player)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        if replace(self, weight=AUTO).has_counting_options:
            raise InputError(f"{quoted(self)}: by and reveal are for games in memory")
        prior, weight = self.bucketed(game, seed), checked_row_weight(self.weight)
        if self.trust == TENDENCIES and weight is not None:
            raise InputError(f"{quoted(self)}: tendencies have no weight of the prior: leave it out")
        used = map_hands(game, self.hands().holdem_of(self.player), self.player)
        log_use(self.player, used.about, used.left_out, used.mapped, used.bets)
        if self.trust == TENDENCIES:
            return model_of_tendencies(game, prior, used).play
        model = model_of_hands(game, prior, used, self.trust, weight)
        return ObservedStrategy(model.play, model.counts)

    @property
    def base(self) -> OpponentModel:
        return cast(OpponentModel, self.prior)  # a text is a record after construction

    @property
    def has_counting_options(self) -> bool:
        """Return whether it says how games in memory make a model."""
        return (self.weight, self.by, self.reveal) != (AUTO, EM, SHOWN)

    def hands(self) -> Hands:
        """The hands of the file; reasons of skipped ones are logged (`histories.read_hands`)."""
        hands = read_hands([self.file])
        log_skipped(hands)
        return hands

    def check(self) -> None:
        if not os.path.isdir(self.file):
            check_readable(self.file)
        self.base.check()
