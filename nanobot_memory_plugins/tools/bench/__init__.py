"""``nanobot-memory bench``: how fast searches are here, beside what cannot be spared."""

COMMANDS = {
    "bench": "Benchmark search on made-up passages, beside a bare full-text query and a bare product of vectors.",
}
"""What the help says of each, which imports none of them."""
