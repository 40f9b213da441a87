"""Tables and figures of papers: our numbers beside the printed ones.

Door: `runner.reproduce`, `experiment.Experiment`.

Registry: `registry.REPRODUCTIONS`, the names of the files in `reproductions`.

Of the library this package uses the public names of `counterplay`, `jit` and the files at its top, which belong to all of
its folders, and the folders in `INNER`.
"""

INNER = (
    "agents.learning", "agents.worlds", "blueprints", "card_abstraction", "commands.options", "commands.printing",
    "gadgets", "games", "gametree.compile", "jit", "learning", "leaves", "lookahead", "networks", "opponents",
    "page", "poker.betting", "poker.cards", "poker.showdown", "poker.whole_game", "responses", "solvers", "subgames",
    "texts", "treeplex", "value_functions", "work",
)  # fmt: skip
"""Inner folders of `counterplay` whose names this package imports."""
