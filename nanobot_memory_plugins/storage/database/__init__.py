"""The SQLite file: documents, full-text index, vectors and manifest."""

from nanobot_memory_plugins.storage.database.connection import CorruptIndexError, OtherSchemaError, VectorBackend
from nanobot_memory_plugins.storage.database.database import Counts, Database, Moment
from nanobot_memory_plugins.storage.database.spaces import VectorSpace

__all__ = [
    "CorruptIndexError",
    "Counts",
    "Database",
    "Moment",
    "OtherSchemaError",
    "VectorBackend",
    "VectorSpace",
]
