"""Judging values by their shape and their names, and finding where a value begins and ends."""
