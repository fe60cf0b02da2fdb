"""What holds documents, packages and imports to what they say; `python -m release.checks` runs it."""
