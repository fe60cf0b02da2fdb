"""Characters and messages: Chinese scripts, look-alikes, invisible and control characters, translation."""
