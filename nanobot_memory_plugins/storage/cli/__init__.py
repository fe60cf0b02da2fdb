"""The sub-commands that the storage plugin adds to ``nanobot-memory``."""

COMMANDS = {
    "index": "Bring the index up to date with the memory files, vectors included, and count what is in it.",
    "models": "List, fetch and find embedding models.",
    "search": "Search the memory: each hit with score, file, line, date, origin, heading and snippet, best first.",
}
"""What the help says of each, which imports none of them."""
