"""The table of histories, and the texts of infosets and actions."""
