"""The recall plugin: finds what was said and done before, and adds it to the message that needs it."""
