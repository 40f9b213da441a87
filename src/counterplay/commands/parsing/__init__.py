"""The parser of the command line: commands by name, help, errors of words, and the exit. Door: `program.program`."""
