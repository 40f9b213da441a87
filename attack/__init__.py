"""The attack: thousands of bad command lines, damaged files, kills and races against the program, and a judge of each.

    python -m attack --small          # what `make test` runs
    python -m attack                  # what `make attack` runs
    python -m attack --only cli --seed 3 --case 117    # one case again

What an attack knows of the program stands in four literal registries, each with one line an entry: `words.TEXTS` (what an
option may be given), `lines.LINES` (a working line of each command), `formats.FORMATS` (files) and `parts.PARTS` (kinds of
attack). Commands and options are read from the program itself.
"""
