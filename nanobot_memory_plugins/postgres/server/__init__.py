"""A PostgreSQL server of one's own, for trials and tests: found, started and stopped without system accounts."""
