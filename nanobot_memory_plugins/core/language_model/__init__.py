"""Access to the host's language model: time limits, retries, a budget a purpose and day."""
