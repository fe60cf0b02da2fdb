"""``nanobot-memory eval``: what recall finds on labelled data."""

COMMANDS = {
    "eval": "Remember the documents of a data set, recall for each of its questions, and write what was found.",
}
"""What the help says of each, which imports none of them."""
