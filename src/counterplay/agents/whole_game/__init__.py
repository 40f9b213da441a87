"""Agents of whole hold'em games."""
