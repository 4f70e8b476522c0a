"""One module a kind of note: each holds one `Kind`."""
