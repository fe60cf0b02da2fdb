"""The commands ``import`` and ``export``."""
