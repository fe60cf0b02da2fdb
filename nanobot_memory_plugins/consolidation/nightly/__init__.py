"""The daily consolidation: what the notes of the last days say, worked into the scored entries."""
