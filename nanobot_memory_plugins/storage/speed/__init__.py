"""How fast searches are here, beside what cannot be spared."""
