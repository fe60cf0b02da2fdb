"""Import and export: bringing memories from elsewhere, and taking all of them along as one archive."""

from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Importer, Item, Skipped

__all__ = ["ImportedMessage", "ImportedNote", "Importer", "Item", "Skipped"]
