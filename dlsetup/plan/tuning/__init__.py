"""Numbers that were measured, turned into advice. A difference within the noise is none."""
