"""Numba's passes over one function, put together once and without those that find nothing in a kernel: there are no `with`
blocks, closures, comprehensions or calls of `literally` in the kernels of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import ir, postproc, transforms, types
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import NopythonRewrites

_NEEDLESS = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "AnnotateTypes",
    "DumpParforDiagnostics",
}


class KernelCompiler(Compiler):  # type: ignore[misc]
    """For functions of this package; others get Numba's own passes."""

    def define_pipelines(self) -> list[Any]:
        return [_passes()]


class _Passes(PassManager):  # type: ignore[misc]
    def _runPass(self, _: int, pss: Any, internal_state: Any) -> None:  # noqa: N802 - a name of Numba
        """Without clocks and records around each, and without a search for array expressions where there are none."""
        if isinstance(pss, NopythonRewrites) and not _has_array_expressions(internal_state.calltypes):
            return
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


def _has_array_expressions(calls: Any) -> bool:
    """Whether an operator or a function gives a new array."""
    return any(
        expression.op in ("unary", "binop", "call") and isinstance(getattr(call, "return_type", None), types.Array)
        for expression, call in calls.items()
        if isinstance(expression, ir.Expr)
    )


class _PostProcessor(postproc.PostProcessor):  # type: ignore[misc]
    """Without the variables that live at the start of each block: only Python objects need them."""

    def run(self, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            super().run(emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime, code.generator_info = postproc.VariableLifetime(code.blocks), None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)


@contextmanager
def processing_lightly() -> Iterator[None]:
    """Between passes, find out only what compiled code needs; the caller holds the compiler's lock."""
    usual = postproc.PostProcessor
    postproc.PostProcessor = _PostProcessor
    try:
        yield
    finally:
        postproc.PostProcessor = usual


@cache
def _passes() -> Any:
    """The pipeline; it keeps nothing of what it is run on."""
    made = _Passes("nopython")
    usual = DefaultPassBuilder.define_nopython_pipeline(_Plain())
    made.passes = [step for step in usual.passes if step[0].__name__ not in _NEEDLESS]
    made.finalize()
    return made


class _Plain:
    """What the builder of passes asks of a function: nothing special."""

    func_ir = None

    class flags:  # noqa: N801
        no_rewrites, enable_ssa = False, True

        class auto_parallel:  # noqa: N801
            enabled = False
