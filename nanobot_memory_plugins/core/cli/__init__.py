"""The command line ``nanobot-memory``: what every command shares, and core's own commands."""
