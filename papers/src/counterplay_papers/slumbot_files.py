"""The files of `cdbr-slumbot`, which the package holds: the bot to which is responded, the blueprint whose values stand
behind a look-ahead, and the table of what has been computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from counterplay import InputError
from counterplay.cache_folder import cache_folder
from counterplay.poker.whole_game.blueprints.blueprint_file import digest_blueprint
from counterplay_papers.flops.flop_table import FlopTable
from counterplay_papers.flops.flop_table_file import read_flop_table
from counterplay_papers.needed_files import find_file

GAME = "holdem:stack=200bb,bets=fcpa"
BUCKETS = "buckets=moments:5k/5k/1k"
DATA = Path(__file__).parent / "data"
"""What the package holds."""
TABLE = "cdbr-slumbot.cpv"


@dataclass(frozen=True)
class RemadeFile:
    """A blueprint that one command makes again, up to rounding: the compiler chooses which products and sums are fused, so
    that other versions of it, or of the library, give another digest.

    Attributes:
        name: of the file.
        options: of the command.
        minutes: of one core, about.
        buckets: what the game has to say of them, with a comma; nothing for those of the default size.
        program: that makes it.
    """

    name: str
    options: str
    minutes: int
    buckets: str = f",{BUCKETS}"
    program: str = "counterplay blueprint"

    @property
    def command(self) -> str:
        """What makes it."""
        return f"{self.program} {GAME}{self.buckets} {self.options} -o {self.name}"

    def find(self) -> Path | None:
        """Where it lies: in the package, in the working directory, or in the user's cache."""
        cached = cache_folder("blueprints")
        return find_file(self.name, [DATA / self.name, Path(self.name), *([cached / self.name] if cached else [])])

    def path(self) -> Path:
        """The same.

        Raises:
            InputError: it is not there; the message says how to make it.
        """
        found = self.find()
        if found is None:
            raise InputError(f"cdbr-slumbot needs {self.name} in the working directory; in {self.minutes} minutes of one "
                             f"core it is made by: {self.command}")  # fmt: skip
        return found


BOT = RemadeFile(
    "slumbot-class.cpb",
    "--iterations 200000000",
    80,
    program="python -m counterplay_papers.external_sampling",
)
TOY_BOT = str(DATA / "toy-class.cpb")
"""A bot in the game of 20 cards and 10 big blinds: 20,000 iterations of external sampling in 30 buckets of each street."""
VALUES = RemadeFile("quick-values.cpb", "--iterations 50000", 10)
HOUR = RemadeFile("hour-default.cpb", "--minutes 60 --training hour-default.train", 60, "")


@cache
def digest(file: RemadeFile) -> str:
    """Some letters of what the file holds (see `digest_blueprint`)."""
    return digest_blueprint(file.path())[:16]


@cache
def kept_table() -> FlopTable | None:
    """The table in the package.

    Raises:
        InputError: it is damaged, or its numbers do not fit each other.
    """
    path = DATA / TABLE
    return read_flop_table(path) if path.is_file() else None
