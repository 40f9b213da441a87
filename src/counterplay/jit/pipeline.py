"""Numba's passes over one function, assembled once and without those that never apply: kernels of this package have no
`with` blocks, closures, comprehensions or calls of `literally`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import ir, postproc, transforms, types
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import NopythonRewrites

from counterplay.jit.lowering import KernelLowering

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
    """The compiler for functions of this package; others get Numba's own passes."""

    def define_pipelines(self) -> list[Any]:
        return [_passes()]


class _Passes(PassManager):  # type: ignore[misc]
    def _runPass(self, _: int, pss: Any, internal_state: Any) -> None:  # noqa: N802 - a name of Numba
        """Run a pass without timers and records, and skip the search for array expressions where there are none."""
        if isinstance(pss, NopythonRewrites) and not _has_array_expressions(internal_state.calltypes):
            return
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


def _has_array_expressions(calls: Any) -> bool:
    """Whether an operator or function returns a new array."""
    return any(
        expression.op in ("unary", "binop", "call") and isinstance(getattr(call, "return_type", None), types.Array)
        for expression, call in calls.items()
        if isinstance(expression, ir.Expr)
    )


class _PostProcessor(postproc.PostProcessor):  # type: ignore[misc]
    """Post-processing without the variables live at the start of each block, which only Python objects need."""

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
    """Compute only what compiled code needs between passes; the caller holds the compiler's lock."""
    usual = postproc.PostProcessor
    postproc.PostProcessor = _PostProcessor
    try:
        yield
    finally:
        postproc.PostProcessor = usual


@cache
def _passes() -> Any:
    """The pipeline, which holds no state of its inputs."""
    made = _Passes("nopython")
    usual = DefaultPassBuilder.define_nopython_pipeline(_Plain())
    ours = {"NativeLowering": KernelLowering}
    made.passes = [(ours.get(step.__name__, step), why) for step, why in usual.passes if step.__name__ not in _NEEDLESS]
    made.finalize()
    return made


class _Plain:
    """The state that the builder of passes reads: no special features."""

    func_ir = None

    class flags:  # noqa: N801
        no_rewrites, enable_ssa = False, True

        class auto_parallel:  # noqa: N801
            enabled = False
