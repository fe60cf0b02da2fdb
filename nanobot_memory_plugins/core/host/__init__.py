"""The host at work: `MemoryHost`, its plugins, the turn, what is recorded, and what a prompt is given."""
