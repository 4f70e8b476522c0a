"""One module a format, or a few that belong together; see `intake.reading`."""
