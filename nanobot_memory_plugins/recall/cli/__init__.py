"""The sub-command that the recall plugin adds to ``nanobot-memory``."""

COMMANDS = {
    "timeline": "Show what was talked about, the newest last: a line for each session and day, in this machine's "
    "time zone.",
    "why": "Show what would stand beside a message, what was found and left out, and why.",
}
"""What the help says of each, which imports none of them."""
