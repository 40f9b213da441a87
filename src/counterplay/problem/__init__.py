"""The one saddle-point problem that all solvers take: trees, leaves, entry, restriction."""
