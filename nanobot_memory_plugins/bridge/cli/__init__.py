"""Commands of the bridge."""

COMMANDS = {
    "init": "Set nanobot up with this memory: show what is active, write what differs from the defaults, prepare the "
    "model.",
}
"""What the help says of each, which imports none of them."""
