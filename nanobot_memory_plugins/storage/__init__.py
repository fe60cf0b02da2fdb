"""The storage plugin: one SQLite file that indexes the memory files."""
