"""The base of results: what public functions return, as facts, as JSON, as a table of pandas, and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from counterplay.about import version
from counterplay.display import html_table
from counterplay.errors import InputError

P = TypeVar("P", bound=Any)


class ResultRecord:
    """A result. A subclass has `facts`, and whatever of `value`, `exploitability` and `strategies` it knows.

    Attributes:
        KIND: its name in JSON, such as "answer".
        LACKS: of what it does not know, the reason, and where that is found.
        facts: everything but strategies, as plain numbers and texts; by default the fields. NaN and None are numbers that
            are not known.
    """

    KIND: ClassVar[str] = ""
    LACKS: ClassVar[Mapping[str, str]] = {}

    if TYPE_CHECKING:

        @property
        def facts(self) -> Mapping[str, Any]: ...

    else:

        def __getattr__(self, name: str) -> Any:
            if name == "facts":
                return dict(vars(self))
            kind = type(self)
            why = f": {kind.LACKS[name]}" if name in kind.LACKS else ""
            raise AttributeError(f"{kind.__name__} has no '{name}'{why}", name=name, obj=self)

    def to_dict(self) -> dict[str, Any]:
        """The facts as JSON has them, with `kind` and `version`; what is not known is absent."""
        return json_document(self.KIND, self.facts)

    def to_frame(self) -> Any:
        """The facts as a `pandas.DataFrame` of one row; lists and tables of facts stay in their cells."""
        return frame([self.to_dict()])

    def _repr_html_(self) -> str:
        rows = ((name.replace("_", " "), _cell(value)) for name, value in self.facts.items() if _is_known(value))
        return html_table((type(self).__name__, ""), rows)


class ResultList(ResultRecord, list[P]):
    """A list of results of one kind, which is a result itself.

    Attributes:
        ROWS: the name of the list in JSON.
    """

    ROWS: ClassVar[str] = "rows"

    def to_dict(self) -> dict[str, Any]:
        return json_document(self.KIND, {**self.facts, self.ROWS: [row.facts for row in self]})

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` with a row for each member."""
        return frame([row.facts for row in self])


def json_document(kind: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as a document of JSON: its kind, the version of the library, and all facts that are known."""
    return {"kind": kind, "version": version(), **cast(dict[str, Any], known_facts(facts))}


def known_facts(value: Any) -> Any:
    """A value without the facts that are not known: entries of tables that are None, NaN or infinite. Numbers in lists,
    whose places matter, become None."""
    if isinstance(value, Mapping):
        return {str(name): known_facts(one) for name, one in value.items() if _is_known(one)}
    if isinstance(value, list | tuple):
        return [known_facts(one) for one in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value


def _is_known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not isfinite(value))


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def frame(rows: Any, **options: Any) -> Any:
    """A `pandas.DataFrame`; pandas is imported when it is asked for."""
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise InputError("a table needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(rows, **options)
