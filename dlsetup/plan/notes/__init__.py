"""Notes: exact steps for one machine, as data."""
