"""Values over boards: the kernels of one board, one walk over all of them, best responses.

Door: `measure.measure`, `best_response.best_response`.
"""
