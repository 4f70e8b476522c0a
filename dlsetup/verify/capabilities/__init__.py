"""Programs that prove one capability each: `prove()` returns what was seen, or raises."""
