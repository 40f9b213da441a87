"""Agents from short texts and from files."""
