"""Turns texts into vectors: the built-in model, other local models, and remote servers."""
