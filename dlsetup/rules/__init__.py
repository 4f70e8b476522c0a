"""Does this fit that? Decided once, purely, with yes, no or unknown."""
