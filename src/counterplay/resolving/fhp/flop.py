"""One flop after some betting as a piece of a public tree, so that every gadget and every search there is can enter it.

The public tree deals all hands alike; with which hands a player comes, and what it does, is said by a behaviour that is read
off a strategy of the whole game. Suits keep their names here: a model may be asked about any flop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.boards import Cards, Ints
from counterplay.poker.fhp.game import Floats, Game
from counterplay.poker.fhp.measure import entry_values, preflop_values
from counterplay.poker.fhp.play import Play, reaches
from counterplay.poker.fhp.query import probabilities, reach
from counterplay.poker.fhp.subgame import flop_betting
from counterplay.poker.leaves import Part
from counterplay.poker.pieces import Piece
from counterplay.poker.problem import PublicTree, public_tree
from counterplay.poker.ranks import hand_ranks
from counterplay.poker.runs import DEAL
from counterplay.resolving.rivers import Known, Resolved, resolve_piece
from counterplay.resolving.search import Search
from counterplay.subgames import gadgets
from counterplay.treeplex import sweeps


@dataclass(frozen=True, eq=False)
class FlopPiece(Piece):
    """A flop.

    Attributes:
        game: what it is part of.
        entry: how the betting before it ended, a number in `Game.entries`.
        board: the cards of the flop.
        given: (entries, hands of the deck) chips that the opponent gave away on the way, from `gifts_before`; None if nobody
            asked.
    """

    game: Game
    entry: int
    board: tuple[int, ...]
    given: Floats | None = None

    @property
    def numbers(self) -> Ints:
        """(hands,) the number in the deck of the hand at each place."""
        held = self.whole.boards.cards.hands[self.whole.boards.layers[0].hand]
        return np.asarray(self.game.flops.deck.numbers[held[:, 0], held[:, 1]], np.int64)

    def node(self, node: int) -> int:
        """The node in the betting of the whole game."""
        return self.game.betting.children(int(self.game.entries[self.entry]))[0] + node

    def gifts(self, player: int, plan: Floats) -> Floats:
        """(hands,) what a player gave away before the flop, in the unit of CFVs, shared among all flops."""
        if self.given is None:
            return np.zeros(self.size)
        held = self.tree.boards.cards.hands
        here = self.given[self.entry][self.game.flops.deck.numbers[held[:, 0], held[:, 1]]]
        return np.asarray(here * self.weight(player, plan), np.float64)

    def behaviour(self, play: Play, player: int) -> Floats:
        """(size,) what a strategy of the whole game does here, with its range in place of the deal."""
        runs, numbers = self.whole.runs[player], self.numbers
        out = runs.tree.uniform()
        for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
            rows = probabilities(self.game, play, self.node(node), self.board)[:, numbers]
            for child, row in zip(self.whole.betting.children(node), rows, strict=True):
                start = int(runs.start[child])
                out[start : start + len(row)] = row
        came = reach(self.game, play, player, int(self.game.entries[self.entry]), ())[numbers]
        out[int(runs.start[DEAL]) : int(runs.start[DEAL]) + len(came)] = came
        return out

    def row(self, behaviour: Floats, player: int, node: int, hand: int) -> Floats:
        """(actions,) what a behaviour does at a node of the piece with a hand of the deck."""
        runs = self.whole.runs[player]
        place = int(np.flatnonzero(self.numbers == hand)[0])
        return np.array([behaviour[int(runs.start[child]) + place] for child in self.whole.betting.children(node)])


def flop_piece(game: Game, entry: int, board: str | Iterable[int], given: Floats | None = None) -> FlopPiece:
    """The flop that a board shows after one of `Game.entries`.

    Raises:
        InputError: there is no such entry, nobody acts there, or the board is no flop.
    """
    tree = _laid_out(game, entry, board)
    return FlopPiece(tree, Part(), tree, game, entry, tree.boards.layers[0].boards[0], given)


def _laid_out(game: Game, entry: int, board: str | Iterable[int]) -> PublicTree:
    """All hands that the board leaves, each as likely."""
    deck, betting = game.flops.deck, flop_betting(game, entry)
    shown = deck.held(board)
    game.flops.find(shown)
    hands = deck.hands[deck.live(shown)]

    def rank(cards: tuple[int, ...], held: Ints) -> Ints:
        return hand_ranks(cards, held, deck=deck).astype(np.int64)

    return public_tree(betting, Cards(deck.cards, shown, hands, np.ones((2, len(hands))), rank))


def solved_again(
    piece: FlopPiece, me: int, blueprint: Play, model: Play | None, search: Search, *, profile: bool = False
) -> Resolved | None:
    """Solve the flop for one player, who came there by a blueprint.

    Args:
        piece: the flop.
        me: who searches.
        blueprint: of both players.
        model: of the opponent, for p and alpha.
        search: gadget, p, tremble, solver, stop.
        profile: alternative values are those of the blueprint's other half, not of a best response.

    Returns:
        None where the opponent never comes, so that nothing is at stake.

    Raises:
        InputError: a gadget that a single flop cannot have.
    """
    return resolve_piece(piece, me, known(piece, me, blueprint, model, search, profile=profile), search)


def known(
    piece: FlopPiece, me: int, blueprint: Play, model: Play | None, search: Search, *, profile: bool = False
) -> Known:
    """What the search starts from: both ranges, alternative values, the model. Arguments as in `solved_again`."""
    own, other = (piece.whole.runs[i].tree for i in (me, 1 - me))
    mine, theirs = piece.behaviour(blueprint, me), piece.behaviour(blueprint, 1 - me)
    deals = [slice(s := int(piece.whole.runs[i].start[DEAL]), s + piece.size) for i in (me, 1 - me)]
    if not mine[deals[0]].any():  # somebody put us where our own play never comes: any hand may be here
        mine[deals[0]] = 1.0
    came = theirs[deals[1]]
    if model is None:
        return Known(mine, sweeps.reach(own, mine), sweeps.reach(other, theirs), None, theirs if profile else None)
    follows = piece.behaviour(model, 1 - me)
    if search.p == 1.0:
        if not follows[deals[1]].any():  # a model that never comes says nothing of who did
            follows[deals[1]] = came if came.any() else 1.0
        theirs[deals[1]] = follows[deals[1]]
    elif search.p > 0.0:
        follows[deals[1]] /= _unit(search.gadget, came, follows[deals[1]])
    return Known(mine, sweeps.reach(own, mine), sweeps.reach(other, theirs), follows, theirs if profile else None)


def _unit(gadget: str, came: NDArray[np.float64], follows: NDArray[np.float64]) -> float:
    """What the model's range is divided by, so that it is weighed as the opponent who is not the model: behind a resolving
    gadget each of his hands may come with probability 1, behind max-margin all of them together, and without a gadget he
    comes with the blueprint's range, scaled to 1."""
    if gadget == gadgets.RESOLVING:
        return 1.0
    total = float((came if gadget == gadgets.UNSAFE else follows).sum())
    return total if total > 0.0 else 1.0


def gifts_before(game: Game, blueprint: Play, player: int) -> Floats:
    """(entries, hands of the deck) chips that a player who comes to each entry gave away on the way against the blueprint:
    at each of its actions by how much another one was better, in chips a hand met (reach max-margin)."""
    flops, side = game.flops, game.sides[player]
    met = reaches(game.sides[1 - player], blueprint.preflop[1 - player])
    worth = preflop_values(game, player, met, entry_values(game, player, blueprint))
    for _, before, first, count in side.preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    lost = np.zeros_like(worth)
    weight = _passing(game, player, met)
    for _, before, first, count in side.preflop:
        best = worth[first : first + count].max(axis=0)
        lost[first : first + count] = lost[before]
        for s in range(first, first + count):
            given, there = np.maximum(best - worth[s], 0.0), weight[s]
            lost[s] += np.divide(given, there, out=np.zeros_like(given), where=there > 0.0)
    return np.asarray(lost[side.entry][:, flops.group], np.float64)


def _passing(game: Game, player: int, met: Floats) -> Floats:
    """(sequences, classes) pairs of hands and flops that come by each of a player's decisions, in the unit of its values.

    The opponent's reach at a decision is that of its last sequence above, the same for all actions there."""
    flops, betting, side = game.flops, game.betting, game.sides[player]
    out = np.zeros((side.sizes[0], flops.classes))
    last = {int(row[0]): row for one in game.sides for row in one.preflop}
    for node, _, first, count in side.preflop:
        theirs, at = 0, int(node)
        while at > 0 and theirs == 0:
            above = int(betting.parent[at])
            if betting.kind[above] == 1 - player:
                theirs = int(last[above][2]) + int(betting.action[at])
            at = above
        out[first : first + count] = (met[theirs] @ flops.meets) * flops.deals[1]
    return out


def with_seconds(search: Search, seconds: float) -> Search:
    """The search with so many seconds left."""
    return replace(search, stop=replace(search.stop, seconds=max(seconds, 0.0)))
