"""Finding plugins, and calling their hooks."""
