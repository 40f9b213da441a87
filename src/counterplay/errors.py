"""The one exception that means: the caller's input is wrong, and here is the culprit."""


class InputError(ValueError):
    """A mistake in what the user gave: a spec, a file, a game, a number. Its message is one sentence for the user."""
