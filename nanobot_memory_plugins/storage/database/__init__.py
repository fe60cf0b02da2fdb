"""The SQLite file: documents, full-text index, vectors and manifest."""

from nanobot_memory_plugins.storage.database.database import Counts, Database

__all__ = ["Counts", "Database"]
