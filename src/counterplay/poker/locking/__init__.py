"""Node locking: leaks as text, as restrictions, and the response to them.

Door: `leak_text.Leaks`, `leak_match.match_leak`, `node_lock.lock_nodes`, `exploit_leak.exploit_leak`.
"""
