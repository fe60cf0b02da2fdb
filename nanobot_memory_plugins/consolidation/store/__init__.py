"""The entries' file and its history: reading, writing, merging and repairing."""
