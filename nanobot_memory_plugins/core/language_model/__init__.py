"""Access to the host's language model: time limits, retries, and a daily budget for each purpose."""
