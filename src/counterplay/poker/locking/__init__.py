"""Node locking: leaks as text, as restrictions, and the response to them."""
