"""Moving a memory between this machine's own store and one that machines share."""

COMMANDS = {
    "move": "Move this memory to a server that machines share, or take everything that they share into this machine's "
    "files."
}
"""What the help says of each, which imports none of them."""
