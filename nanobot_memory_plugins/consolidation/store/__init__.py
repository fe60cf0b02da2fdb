"""The file of entries and its journal: reading, writing, merging, repairing."""
