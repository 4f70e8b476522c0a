"""This machine, now. The only room that looks; it never changes anything."""
