"""The compaction plugin: replaces old history by a summary that fits the window."""
