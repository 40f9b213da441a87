"""The commands that train networks. Door: `learn.learn`."""
