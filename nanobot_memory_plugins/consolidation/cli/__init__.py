"""The commands that work on the scored entries."""
