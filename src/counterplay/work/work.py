"""A record of work: independent pieces under keys, each of which gives plain data.

Work is a plain function of a key wherever that is enough (`FunctionWork`); a class with the members of `Work` is for pieces
that share state which neither arguments nor a cache can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

Result = Any
"""What a piece gives: numbers, texts, None, NumPy arrays, and lists and dicts of them (see `encoding`)."""


class Work(Protocol):
    """Pieces that do not depend on each other, so that they may be computed in any order and in any process.

    Equal `identity` and key mean an equal result. Optional members: see `largest_first` and `worker_memory`.
    """

    def identity(self) -> Mapping[str, Any]:
        """Everything that results depend on but the key: plain JSON values. A record of another identity is not used."""

    def keys(self) -> Sequence[str]:
        """The pieces, in the order in which one process computes them; no key twice."""

    def compute(self, key: str) -> Result:
        """The result of one piece.

        Raises:
            InputError: it cannot be computed; that ends the work.
        """


def largest_first(work: Work, keys: Sequence[str]) -> list[str]:
    """The keys in the order in which several workers get them: large pieces first where the work has `piece_size(key)`, in
    any unit, so that small ones fill the gaps at the end; else as they are."""
    size: Callable[[str], float] | None = getattr(work, "piece_size", None)
    return list(keys) if size is None else sorted(keys, key=size, reverse=True)


def worker_memory(work: Work) -> float:
    """About the most bytes that a worker takes for itself, beside what it has from the process that gives the work; 0 where
    the work has no `worker_memory()`."""
    needed: Callable[[], float] | None = getattr(work, "worker_memory", None)
    return 0.0 if needed is None else needed()


PieceFunction = Callable[[str], Result]
"""From a key to the result of that piece."""


@dataclass(frozen=True, eq=False)
class FunctionWork:
    """Work whose pieces are the values of a function of the key.

        def square(power: int, key: str) -> float: return float(key) ** power
        work = FunctionWork(partial(square, 2), [str(n) for n in range(9)], lambda: {"power": 2})
        run_work(work, record=WorkRecord(path, work.identity()), executor=executor_of(4)).results

    Attributes:
        function: from a key to a result. A `partial` of a function of a module goes to other processes with its arguments;
            what it loads there, it caches (`functools.cache`).
        pieces: the keys, in order.
        facts: everything that results depend on but the key, as `Work.identity` has it; called when a record is used.
        size: how long a piece takes, in any unit, where pieces differ; large ones come first where several workers compute.
        memory: about the most bytes that a worker takes for itself.
        remake: where `function` itself cannot go to other processes: called when it should, gives a function and its
            arguments, which return `function` there. A `PicklingError` of it says why there is none.
    """

    function: PieceFunction
    pieces: Sequence[str]
    facts: Callable[[], Mapping[str, Any]] = dict
    size: Callable[[str], float] = lambda _: 1.0
    memory: float = 0.0
    remake: Callable[[], tuple[Callable[..., PieceFunction], tuple[Any, ...]]] | None = None

    def identity(self) -> Mapping[str, Any]:
        return self.facts()

    def keys(self) -> Sequence[str]:
        return self.pieces

    def compute(self, key: str) -> Result:
        return self.function(key)

    def piece_size(self, key: str) -> float:
        return self.size(key)

    def worker_memory(self) -> float:
        return self.memory

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process, which computes pieces and asks nothing else."""
        return _there, ((_same, (self.function,)) if self.remake is None else self.remake())


def _there(make: Callable[..., PieceFunction], arguments: tuple[Any, ...]) -> FunctionWork:
    return FunctionWork(make(*arguments), ())


def _same(function: PieceFunction) -> PieceFunction:
    return function


class WorkRecipe:
    """Base of frozen dataclasses that go to other processes: their fields go, what they have cached does not."""

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return _rebuilt, (type(self), plain)


def _rebuilt(kind: type[Any], plain: dict[str, Any]) -> Any:
    return kind(**plain)
