"""The command line: parse, call the library, print. Every number comes from the functions that Python users call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from inspect import signature
from typing import NoReturn

from counterplay.commands.parsing.process import (
    INTERRUPTED,
    foreign,
    heed_termination,
    leave,
    replace_closed_streams,
    results_only,
)
from counterplay.commands.parsing.program import COMMANDS, load_command, program
from counterplay.errors import InputError
from counterplay.memory_limit import lacking


def main() -> NoReturn:
    """Run the command line; an input error becomes one sentence and exit code 2."""
    try:
        replace_closed_streams()
        heed_termination()
        with results_only():
            words = sys.argv[1:]  # the command's alone; all of them for the help, for completion and for unknown words
            program((words[0],) if words and words[0] in COMMANDS else tuple(COMMANDS))()
    except InputError as error:
        _fail(str(error))
    except MemoryError as error:
        _fail(f"{lacking(error)}; {_smaller(sys.argv[1:])}")
    except BrokenPipeError:  # whoever reads the results has seen enough
        leave(1)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(str(InputError(f"the system reports {name}{error.strerror or error}")))
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as end:
        if place := foreign(end):
            _fail(f"the command was ended by sys.exit in {place}, where it must return or raise an error")
        if end.code == INTERRUPTED:
            _interrupted()
        leave(end.code if isinstance(end.code, int) else 0)
    leave(0)


def _smaller(words: Sequence[str]) -> str:
    """Options that help a command with too little memory."""
    command = load_command(words[0]) if words and words[0] in COMMANDS else None
    known = signature(command).parameters if callable(command) else {}
    options = [f"--{name}" for name in ("memory", "precision") if name in known]
    advice = "ask for a smaller game, or for fewer bet sizes, buckets or workers"
    return f"{advice}, or set {' or '.join(options)}" if options else advice


def _interrupted() -> NoReturn:
    print("interrupted", file=sys.stderr, flush=True)
    leave(INTERRUPTED)


def _fail(message: str) -> NoReturn:
    from counterplay.jit.notice import say_last

    say_last()  # the error comes last
    print(f"counterplay: {message}", file=sys.stderr)
    leave(2)


if __name__ == "__main__":
    main()
