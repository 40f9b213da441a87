"""Papers whose tables and figures are reproduced, by authors and year; `docs/references.md` has them in full."""

CDRNR = "Milec et al. 2024"
"""Continual depth-limited responses: CDBR and CDRNR."""

ABD = "Milec et al. 2025"
"""Adapting beyond the depth limit."""

SES = "Liu et al. 2022"
"""Safe exploitation search."""

GGSE = "Kubíček et al. 2026"
"""Gadget game sequential equilibria."""

STRATFORMER = "Caen et al. 2026"
"""StratFormer: a transformer that models and exploits."""
