"""Commands about the installation: what is there and what is missing, and the folder of the cache."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import distributions, requires
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from counterplay.cache_folder import FOLDER, cache_folder
from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing import report, say, show_rows
from counterplay.errors import escaped, unknown

_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)([^;]*?)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"].*)?$")
"""The name of a distribution, its versions, and the extra that needs it."""
_DIGEST = r"[0-9a-f]{16,64}(-\w+)?"


class _Part(NamedTuple):
    """A part of the cache, and the pattern of its file names: other files in its folder belong to somebody else."""

    about: str
    names: str


_PARTS = {
    "kernels": _Part("compiled kernels", r".+\.nbc|warm\.json"),
    "hands": _Part("hands that were read", r"hands\.sqlite"),
    "tables": _Part("tables of card abstractions", rf"{_DIGEST}\.npz"),
    "spots": _Part("solved spots", rf"{_DIGEST}\.(spot|averages)"),
    "files": _Part("files from other processes", rf"{_DIGEST}\.\w+"),
    "samples": _Part("samples of portfolios", rf"{_DIGEST}\.work"),
}
"""By name; `samples` stand in the cache folder itself, kernels often elsewhere, the others in a folder of their name."""


@takes_records("doctor")
def doctor(*, shown: Annotated[ShownFlags, Without("seed")]) -> None:
    """Show versions, cache, threads, memory and kernels, and what is missing for each extra."""
    from counterplay.jit.threads import cores, threads
    from counterplay.memory_limit import default_memory, memory_limit

    limit, needs = memory_limit(), _requirements()
    missing = {extra: [name for name in names if _version(name) is None] for extra, names in needs.items() if extra}
    facts: dict[str, Any] = {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in ("counterplay", *needs[""])}},
        "system": f"{platform.system()} {platform.machine()}", "cores": cores(), "threads": threads(),
        "memory_limit_bytes": limit.bytes,
        "memory_limit_source": limit.source, "memory_of_one_solve_bytes": default_memory(),
        "cache": {name: _facts_of(name) for name in _PARTS}, "missing": missing,
    }  # fmt: skip
    rows = [
        ("system", f"{facts['system']}, {facts['cores']} cores, {facts['threads']} threads"),
        ("memory", f"{limit.source} {limit.bytes / 2**30:.3g} GiB; one solve takes at most half unless told otherwise"),
        *((name, number or "not installed") for name, number in facts["versions"].items()),
        *(
            (f"extra {name}", f"lacks {', '.join(lacks)}: pip install 'counterplay[{name}]'" if lacks else "complete")
            for name, lacks in missing.items()
        ),
        *((f"cache: {name}", _size_text(name)) for name in _PARTS),
    ]
    report(None, facts, [], shown, below=[partial(show_rows, ("<", "<1"), rows)])


@takes_records("cache --empty hands")
def cache(
    *,
    empty: Annotated[str | None, f"Remove a part: {', '.join(_PARTS)}, or all."] = None,
    shown: Annotated[ShownFlags, Without("seed")],
) -> None:
    """List the files of the cache, or remove them. Everything in it can be computed again."""
    names = list(_PARTS) if empty in (None, "all") else [str(empty)]
    if names[0] not in _PARTS:
        raise unknown("part of the cache", names[0], (*_PARTS, "all"))
    facts: dict[str, Any] = {"removed": empty is not None, "parts": {name: _facts_of(name) for name in names}}
    rows = [(name, _size_text(name), _PARTS[name].about) for name in names]
    below = [partial(show_rows, ("<", "<", "<1"), rows)]
    if empty is not None:
        for name in names:
            _remove(name)
        below = [partial(say, ["removed:"]), *below]
    report(None, facts, [], shown, below=below)


def _requirements() -> dict[str, list[str]]:
    """The distributions that the library needs, and those of each extra."""
    found: dict[str, list[str]] = {"": []}
    for line in requires("counterplay") or []:
        if match := _REQUIREMENT.match(line):
            found.setdefault(match[3] or "", []).append(match[1])
    return found


def _version(name: str) -> str | None:
    found = next(iter(distributions(name=name)), None)
    return None if found is None else found.version


def _folder(part: str) -> Path | None:
    """The folder of a part; None if the cache is disabled or not trusted."""
    from counterplay.jit import kernel_folder

    if part == "kernels":
        return kernel_folder.writable()
    return cache_folder() if part == "samples" else cache_folder(part)


def _files(part: str) -> Iterator[Path]:
    """The files of a part, by their names."""
    folder = _folder(part)
    if folder is not None and folder.is_dir() and not folder.is_symlink():
        for path in folder.iterdir():
            if re.fullmatch(_PARTS[part].names, path.name) and path.is_file() and not path.is_symlink():
                yield path


def _facts_of(part: str) -> dict[str, Any]:
    sizes, folder = list[int](), _folder(part)
    for path in _files(part):
        with suppress(FileNotFoundError):  # another process removed it
            sizes.append(path.stat().st_size)
    return {"folder": None if folder is None else str(folder), "files": len(sizes), "bytes": sum(sizes)}


def _size_text(part: str) -> str:
    facts = _facts_of(part)
    if facts["folder"] is None:
        return f"off: {FOLDER} is empty, or others could change the folder"
    return f"{facts['files']:,} files, {facts['bytes'] / 2**20:,.1f} MiB in {escaped(facts['folder'])}"


def _remove(part: str) -> None:
    """Remove the files of a part, if another process has not done so; the store of hands is emptied by its own command."""
    if part == "hands":
        from counterplay.opponents.histories.hand_store import empty_store

        empty_store()
        return
    for path in list(_files(part)):
        path.unlink(missing_ok=True)
