"""What the machine remembers of its own work, in one SQLite file next to the index: ``.storage/state.db``.

People's files hold everything that was said and learned; this database holds how it came about (the history of the
entries), what is still to be done, and counts. Deleting it costs those and nothing else.
"""

from nanobot_memory_plugins.core.state.database import StateDatabase

__all__ = ["StateDatabase"]
