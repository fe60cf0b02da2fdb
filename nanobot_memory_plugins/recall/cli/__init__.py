"""The sub-command that the recall plugin adds to ``nanobot-memory``."""

COMMANDS = {
    "timeline": "Show what was talked about, the newest last: a line for each session and day, in this machine's "
    "time zone.",
    "why": "Show what a message would recall: the tier and its signals, each candidate with its scores, what "
    "was cut and why.",
}
"""What the help says of each, which imports none of them."""
