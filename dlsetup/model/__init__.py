"""The nouns: frozen records without I/O, clock or environment."""
