"""Commands of the bridge."""

COMMANDS = {
    "init": "Configure nanobot to use this memory: preview the change, confirm, write it, prepare the model, run "
    "the doctor.",
}
"""What the help says of each, which imports none of them."""
