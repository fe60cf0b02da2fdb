"""The memory files: Markdown for notes, and JSON Lines for messages. The index is derived from them."""
