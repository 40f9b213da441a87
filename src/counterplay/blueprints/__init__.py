"""Re-solving a blueprint: its subgames behind gadgets, measured before and after."""
