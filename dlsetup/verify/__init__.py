"""Small programs run inside an environment to prove that it works."""
