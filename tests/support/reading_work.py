"""Work that reads files, for workers that do not share a folder with us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.cache_folder import ask_for, cache_folder
from counterplay.work.run_work import WorkRecipe


@dataclass(frozen=True)
class ReadingWork(WorkRecipe):
    """Key 'path' reads a file by its path, 'text' by a text that names it, and 'table' a file of the cache folder."""

    path: Path
    text: str
    table: str = ""

    def identity(self) -> Mapping[str, Any]:
        return {"work": "reading"}

    def keys(self) -> Sequence[str]:
        return ["path", "text", *(["table"] if self.table else [])]

    def compute(self, key: str) -> Any:
        if key == "path":
            return self.path.read_text()
        if key == "text":
            return Path(self.text.rpartition(":")[2]).read_text()
        path = (cache_folder("tables") or Path()) / self.table
        if not path.is_file():
            ask_for(path)
        return path.read_text()
