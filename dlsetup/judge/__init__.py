"""What is wrong with a machine: one function a check, findings as data."""
