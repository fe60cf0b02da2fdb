"""The sub-command that the recall plugin adds to ``nanobot-memory``."""
