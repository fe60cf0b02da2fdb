"""The compaction plugin: old history becomes a summary that fits the window."""
