"""Wires the memory set into nanobot-ai, unmodified. Nothing else in the set knows that host."""
