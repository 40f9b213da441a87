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
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, 1e-10)
    rows, columns = matrix.shape
    model.passModel(
        columns, rows, len(row), int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), 0.0,
        np.asarray(cost, float), np.asarray(low, float), np.full(columns, INF),
        np.concatenate([np.full(len(most), -INF), right]), np.concatenate([most, right]),
        np.searchsorted(row, np.arange(rows + 1)).astype(np.int32), column.astype(np.int32), matrix[row, column],
        np.zeros(columns, np.int32),
    )  # fmt: skip
    model.run()
    assert model.getModelStatus() == highspy.HighsModelStatus.kOptimal, model.modelStatusToString(
        model.getModelStatus()
    )
    return float(model.getInfo().objective_function_value), np.asarray(model.getSolution().col_value)
