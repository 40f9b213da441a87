"""Small games decomposed into branches, as large ones are."""

from __future__ import annotations

import pytest

from counterplay import GameTree
from counterplay.gametree.compile import compile as public_branches
from counterplay.gametree.compile.load import load

GAMES = {"goofspiel:4": 60, "leduc": 100, "liars_dice:1,3": 60}
"""Sequences in a branch."""


def in_branches(monkeypatch: pytest.MonkeyPatch, spec: str) -> GameTree:
    """The game, decomposed although it is small."""
    with monkeypatch.context() as patch:
        patch.setattr(public_branches, "LARGE", 0)
        patch.setattr(public_branches, "ABOUT", GAMES[spec])
        return load(spec)
