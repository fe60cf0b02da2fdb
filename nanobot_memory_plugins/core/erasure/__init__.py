"""Forgetting for good, and taking out secrets: what is found and removed in our files."""
