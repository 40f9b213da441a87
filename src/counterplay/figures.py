"""Pictures with matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from counterplay.errors import InputError
from counterplay.files import check_writable, write_whole

PICTURES = (".png", ".svg", ".pdf")


def check_picture(path: Path | None) -> None:
    """Check, before long work, that a picture can be drawn and written, also that matplotlib is there; None means no
    picture."""
    check_writable(path, *PICTURES)
    if path is not None:
        plotter()


def plotter(*, shown: bool = False) -> Any:
    """pyplot, set to draw into files, or, if pictures are shown, where the user has set it to."""
    try:
        import matplotlib
    except ImportError:
        raise InputError("pictures need matplotlib: pip install 'counterplay[plot]'") from None
    if not shown:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def axes_or_new(ax: Any, wide: float, high: float) -> Any:
    """The axes of matplotlib that a user gave, or new ones of a size in inches."""
    return plotter(shown=True).subplots(figsize=(wide, high), layout="constrained")[1] if ax is None else ax


def save_figure(figure: Any, path: Path, pyplot: Any, dpi: int = 150) -> None:
    """Write a figure, whole or not at all, and close it; the format follows the file's ending."""
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format=path.suffix.lstrip(".") or "png", dpi=dpi)
    except ValueError:
        raise InputError(f"cannot draw a picture of type '{path.suffix}'; use .png, .svg or .pdf") from None
    finally:
        pyplot.close(figure)
    write_whole(path, buffer.getvalue())
