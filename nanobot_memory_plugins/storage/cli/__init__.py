"""The sub-commands that the storage plugin adds to ``nanobot-memory``."""
