"""Chooses Python, one CUDA family and a build of every framework together, or says why not."""
