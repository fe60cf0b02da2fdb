"""The prompts: a file for each and language, and the one function that renders them."""
