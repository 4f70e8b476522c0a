"""One file, one command, one straight line: look, think, act, speak."""
