"""Does this fit that? Decided once, without looking at any machine."""
