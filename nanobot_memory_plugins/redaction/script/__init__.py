"""What characters are, whatever the text: scripts, look-alikes, and those that show nothing or do something."""
