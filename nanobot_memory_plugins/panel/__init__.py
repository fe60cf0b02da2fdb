"""A panel for the terminal and the browser over the memory of a workspace."""

COMMANDS = {
    "panel": "See what is remembered, search it, correct it, forget it. Keys are shown below; ? shows all.",
}
"""What the help says of each, which imports none of them."""
