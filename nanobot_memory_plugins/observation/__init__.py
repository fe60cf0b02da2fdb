"""The observation plugin: a redacted note of every tool execution."""
