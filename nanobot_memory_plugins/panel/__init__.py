"""A panel for the terminal and the browser over the memory of a workspace."""
