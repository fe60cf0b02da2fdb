"""Brings the index up to date with the memory files, in the background of one process a workspace."""
