"""The entries in every prompt."""
