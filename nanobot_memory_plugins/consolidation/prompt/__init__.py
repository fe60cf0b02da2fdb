"""The entries that stand in every prompt."""
