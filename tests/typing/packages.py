"""The installed packages whose types the package uses: `make develop` has mypy read them, which takes a third of its time
without a cache."""

# ruff: noqa: F401

import anyio
import anywidget
import fastapi.exceptions
import mcp.server.mcpserver.exceptions
import numpy.lib
import numpy.typing
import pokerkit
import pydantic
import rich.box
import rich.console
import rich.progress
import rich.table
import rich.text
import starlette.datastructures
import starlette.exceptions
import starlette.responses
import starlette.staticfiles
import starlette.types
import traitlets
import typer.core
import uvicorn
