"""The world: which builds exist, what they need, and who says so."""
