"""What is wrong: checks that take facts and touch nothing."""
