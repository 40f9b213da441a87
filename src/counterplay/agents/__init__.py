"""Players of hands: they see the text of their own infoset and answer with the text of an action."""
