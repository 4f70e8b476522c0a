"""Says it: text for people, one JSON document for programs. Nobody else prints."""
