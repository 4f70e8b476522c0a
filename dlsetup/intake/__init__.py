"""A machine as somebody else describes it: in words, or as a saved file."""
