"""Look-aheads: the record of one, the state carried from one to the next, one step, and the one re-solver.

Door: `search.LookAhead`, `search.Search`, `state.SearchState`, `resolver.resolve_subtree`, `leaf_error.value_error`.
"""
