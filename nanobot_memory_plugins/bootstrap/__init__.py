"""The bootstrap plugin: keeps the files that open a prompt within a budget."""
