"""What stands behind the decisions: everything that turns two plans into counterfactual values."""
