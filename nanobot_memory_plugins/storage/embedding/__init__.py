"""Turns texts into vectors: the built-in model, models of one's own, and remote servers."""
