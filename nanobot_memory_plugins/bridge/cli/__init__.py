"""Commands of the bridge."""

COMMANDS = {
    "init": "Set nanobot up with this memory: show what is active, prepare the embedding model, run the doctor.",
}
"""What the help says of each, which imports none of them."""
