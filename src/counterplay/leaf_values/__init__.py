"""Value functions: what a look-ahead takes the game below its limit to be worth."""
