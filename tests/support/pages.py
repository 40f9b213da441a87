"""The blocks of a page of the documentation, and what a comment above a block says of it.

A comment stands on the line above the fence:

- `<!-- file: PATH -->`: the block is that file, whole;
- `<!-- printed by: COMMAND -->`: the block is what a command or an example prints;
- `<!-- head of: COMMAND -->`: the block is the beginning of that;
- `<!-- numbers: 2 % -->`: numbers may differ by so much; `<!-- numbers: free, REASON -->`: by any amount;
- `<!-- slow: REASON -->`: run by the slow tests only, with all blocks of its page;
- `<!-- not run: REASON -->`: not run at all;
- `<!-- conforms: KIND NAME WORDS -->`: what the block calls NAME passes the suite of its kind (`suites.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "benchmarks" / "README.md"]

_BLOCK = re.compile(r"((?:^<!-- [^\n]* -->\n)*)^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^<!-- ([a-z ]+): (.*) -->$", re.MULTILINE)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: language, what the comments above it say, text, and the number of its first line in the page."""

    language: str
    marks: dict[str, str]
    body: str
    line: int

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, each with the output shown below it."""
        parts = _COMMAND.split(self.body)[1:]
        return list(zip(parts[::2], parts[1::2], strict=True))

    @property
    def tolerance(self) -> float | None:
        """The share by which numbers may differ beyond the usual; None if by any amount."""
        said = self.marks.get("numbers", "0 %")
        if said.startswith("free, "):
            return None
        found = re.fullmatch(r"(\d+) %", said)
        assert found, f"line {self.line}: '{said}' is neither a percentage nor 'free, ' and a reason"
        return float(found[1]) / 100.0


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, from above."""
    text = page.read_text()
    return [
        Block(found[2], dict(_MARK.findall(found[1])), found[3], 1 + text.count("\n", 0, found.start(3)))
        for found in _BLOCK.finditer(text)
    ]


def rewrite(page: Path, block: Block, body: str) -> None:
    """Put another text into a block."""
    lines = page.read_text().splitlines(keepends=True)
    old = block.body.splitlines(keepends=True)
    at = next(i for i in range(len(lines)) if lines[i : i + len(old)] == old and lines[i - 1].startswith("```"))
    lines[at : at + len(old)] = [body]
    page.write_text("".join(lines))
