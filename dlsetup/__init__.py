"""Gets a deep-learning environment right, on any machine, and says why."""

__version__ = "0.1.0"
