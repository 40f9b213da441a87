"""Folders that no other user can change, as ssh demands them for its keys: what is read there with trust is our own.

Every folder of a path must belong to this user, to root or to the owner of the package, whose code runs anyway, and nobody
else may write it. Above the folder itself a sticky one such as /tmp will do: nobody can replace another's folder there.
Checked from the root down, the answer holds until this user or root changes something.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from errno import EACCES
from pathlib import Path

PRIVATE, PUBLIC = 0o700, 0o755
"""Modes of folders that are made: for this user alone, or readable by all."""
_PACKAGE = Path(__file__).parent
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def distrust(path: Path) -> str | None:
    """The reason why others could change a folder, such as "others may write /srv/x"; None if they cannot, or on Windows."""
    if sys.platform == "win32":
        return None
    real = Path(os.path.realpath(path))
    for folder in (*reversed(real.parents), real):
        try:
            about = os.lstat(folder)
        except OSError:
            return None  # nothing to read, since those above are ours; whoever makes it checks it again
        reason = _reason(about, f"{folder}", sticky=folder != real)
        if reason is not None:
            return reason
    return None


def distrust_file(handle: int, path: Path) -> str | None:
    """The same of an open file, by its descriptor."""
    return None if sys.platform == "win32" else _reason(os.fstat(handle), f"{path}", sticky=False)


def make_trusted(folder: Path, mode: int = PRIVATE) -> None:
    """Make a folder and those above it that are missing, with this mode whatever the umask allows to others.

    Raises:
        OSError: it cannot be made, or others could change it.
    """
    if not folder.parent.exists():
        make_trusted(folder.parent, mode)
    with suppress(FileExistsError):
        folder.mkdir(mode)
    if not folder.is_dir():
        raise NotADirectoryError(EACCES, "it is no folder", str(folder))
    if (reason := distrust(folder)) is not None:
        raise PermissionError(EACCES, reason, str(folder))


def _reason(about: os.stat_result, name: str, *, sticky: bool) -> str | None:
    if stat.S_ISLNK(about.st_mode):
        return f"{name} has become a link"
    if about.st_uid not in (0, os.geteuid(), _PACKAGE.stat().st_uid):
        return f"{name} belongs to another user (number {about.st_uid})"
    if not about.st_mode & _OTHERS or (sticky and about.st_mode & stat.S_ISVTX):
        return None
    if not about.st_mode & stat.S_IWOTH and _is_own_group(about.st_gid):
        return None
    return f"others may write {name} (mode {stat.S_IMODE(about.st_mode):03o}; chmod go-w forbids it)"


def _is_own_group(number: int) -> bool:
    """Return whether a group is the user's private one, which has their name and no other member; root has none."""
    if os.geteuid() == 0:
        return False
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return user.pw_gid == number and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
