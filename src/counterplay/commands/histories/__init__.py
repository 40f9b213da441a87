"""The commands on hand histories. Registered in `cli.py`."""
