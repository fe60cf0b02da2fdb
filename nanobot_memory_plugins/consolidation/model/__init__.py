"""The model of an entry: categories, ownership, groups, and the arithmetic of scores."""
