"""Importing memories of other programs, and exporting and importing a whole memory as one archive."""

from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Importer, Item, Skipped

__all__ = ["ImportedMessage", "ImportedNote", "Importer", "Item", "Skipped"]
