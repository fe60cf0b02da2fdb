"""The memory files: Markdown for notes, JSON lines for what was said. An index only follows them."""
