"""The PostgreSQL store: one memory for many machines."""

COMMANDS = {
    "postgres": "Look after the memory that many machines share.",
}
"""What the help says of each, which imports none of them."""
