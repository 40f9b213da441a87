"""Numba's passes over one function, assembled once and without those that never apply: kernels of this package have no
`with` blocks, closures, comprehensions or calls of `literally`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core import ir, types
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import IRLegalization, NopythonRewrites

from counterplay.jit.lowering import KernelLowering, counts

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
        """Run a pass without timers and records, and skip the search for array expressions where there are none, and the
        ends of variables where nothing is counted."""
        if isinstance(pss, NopythonRewrites) and not _has_array_expressions(internal_state.calltypes):
            return
        if isinstance(pss, IRLegalization) and not counts(internal_state.flags, internal_state.func_ir):
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
