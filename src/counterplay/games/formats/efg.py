"""Gambit's .efg files, game trees as text in prefix order: `read_efg` reads one, `write_efg` writes any game,
`write_profile` the strategies of both players beside it."""

from __future__ import annotations

from pathlib import Path

from counterplay.errors import quoted
from counterplay.games.formats.efg_text import Words
from counterplay.games.formats.efg_tree import EfgGame, EfgInfoset, EfgNode, infoset_of, unique
from counterplay.games.formats.efg_write import write_efg, write_profile
from counterplay.games.game import CHANCE, TERMINAL, chance_fault

__all__ = ["EfgGame", "read_efg", "write_efg", "write_profile"]


def read_efg(path: str | Path) -> EfgGame:
    """The two-player zero-sum game of a .efg file; player 1 of the file is player 0 here.

    Infosets are told apart by their numbers. A label that is empty becomes the number; a label that several infosets of
    a player share gets the number added. Outcomes at inner nodes add up along the path.

    Raises:
        InputError: no such file, not the format (with the line), not two players, not zero-sum, or chance that is no
            probability distribution.
    """
    return _Reader(Words(Path(path))).game()


class _Reader:
    """One pass over the words of a file."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.infosets: dict[tuple[int, int], EfgInfoset] = {}
        self.outcomes: dict[int, tuple[float, float]] = {}

    def game(self) -> EfgGame:
        words = self.words
        words.plain("EFG")
        words.plain("2")
        words.plain("R", "D")
        words.quoted("the title")
        self._players()
        if words.sees_quoted():
            words.quoted("a comment")
        root = self._tree()
        words.end()
        self._make_unique()
        return EfgGame(f"efg:{words.path}", root)

    def _players(self) -> None:
        line, players = self.words.line, 0
        self.words.plain("{")
        while not self.words.sees("}"):
            self.words.quoted("the name of a player or '}'")
            players += 1
        self.words.plain("}")
        if players != 2:
            raise self.words.error(f"the game has {players} players, and not 2", line)

    def _tree(self) -> EfgNode:
        """The nodes in prefix order; `path` holds the nodes above that still lack children."""
        path: list[EfgNode] = []
        while True:
            node = self._node(path)
            if path:
                path[-1].children.append(node)
            root = path[0] if path else node
            if node.infoset:
                path.append(node)
            while path and len(path[-1].children) == len(infoset_of(path[-1]).actions):
                path.pop()
            if not path:
                return root

    def _node(self, path: list[EfgNode]) -> EfgNode:
        words, line = self.words, self.words.line
        kind = words.plain("c", "p", "t")
        words.quoted("the name of the node")
        player = CHANCE if kind == "c" else TERMINAL
        if kind == "p":
            player = words.count("the number of the player", 1) - 1
            if player > 1:
                raise words.error(f"there is no player {player + 1} in a game of 2 players", line)
        infoset = self._infoset(player) if kind != "t" else None
        mine, other = self._outcome()
        before = path[-1].payoffs if path else (0.0, 0.0)
        node = EfgNode(player, infoset, (before[0] + mine, before[1] + other))
        if kind == "t":
            self._check_zero_sum(node, path, line)
        return node

    def _infoset(self, player: int) -> EfgInfoset:
        """An infoset, whose description may be left out once it was given."""
        words, line = self.words, self.words.line
        key = (player, words.count("the number of the infoset", 1))
        known = self.infosets.get(key)
        if not words.sees_quoted() and not words.sees("{"):
            if known is None:
                raise words.expected(f"the actions of the infoset {key[1]}, which is new")
            return known
        text = words.quoted("the name of the infoset") if words.sees_quoted() else ""
        if known and not words.sees("{"):
            return known
        infoset = self._actions(player, key[1], text, line)
        if known is None:
            self.infosets[key] = known = infoset
        elif (known.actions, known.odds) != (infoset.actions, infoset.odds):
            raise words.error(f"the infoset {key[1]} has other actions here than before", line)
        return known

    def _actions(self, player: int, number: int, text: str, line: int) -> EfgInfoset:
        words = self.words
        actions: list[str] = []
        odds: list[float] = []
        words.plain("{")
        while not words.sees("}"):
            actions.append(words.quoted("the name of an action or '}'"))
            if player == CHANCE:
                odds.append(words.number("a probability"))
        words.plain("}")
        if not actions:
            raise words.error(f"the infoset {number} has no actions", line)
        if player == CHANCE and (fault := chance_fault(odds, len(actions))):
            raise words.error(f"the chance probabilities {fault}", line)
        return EfgInfoset(number, text, unique(actions), odds)

    def _outcome(self) -> tuple[float, float]:
        """The payoffs of an outcome, which may be left out once they were given; outcome 0 is none."""
        words, line = self.words, self.words.line
        number = words.count("the number of the outcome", 0)
        if words.sees_quoted():
            words.quoted("the name of the outcome")
        if number == 0 and not words.sees("{"):
            return 0.0, 0.0
        if not words.sees("{"):
            if number not in self.outcomes:
                raise words.expected(f"the payoffs of the outcome {number}, which is new")
            return self.outcomes[number]
        words.plain("{")
        payoffs = words.number("the payoff of player 1"), words.number("the payoff of player 2")
        words.plain("}")
        if number == 0:
            raise words.error("the outcome 0 means that there is none, so it has no payoffs", line)
        if self.outcomes.setdefault(number, payoffs) != payoffs:
            raise words.error(f"the outcome {number} has other payoffs here than before", line)
        return payoffs

    def _check_zero_sum(self, node: EfgNode, path: list[EfgNode], line: int) -> None:
        mine, other = node.payoffs
        if abs(mine + other) <= 1e-9 * max(1.0, abs(mine), abs(other)):
            return
        history = " ".join(infoset_of(above).actions[len(above.children) - (above is not path[-1])] for above in path)
        raise self.words.error(f"not zero-sum: the payoffs after {quoted(history)} are {mine:g} and {other:g}", line)

    def _make_unique(self) -> None:
        """Give the infosets of each player different texts that are not empty."""
        for player in (0, 1):
            own = [infoset for (who, _), infoset in self.infosets.items() if who == player]
            for infoset, text in zip(own, unique([i.text for i in own], [i.number for i in own]), strict=True):
                infoset.text = text
