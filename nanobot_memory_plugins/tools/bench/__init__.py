"""``nanobot-memory bench``: how fast searches are on this machine."""
