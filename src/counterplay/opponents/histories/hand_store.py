"""The store of parsed hands: one SQLite database in the user's cache folder, from which a second command reads.

An entry holds the hands of one file. Its key is a digest of the file's content and ending, of the format, stacks and blinds
that were given, and of the sources of the readers: a changed file or reader has another key. An entry has a checksum, and
its columns are checked (`record_columns`). A store that is missing, damaged, locked, read-only, full, of a later version or
of another program is no error: the file is parsed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.about import version
from counterplay.cache_folder import cache_folder, distrust_file, make_trusted
from counterplay.errors import InputError
from counterplay.opponents.histories.record_columns import ColumnError, pack_records, unpack_records

if TYPE_CHECKING:
    import sqlite3

SCHEMA = 1
"""Version of the table and of the columns."""
MOST_BYTES = 1 << 30
"""The most bytes of all entries; those that were not used for longest are removed first."""
_ENTRY_BYTES = 1 << 28
_PROGRAM = 0x43504853
"""The application that SQLite notes in the file: "CPHS"."""
_TABLE = (
    "CREATE TABLE hands (key BLOB PRIMARY KEY, used INTEGER NOT NULL, size INTEGER NOT NULL, checksum BLOB NOT NULL, "
    "content BLOB NOT NULL)"
)
_PATIENCE = 0.5
"""Seconds to wait for another process."""
_FRESH = 3600
"""Seconds for which the time of the last use is not written again."""
_FOREIGN = ("open_spiel",)
"""Packages of others that readers ask."""
_PACKAGE = Path(__file__).parents[2]
_IMPORT = re.compile(rb"^[ \t]*from counterplay([.\w]*) import (\([^)]*\)|.*)", re.MULTILINE)


class StoredHands(NamedTuple):
    """The content of the store. place: the database. files: whose hands it holds. size: their bytes."""

    place: Path
    files: int
    size: int


def store_path() -> Path | None:
    """The database; None if the cache is disabled, or nobody's home is known."""
    with suppress(RuntimeError):
        folder = cache_folder("hands")
        return None if folder is None else folder / "hands.sqlite"
    return None


class HandStore:
    """The store as one run of `read_hands` uses it. path: the database, which need not exist; None for no store."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._base: sqlite3.Connection | None = None
        self._used: list[bytes] = []
        self._written = False
        if path is not None:
            with self._survived():
                self._base = _opened(path)

    def read(self, key: bytes, file: str) -> list[Any] | None:
        """The records of an entry; None if there is none that is whole. file: where they are written."""
        if self._base is None:
            return None
        row = None
        with self._survived():
            row = self._base.execute("SELECT used, checksum, content FROM hands WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        used, checksum, content = row
        if not isinstance(content, bytes) or checksum != _checksum(key, content):
            return None
        with suppress(ColumnError):
            records = unpack_records(content, file)
            if not isinstance(used, int) or abs(time.time() - used) > _FRESH:
                self._used.append(key)
            return records
        return None

    def write(self, key: bytes, records: Sequence[Any]) -> None:
        """Keep the records of a file."""
        if self._base is None:
            return
        with suppress(ColumnError), self._survived():
            content = pack_records(records)
            if len(content) <= _ENTRY_BYTES:
                row = key, int(time.time()), len(content), _checksum(key, content), content
                self._base.execute("INSERT OR REPLACE INTO hands VALUES (?, ?, ?, ?, ?)", row)
                self._written = True

    def close(self) -> None:
        """Note what was used, remove what is too much, and let the database go."""
        if self._base is None:
            return
        with self._survived():
            if self._used:
                now = int(time.time())
                self._base.execute("BEGIN IMMEDIATE")
                self._base.executemany("UPDATE hands SET used = ? WHERE key = ?", [(now, key) for key in self._used])
                self._base.execute("COMMIT")
            if self._written:
                _prune(self._base)
        if self._base is not None:
            self._base.close()
            self._base = None

    @contextmanager
    def _survived(self) -> Iterator[None]:
        """A failure of the database ends the use of it; a damaged one is removed."""
        import sqlite3

        try:
            yield
        except (OSError, MemoryError, UnicodeDecodeError, sqlite3.Error) as error:
            if self._base is not None:
                with suppress(sqlite3.Error):
                    self._base.close()
                self._base = None
            if type(error) in (sqlite3.DatabaseError, UnicodeDecodeError):  # malformed, or no database
                _remove(self._path)


@contextmanager
def opened_store(formats: Iterable[object] = ()) -> Iterator[HandStore]:
    """The user's store; none where a format is of another package, since the digest does not cover it."""
    path = store_path() if all(type(one).__module__.startswith(f"{_PACKAGE.name}.") for one in formats) else None
    try:
        import sqlite3  # noqa: F401 - some builds of Python are without it
    except ImportError:
        path = None
    store = HandStore(path)
    try:
        yield store
    finally:
        store.close()


def key_of(content: bytes, *about: object) -> bytes:
    """The key of a file. about: all else that its hands depend on, as plain values and records of them."""
    digest = blake2b(repr((SCHEMA, readers_digest(), about)).encode("utf-8", "backslashreplace"), digest_size=32)
    digest.update(content)
    return digest.digest()


def empty_store() -> StoredHands | None:
    """Remove all entries; what there was. None if the cache is disabled."""
    path = store_path()
    if path is None:
        return None
    try:
        import sqlite3
    except ImportError:
        raise InputError("this Python is without sqlite3: no hands are kept") from None
    found = StoredHands(path, 0, 0)
    if not path.exists():
        return found
    try:
        if (base := _opened(path)) is None:
            raise InputError(f"{path} is no store of hands that this version knows; delete it")
        try:
            base.execute("BEGIN EXCLUSIVE")
            count, size = base.execute("SELECT count(*), total(size) FROM hands").fetchone()
            base.execute("DELETE FROM hands")
            base.execute("COMMIT")
            base.execute("VACUUM")
        finally:
            base.close()
        return found._replace(files=count, size=int(size))
    except sqlite3.OperationalError as error:
        raise InputError(f"cannot empty the store of hands, {path}: {error}") from None
    except (OSError, UnicodeDecodeError, sqlite3.Error):  # damaged
        _remove(path)
        if path.exists():
            raise InputError(f"cannot empty the store of hands: {path} cannot be removed") from None
        return found


@cache
def readers_digest() -> str:
    """A digest of the sources of the readers, and of the versions of packages that they ask."""
    digest = blake2b(version().encode(), digest_size=16)
    for name, source in sorted(reader_sources().items()):
        digest.update(name.encode() + b"\0" + source)
    for package in _FOREIGN:
        with suppress(metadata.PackageNotFoundError):
            digest.update(metadata.version(package).encode())
    return digest.hexdigest()


def reader_sources() -> dict[str, bytes]:
    """The readers and all that they import, by path in the package, but for compiled kernels."""
    found = dict[str, bytes]()
    waiting = [path.relative_to(_PACKAGE).as_posix() for path in Path(__file__).parent.rglob("*.py")]
    while waiting:
        name = waiting.pop()
        if name in found or name.startswith("jit/"):
            continue
        with suppress(OSError), open(f"{_PACKAGE}/{name}", "rb", buffering=0) as file:
            found[name] = file.read()
            for module, names in _IMPORT.findall(found[name]):
                inside = module.decode().replace(".", "/").lstrip("/")
                if os.path.isdir(f"{_PACKAGE}/{inside}"):
                    waiting += [f"{inside}/{word}.py" for word in ("__init__", *re.findall(r"\w+", names.decode()))]
                else:
                    waiting.append(f"{inside}.py")
    return found


def _opened(path: Path) -> sqlite3.Connection | None:
    """The database, created if missing; None if it is of another program or a later version, or others may write it."""
    import sqlite3

    make_trusted(path.parent)
    handle = os.open(
        path, os.O_CREAT | os.O_RDONLY | getattr(os, "O_NONBLOCK", 0), 0o600
    )  # a pipe would wait for a writer
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode) or distrust_file(handle, path) is not None:
            return None
    finally:
        os.close(handle)
    base = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        for setting in ("trusted_schema = OFF", "synchronous = OFF", "secure_delete = ON"):
            base.execute(f"PRAGMA {setting}")
        if _is_ours(base):
            return base
    except (UnicodeDecodeError, sqlite3.Error):  # even a message may be damaged
        base.close()
        raise
    base.close()
    return None


def _is_ours(base: sqlite3.Connection) -> bool:
    """Return whether a database has our table, which is made in a new one and made anew in one of an earlier version."""
    (program,), (schema,) = (base.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    tables = [sql for (sql,) in base.execute("SELECT sql FROM sqlite_master") if sql is not None]
    if (program, schema) == (_PROGRAM, SCHEMA):
        return tables == [_TABLE]
    is_new, is_old = not (program or schema or tables), program == _PROGRAM and schema < SCHEMA
    if is_new or is_old:
        base.execute("BEGIN IMMEDIATE")
        base.execute("DROP TABLE IF EXISTS hands")
        base.execute(_TABLE)
        base.execute(f"PRAGMA application_id = {_PROGRAM}")
        base.execute(f"PRAGMA user_version = {SCHEMA}")
        base.execute("COMMIT")
    return is_new or is_old


def _prune(base: sqlite3.Connection) -> None:
    """Remove the entries that were not used for longest, where all are too much."""
    (total,) = base.execute("SELECT total(size) FROM hands").fetchone()
    if total <= MOST_BYTES:
        return
    base.execute("BEGIN IMMEDIATE")
    for key, size in base.execute("SELECT key, size FROM hands ORDER BY used, key").fetchall():
        if total <= MOST_BYTES:
            break
        base.execute("DELETE FROM hands WHERE key = ?", (key,))
        total -= size
    base.execute("COMMIT")


def _remove(path: Path | None) -> None:
    for one in [] if path is None else [path, path.with_name(f"{path.name}-journal")]:
        with suppress(OSError):
            one.unlink()


def _checksum(key: bytes, content: bytes) -> bytes:
    return blake2b(key + content, digest_size=16).digest()
