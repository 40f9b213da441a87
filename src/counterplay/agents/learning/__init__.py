"""Agents that learn from the hands they play: what they have seen, and how far they may trust it.

Door: `learning_agent.LearningAgent`.
"""
