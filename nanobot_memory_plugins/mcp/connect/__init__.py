"""Setting clients up: where each keeps its servers, in which form, and writing ours among them."""

COMMANDS = {
    "connect": "Show what a client's configuration needs to use this memory, and with --write write it there.",
}
"""What the help says of each, which imports none of them."""
