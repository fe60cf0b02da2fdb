"""The bootstrap plugin: the files that open a prompt, inside a budget."""
