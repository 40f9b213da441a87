"""The command that walks through a solved spot: the file is loaded once, and every line of input is a step or a question."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from counterplay.commands.printing.output import number, say
from counterplay.commands.spots.spot_output import SOLUTION_LINES, show_node
from counterplay.commands.value_output import with_units
from counterplay.errors import InputError
from counterplay.tables import aligned

if TYPE_CHECKING:
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.spots.node_report import Node
    from counterplay.poker.spots.solution import SolvedSpot

HELP = """\
x, c, f, b100, a, bet 100 ...   an action, or several: x b100 c
Ah                              the card that is dealt
back, top                       one step back; to the root
show                            the node again
values                          the EV of each action, class by class
hands [QQ+,AhKs]                hand by hand: weight, EV, equity, frequencies and EVs
ranges [gto+ | pio | percent]   both ranges here, as text
help, quit"""
_MOST = 40
"""The most hands that are listed."""
File = Annotated[Path, typer.Argument(metavar="FILE.spot", help="A solved spot or an answer, as -o of spot keeps it.")]


def walk(file: File) -> None:
    """Walk through a solved spot: actions and cards lead on, `back` leads back, `hands` and `ranges` show more. Lines are
    read from the terminal or from a pipe, until `quit` or their end."""
    from counterplay.poker.spots.solution import load_spot

    if sys.stdin.isatty():
        print(f"loading {file}", file=sys.stderr, flush=True)
    solved = load_spot(file)
    facts, names = with_units(solved.facts, [n for n in SOLUTION_LINES if n in solved.facts], solved.spot)
    say([f"{name:15} {number(facts[name]) if isinstance(facts[name], float) else facts[name]}" for name in names])
    follow(solved, _read)


def _read() -> str | None:
    """The next line; None at the end of the input."""
    try:
        return input("> " if sys.stdin.isatty() else "")
    except EOFError:
        return None


def follow(solved: SolvedSpot, read: Callable[[], str | None]) -> None:
    """Show the root, then obey lines of input until the last one."""
    place = WalkedPath(solved, ("",))
    place.show()
    while (line := read()) is not None:
        words = line.split(maxsplit=1)
        if not words:
            continue
        if words[0].lower() in ("quit", "exit", "q"):
            return
        try:
            place = place.after(line.strip(), words[0].lower(), words[1] if len(words) > 1 else "")
        except InputError as error:
            print(error)


class WalkedPath(NamedTuple):
    """A node on a walk. solved: the solution. paths: those of the nodes from the root to here."""

    solved: SolvedSpot
    paths: tuple[str, ...]

    def node(self) -> Node:
        """The report of the node."""
        return self.solved.node(self.paths[-1])

    def after(self, line: str, word: str, rest: str) -> WalkedPath:
        """The place after a line, which has shown what it asks for.

        Raises:
            InputError: it is neither a command nor a step.
        """
        moves = {"back": self.paths[:-1] or self.paths, "top": ("",)}
        tells: dict[str, Callable[[], None]] = {
            "help": lambda: print(HELP), "h": lambda: print(HELP), "?": lambda: print(HELP),
            "show": self.show, "values": lambda: self.show(values=True),
            "hands": lambda: self.list_hands(rest), "ranges": lambda: self.write_ranges(rest or "plain"),
        }  # fmt: skip
        if word in tells:
            tells[word]()
            return self
        place = WalkedPath(self.solved, moves[word]) if word in moves else self._stepped(line)
        place.show()
        return place

    def _stepped(self, line: str) -> WalkedPath:
        here = f"{self.paths[-1]}, {line}" if self.paths[-1] else line
        try:
            node = self.solved.node(here)
        except InputError as error:
            raise InputError(f"{error}; help lists the commands") from None
        return WalkedPath(self.solved, (*self.paths, node.path))

    def show(self, values: bool = False) -> None:
        """Values and strategy, and where the walk may go on."""
        node = self.node()
        show_node(self.solved, node, values)
        if node.player is None:
            print(self._next())
        else:
            print(f"actions: {', '.join(node.actions)}")

    def _next(self) -> str:
        from counterplay.poker.betting.state import Kind

        betting = self.solved.tree.betting
        kind = int(betting.kind[self.solved.find(self.paths[-1]).node])
        if kind == Kind.DEAL:
            return "a card is dealt: name one, as in Ah"
        return "showdown" if kind == Kind.SHOWDOWN else "the hand is over"

    def list_hands(self, text: str) -> None:
        """A line for each hand of the player to act, or of both; the heaviest first.

        Raises:
            InputError: no range.
        """
        from counterplay.poker.ranges.range import Range

        node, deck = self.node(), self.solved.spot.deck
        chosen = Range.parse(text, deck).weights > 0.0 if text else None
        for player in (0, 1) if node.player is None else (node.player,):
            weights = node.ranges[player]
            listed = (weights > 0.0) if chosen is None else (weights > 0.0) & chosen
            order = sorted(listed.nonzero()[0].tolist(), key=lambda k: -weights[k])
            _list(node, player, order[:_MOST], deck)
            if len(order) > _MOST:
                print(f"... and {len(order) - _MOST} more: name some, as in hands QQ+,AKs")

    def write_ranges(self, notation: str) -> None:
        """Both ranges at the node as text.

        Raises:
            InputError: an unknown notation.
        """
        from counterplay.poker.betting.rules import PLAYERS
        from counterplay.poker.ranges.range import Range

        node = self.node()
        for player, name in enumerate(PLAYERS):
            held = node.ranges[player]
            text = Range(held.clip(0.0, 1.0), self.solved.spot.deck).text(notation) if held.any() else "nothing"
            print(f"{name}: {text}")


def _list(node: Node, player: int, hands: list[int], deck: Deck) -> None:
    from counterplay.poker.betting.rules import PLAYERS
    from counterplay.poker.cards.deck import hand_text

    acts = player == node.player
    table = [(PLAYERS[player], "weight", "EV", "equity", *(node.actions if acts else ()))]
    for k in hands:
        shares = [
            f"{100.0 * p:.1f} % ({ev:.4g})" for p, ev in zip(node.probabilities[k], node.action_values[k], strict=True)
        ]
        numbers = (
            f"{node.ranges[player][k]:.3g}",
            f"{node.values[player][k]:.4g}",
            f"{100.0 * node.equities[player][k]:.1f} %",
        )
        table.append((hand_text(deck.hands[k].tolist()), *numbers, *(shares if acts else ())))
    widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
    say(aligned([f"<{widths[0]}", *(f">{width + 2}" for width in widths[1:])], table))
