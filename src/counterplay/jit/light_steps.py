"""Lighter steps of Numba's compiler, while a kernel is compiled.

Left out are the variables live at the start of each block, which only Python objects need, announcements of each call of
LLVM, and the words for an error until there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, NoneType, TracebackType
from typing import Any

from numba.core import base, errors, event, ir, postproc, transforms, typeinfer

from counterplay.jit import light_searches

_usual_context, _usual_has_place = errors.new_error_context, base._has_loc  # type: ignore[attr-defined]


class _PostProcessor(postproc.PostProcessor):  # type: ignore[misc]
    """Post-processing without the variables live at the start of each block."""

    def run(self, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            super().run(emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime, code.generator_info = postproc.VariableLifetime(code.blocks), None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)


class _ErrorContext:
    """Numba's context of an error, made when there is one."""

    def __init__(self, text: str, *args: Any, **more: Any) -> None:
        self._asked = text, args, more

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            text, args, more = self._asked
            with _usual_context(text, *args, **more):
                raise error


class _NoContext:
    """Warnings come as they are."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_nothing = _NoContext()


def _has_place(function: Any) -> bool:
    """Whether an implementation takes the place in the source as an argument."""
    if type(function) is not FunctionType:
        return bool(_usual_has_place(function))
    code = function.__code__
    return "loc" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


_PLAIN = {str, int, bool, NoneType, ir.Loc}


def _variables(instruction: Any, value: Any) -> list[Any]:
    """The variables in what an instruction of Numba's intermediate code holds, in order."""
    kind, found = type(value), list[Any]()
    if kind is ir.Var:
        return [value]
    if kind in _PLAIN:
        return found
    if isinstance(value, ir.Inst):
        return list(value.list_vars())
    for one in value.values() if kind is dict else value if kind in (list, tuple) else ():
        kind = type(one)
        if kind is ir.Var:
            found.append(one)
        elif kind not in _PLAIN:
            found += _variables(instruction, one)
    return found


_LIGHTER: list[tuple[Any, str, Any]] = [
    (postproc, "PostProcessor", _PostProcessor),
    (typeinfer, "new_error_context", _ErrorContext),
    (errors.WarningsFixer, "catch_warnings", lambda *_, **__: _nothing),  # type: ignore[attr-defined]
    (event, "broadcast", lambda _: None),
    (base, "_has_loc", _has_place),
    (ir.Inst, "_rec_list_vars", _variables),
    *light_searches.LIGHTER,
]


@contextmanager
def processing_lightly() -> Iterator[None]:
    """Use the stand-ins inside the block; the caller holds the compiler's lock."""
    usual = [getattr(owner, name) for owner, name, _ in _LIGHTER]
    for owner, name, lighter in _LIGHTER:
        setattr(owner, name, lighter)
    try:
        yield
    finally:
        for (owner, name, _), before in zip(_LIGHTER, usual, strict=True):
            setattr(owner, name, before)
        light_searches.forget()
