"""What would be done, as data."""
