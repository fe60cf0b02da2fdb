"""The demonstration: the main job of the set, on a real nanobot-ai loop."""

COMMANDS = {
    "demo": "Remember, observe a tool, restart, recall: on a stock nanobot-ai in a fresh workspace.",
}
"""What the help says of each, which imports none of them."""
