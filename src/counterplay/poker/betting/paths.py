"""Paths in users' notation: actions such as "x b100 c" or "check, bet 100, call, turn", and cards dealt between.

`BettingTree.path` writes the actions in full.
"""

from __future__ import annotations

import re

from counterplay.errors import InputError
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree

_WORDS = {
    "f": "fold",
    "x": "check",
    "k": "check",
    "c": "call",
    "b": "bet",
    "r": "raise",
    "a": "all-in",
    "allin": "all-in",
}
_STEP = re.compile(r"([a-z-]+)\s*(\d+(?:\.\d+)?)?")
_BETWEEN = " ,;/\n\t"
_BETS = ("bet", "raise", "all-in")
_CARD = re.compile(r"[2-9tjqka][cdhs]", re.IGNORECASE)


def split(path: str) -> tuple[str, list[str]]:
    """The actions of a path, and its cards."""
    words = path.replace(",", " ").split()
    return " ".join(word for word in words if not _CARD.fullmatch(word)), [w for w in words if _CARD.fullmatch(w)]


def node_at(betting: BettingTree, path: str) -> int:
    """The node at the end of a path without cards, such as "check, bet 100, call, turn" or "x b100 c".

    An amount may be left out where only one bet or raise is possible. A dealt street may be left out where an action
    follows: "x x" is where the next street is dealt, "x x turn" the first decision after that.
    """
    node, seen = 0, 0
    text = path.lower().replace("all in", "all-in")
    for match in _STEP.finditer(text):
        if text[seen : match.start()].strip(_BETWEEN):
            break
        seen = match.end()
        word, amount = _WORDS.get(match[1], match[1]), match[2]
        if betting.kind[node] == Kind.DEAL and word not in STREETS:
            node = betting.children(node)[0]
        here = dict(zip(betting.children(node), betting.actions(node), strict=True))
        # With an amount, bet, raise and all-in are synonyms.
        words = {child: label.split(" ")[0] for child, label in here.items()}
        fits = [child for child, own in words.items() if own == word]
        if amount is not None:
            bets = [child for child, own in words.items() if own in _BETS and word in _BETS]
            fits = [child for child in bets if float(betting.to[child]) == float(amount)]
        if len(fits) != 1:
            step = word if amount is None else f"{word} {amount}"
            what = "is not an action here" if not fits else "fits several actions"
            listed = ", ".join(here.values()) or "nothing more to do"
            raise InputError(f"betting path '{path}': '{step}' {what}, where there is {listed}")
        node = fits[0]
    if rest := text[seen:].strip(_BETWEEN):
        raise InputError(f"betting path '{path}': cannot read '{rest}'")
    return node
