"""Carries out a plan: uv, conda tools, files. The only room that changes the machine."""
