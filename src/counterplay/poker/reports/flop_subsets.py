"""Subsets of flops whose plain mean stands for all 1,755 by how often they come; chosen by benchmarks/flop_subsets.py.

Each flop counts 22,100 / n. The error that remains is stated in docs/study.md.
"""

from __future__ import annotations

FLOPS = 22_100
"""All flops of a full deck."""
_TEXTS = {
    23: (
        "2c3d6h; 2c7d8d; 2c8cKc; 2c8dKc; 2cJdAd; 3c4d9d; 3c5dQc; 3c6cJd; 3c7dKh; 4c5d7h; 4c6dTh; 4c9cJd; 4cKdKh; "
        "5c9dAc; 5cJdKh; 5cQdAd; 6c9dTc; 6cTdAh; 7c8d8h; 7cQdQh; 8cTcQd; 9cQdAd; TcTdJc"
    ),
    49: (
        "2c3c5d; 2c3dTd; 2c4cAd; 2c4d7c; 2c4d9d; 2c6cQd; 2c6dQd; 2c8d8h; 2c9dQd; 2cTdAd; 2cJdKh; 3c3dQh; 3c4dJh; "
        "3c5d7h; 3c5dAh; 3c6c9d; 3c7cAd; 3c7dJh; 3cQdKh; 4c5c6c; 4c6d8d; 4c8cTd; 4c8d9h; 4c9dAc; 4cJdQh; 4cKdAc; "
        "5c5d8c; 5c6dTh; 5c7dKh; 5c8cQc; 5c9cKd; 5cTdKh; 5cAdAh; 6c6d8c; 6c7dJd; 6c8dAd; 6cTdJd; 6cTdQd; 7c7d9h; "
        "7c9cKd; 7c9dTh; 7cQdKh; 8cTdJh; 8cJcAd; 8cQcKd; 9cJdJh; 9cJdQh; TcTdAc; JcKdAc"
    ),
    95: (
        "2c2d4c; 2c3d7h; 2c3d9d; 2c3dJd; 2c4cQc; 2c4d7c; 2c5d6h; 2c5dTh; 2c5dAh; 2c6d8h; 2c6dAh; 2c7cKc; 2c7dTh; "
        "2c8dJc; 2c8dQh; 2c9cJd; 2c9dKh; 2cTdAh; 2cJcKd; 2cJdQd; 2cKdKh; 3c3d5c; 3c3dTh; 3c4d8c; 3c4d8d; 3c4dAc; "
        "3c5d9h; 3c6c7c; 3c6cKd; 3c6cAd; 3c6d8h; 3c8cJd; 3c9cTd; 3cTcAd; 3cTdQc; 3cTdQh; 3cQcAd; 3cAcAd; 4c4d7h; "
        "4c5c6d; 4c5dTd; 4c5dJc; 4c5dQd; 4c7d8h; 4c7dQc; 4c7dQh; 4c8d9c; 4c8dTd; 4c9cAd; 4c9dAh; 4cJdJh; 4cQdKh; "
        "4cKcKd; 5c5dKh; 5c6dJc; 5c6dQh; 5c7cTd; 5c7cAd; 5c7d9d; 5c8cAd; 5c8dKd; 5c9cKd; 5cTdJh; 5cJcAd; 5cQdKh; "
        "6c6d9h; 6c6dQc; 6c7dTh; 6c7dAd; 6c8d9c; 6c8dKd; 6c9cTd; 6c9dJh; 6cTcJc; 6cJdQh; 7c7dJh; 7c8d9h; 7c8dAh; "
        "7cTdKc; 7cTdAh; 7cJcKd; 7cKcAd; 8c9c9d; 8c9dKh; 8cTdJd; 8cJdQh; 8cQcKc; 9cTdQd; 9cQdQh; 9cQdAd; TcJdQd; "
        "TcKcAd; TcKdAh; JcJdKh; QcQdKc"
    ),
}

SUBSETS = {
    count: {" ".join((flop[:2], flop[2:4], flop[4:])): FLOPS / count for flop in text.split("; ")}
    for count, text in _TEXTS.items()
}
"""By number of flops: text of each flop, and how many it stands for."""
