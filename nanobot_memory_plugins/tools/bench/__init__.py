"""``nanobot-memory bench``: how fast searches are here, beside what cannot be spared."""
