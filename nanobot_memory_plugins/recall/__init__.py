"""The recall plugin: finds what was said and done before, and puts it beside the message that needs it."""
