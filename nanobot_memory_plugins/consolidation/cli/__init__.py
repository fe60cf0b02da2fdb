"""The commands ``entries`` and ``purge``."""
