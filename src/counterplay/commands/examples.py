"""The command that copies the examples out of the package. Registered in `registry.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_folder, write_whole


@takes_records
def examples(
    *,
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="Copy them there; else list them.")] = None,
    shown: Annotated[ShownFlags, Without("seed")],
) -> None:
    """List the examples that come with the library, or copy them: games, spots, leaks, hands, networks, scripts."""
    source = folder_of_examples()
    files = sorted(path.relative_to(source) for path in source.rglob("*") if _is_shown(path))
    if folder is not None:
        _copy(source, files, folder)
    names = [path.as_posix() for path in files]
    lines = [f"{'copied to' if folder else 'in'} {folder or source}:", *(f"  {name}" for name in names)]
    facts = {"folder": str(folder or source), "files": names}
    report(None, facts, [], shown, below=[lambda: print("\n".join(lines))])


def folder_of_examples() -> Path:
    """The folder of the examples: inside an installed package, beside the sources in a checkout.

    Raises:
        InputError: the examples are missing.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / "leaks").is_dir():
            return folder
    raise InputError("this installation has no examples")


def _is_shown(path: Path) -> bool:
    return path.is_file() and path.suffix in (".py", ".toml", ".txt", ".cpn", ".phhs")


def _copy(source: Path, files: list[Path], folder: Path) -> None:
    """Copy files; nothing is written if one of them exists."""
    there = next((path for path in files if (folder / path).exists()), None)
    if there is not None:
        raise InputError(f"{folder / there} exists already; nothing was copied")
    check_folder(folder)
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / path, (source / path).read_bytes())
