"""The commands on hand histories. Registered in `registry.py`."""
