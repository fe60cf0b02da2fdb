"""The PostgreSQL store: one memory for many machines."""

COMMANDS = {
    "postgres": "Run a PostgreSQL server, and send it what this machine keeps.",
}
"""What the help says of each, which imports none of them."""
