"""The state database: what the memory remembers of its own work, in ``.storage/state.db`` next to the index.

People's files contain everything that was said and learned. This database contains the history of the entries, pending
work, and counts; deleting it loses only those.
"""

from nanobot_memory_plugins.core.state.database import StateDatabase

__all__ = ["StateDatabase"]
