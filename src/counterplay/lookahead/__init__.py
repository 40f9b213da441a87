"""Look-aheads: settings, the state carried from one to the next, and one step."""
