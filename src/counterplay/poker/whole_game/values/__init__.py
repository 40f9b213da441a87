"""Values over boards: the kernels of one board, one walk over all of them, best responses.

Door: `measure.measure`, `measure.best_response_value`.
"""
