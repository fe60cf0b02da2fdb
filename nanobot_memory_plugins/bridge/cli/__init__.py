"""Commands of the bridge."""
