"""The table of histories, and the texts of infosets and actions.

Door: `histories.Histories`, `labels.labels_of`.
"""
