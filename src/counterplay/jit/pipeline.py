"""Numba's passes over one function, put together once and without those that find nothing in a kernel: there are no `with`
blocks, closures, comprehensions or calls of `literally` in the kernels of this package."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager

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
        """Without clocks and records around each."""
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


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
