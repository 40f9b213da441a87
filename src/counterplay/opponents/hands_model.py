"""Models made from files of hands."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, cast

from counterplay.errors import InputError, quoted
from counterplay.files import check_readable
from counterplay.opponents.counting.estimate import checked_weight
from counterplay.opponents.counting.posterior import Posterior
from counterplay.opponents.counting.terminal_infosets import REVEALS, SHOWN
from counterplay.opponents.counts import AUTO, EM, ESTIMATORS, LOGIT, Counts, counts_of_player
from counterplay.opponents.histories.read_hands import Hands, read_hands
from counterplay.opponents.histories.skipped_hands import log_skipped, log_use
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.opponents.reference_players import Nash
from counterplay.opponents.spot_counts import SpotObserver, counts_in_spot, seen_hands, spot_hands_of_player
from counterplay.opponents.tilting.mapped_hands import map_hands
from counterplay.opponents.tilting.spot_situations import count_in_spot, situations
from counterplay.opponents.tilting.spot_tilt import SpotTilt, spot_from_hands, spot_from_log
from counterplay.opponents.tilting.tendencies import model_of_tendencies
from counterplay.opponents.tilting.tilted_model import ROWS, TENDENCIES, TRUSTS, model_of_mapped
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solution_cache import name_of_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.strategies.spot_reference import locked_strategy, spot_of, spot_reference
from counterplay.texts.readers import OneOf, Parsed, Reader, number_text
from counterplay.treeplex.strategy import Strategy


def _weight_text(word: str) -> str:
    """The weight of a prior as a word: `auto`, or a number of at least 0."""
    return word if word == AUTO else number_text(checked_weight(word))


def checked_row_weight(weight: float | str) -> float | None:
    """The weight of the tilted blueprint in a row of whole hold'em, above 0; None for `auto`, which is learned."""
    number = None if weight == AUTO else checked_weight(weight)
    if number is not None and number <= 0.0:
        raise InputError(f"the weight of the prior in whole hold'em is auto or above 0, not {quoted(weight)}")
    return number


def _named(spot: Spot) -> str:
    return f"spot {cards_text(spot.board)}"


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
            `tendencies.model_of_tendencies`).
    """

    HEAD = "hands"
    file: Annotated[str, Reader(what="the file", example="hands.phhs")]
    player: Annotated[str, Reader(what="the player", example="bob")] = field(kw_only=True)
    prior: Annotated[OpponentModel, MODELS.nested("the prior", keyed=True, example="nash")] = field(
        default=Nash(), kw_only=True
    )
    weight: Annotated[str, Parsed(what="the weight", parse=_weight_text)] = field(default=AUTO, kw_only=True)
    by: Annotated[str, OneOf(words=(*ESTIMATORS, LOGIT))] = field(default=EM, kw_only=True)
    reveal: Annotated[str, OneOf(words=REVEALS)] = field(default=SHOWN, kw_only=True)
    trust: Annotated[str, OneOf(words=(*TRUSTS, TENDENCIES))] = field(default=ROWS, kw_only=True)

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            return self._in_spot(game, player, seed)
        if self.trust != ROWS:
            raise InputError(f"{quoted(self)}: trust is for whole games of hold'em")
        if self.by == LOGIT and self.weight != AUTO:
            raise InputError(f"{quoted(self)}: a quantal response has no weight of a prior: leave it out")
        return self.strategy_of(self.counts(game, player), seed)

    def strategy_of(self, counts: Counts, seed: int) -> Strategy:
        """The model of some hands in a game in memory."""
        if self.by == LOGIT:
            return counts.quantal_response(self.prior, seed=seed)
        prior = self.prior.strategy(counts.game, counts.seat, seed)
        return counts.strategy(prior, self.weight, self.by, seed=seed)

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
        """Strategies that the hands and the prior leave possible, in a game in memory; see `Counts.posterior`.

        Raises:
            InputError: another estimate than EM, which is the one with a prior.
        """
        if self.by != EM:
            raise InputError(f"a posterior needs the prior of by={EM}, not by={self.by}")
        prior = self.prior.strategy(game, player, seed)
        return self.counts(game, player).posterior(samples, prior, self.weight, seed=seed)

    def _in_spot(self, game: Any, player: int, seed: int) -> Strategy:
        """The model in a spot: counts of its own log, or a tilt of its solution toward hands of hold'em."""
        hands = self.hands()
        if self.trust != ROWS:
            raise InputError(f"{quoted(self)}: trust is for whole games of hold'em")
        if (logged := counts_in_spot(game, player, hands, self.player, self.reveal)) is not None:
            if self.by == LOGIT:
                raise InputError(f"{quoted(self)}: by={LOGIT} is for games in memory, not for {game.name}")
            prior = self.prior.strategy(game, player, seed)
            return cast(Strategy, logged.strategy(prior, self.weight, self.by, seed=seed))
        self._check_hands(spot_of(game, self), player, hands)
        tilted = self._tilt(spot_reference(game, self), player, hands)
        if (seen := tilted.hands) is not None:
            log_use(self.player, seen.about, seen.left_out, *seen.mapped)
        return locked_strategy(tilted.lock, game)

    def check_spot(self, spot: Spot, seat: int) -> None:
        self._check_hands(spot, seat, self.hands())

    def _check_hands(self, spot: Spot, seat: int, hands: Hands) -> None:
        """Reject hands that do not fit a spot, before it is solved."""
        if self.has_counting_options or self.trust != ROWS or self.prior != Nash():
            raise InputError(
                f"{quoted(self)}: here a spot takes hands:FILE,player=NAME, since the prior is its solution"
            )
        if (logged := spot_hands_of_player(name_of_spot(spot), _named(spot), hands, self.player)) is None:
            count_in_spot(spot, situations(spot.betting, seat), hands.holdem_of(self.player), self.player, seat)
        elif not any(hand.players[seat] == self.player for hand in logged[0]):
            raise InputError(f"there are no hands of {quoted(self.player)} as {PLAYERS[seat]} in {_named(spot)}")

    def tilt(self, solved: SolvedSpot, seat: int) -> SpotTilt:
        return self._tilt(solved, seat, self.hands())

    def _tilt(self, solved: SolvedSpot, seat: int, hands: Hands) -> SpotTilt:
        spot = solved.spot
        if (logged := spot_hands_of_player(name_of_spot(spot), _named(spot), hands, self.player)) is None:
            return spot_from_hands(solved, seat, hands.holdem_of(self.player), self.player)
        seen = list(seen_hands(SpotObserver(as_spot_game(solved), seat), logged[0], self.player))
        left_out = Counter({f"hands not as {PLAYERS[seat]}": len(logged[0]) - len(seen)} | logged[1])
        return spot_from_log(solved, seat, [one.actions for one in seen], self.player, +left_out)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        if replace(self, weight=AUTO).has_counting_options:
            raise InputError(f"{quoted(self)}: by and reveal are for games in memory")
        prior, weight = self.bucketed(game, seed), checked_row_weight(self.weight)
        if self.trust == TENDENCIES and weight is not None:
            raise InputError(f"{quoted(self)}: tendencies have no weight of the prior: leave it out")
        used = map_hands(game, self.hands().holdem_of(self.player), self.player)
        log_use(self.player, used.about, used.left_out, used.mapped, used.bets)
        if self.trust == TENDENCIES:
            return model_of_tendencies(game, prior, used).model
        model = model_of_mapped(game, prior, used, self.trust, weight)
        return ObservedStrategy(model.play, model.counts)

    @property
    def base(self) -> OpponentModel:
        return self.prior

    @property
    def has_counting_options(self) -> bool:
        """Return whether it says how games in memory make a model."""
        return (self.weight, self.by, self.reveal) != (AUTO, EM, SHOWN)

    def hands(self) -> Hands:
        """The hands of the file; reasons of skipped ones are logged (`histories.skipped_hands`)."""
        hands = read_hands([self.file])
        log_skipped(hands)
        return hands

    def check(self) -> None:
        if not os.path.isdir(self.file):
            check_readable(self.file)
        self.prior.check()

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False
