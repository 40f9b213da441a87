"""Look-aheads: their record, the state carried from one to the next, one step, and the re-solver.

Door: `search.LookAhead`, `search.Search`, `decisions.SearchState`, `resolver.resolve_subtree`, `leaf_error.value_error`.
"""
