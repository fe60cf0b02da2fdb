"""The daily consolidation, which updates the scored entries from the notes of the last days."""
