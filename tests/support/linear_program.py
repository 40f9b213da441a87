"""Small dense linear programs by HiGHS, without the checks of `scipy.optimize.linprog`, which take longer than the solve."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

INF = float("inf")


def minimise(cost: Any, below: Any, most: Any, equal: Any, right: Any, low: Any) -> tuple[float, np.ndarray]:
    """min cost · x with below · x ≤ most, equal · x = right and x ≥ low, as the value and x.

    Args:
        cost, low: (n,); -inf in `low` for free variables.
        below, most: (rows, n) and (rows,).
        equal, right: (rows, n) and (rows,).
    """
    matrix = np.concatenate([below, equal])
    row, column = np.nonzero(matrix)
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = matrix.shape
    program.col_cost_ = np.asarray(cost, float)
    program.col_lower_, program.col_upper_ = np.asarray(low, float), np.full(len(cost), INF)
    program.row_lower_ = np.concatenate([np.full(len(most), -INF), right])
    program.row_upper_ = np.concatenate([most, right])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.searchsorted(row, np.arange(len(matrix) + 1)).astype(np.int32)
    program.a_matrix_.index_, program.a_matrix_.value_ = column.astype(np.int32), matrix[row, column]
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, 1e-10)
    model.passModel(program)
    model.run()
    assert model.getModelStatus() == highspy.HighsModelStatus.kOptimal, model.modelStatusToString(
        model.getModelStatus()
    )
    return float(model.getInfo().objective_function_value), np.asarray(model.getSolution().col_value)
