"""Search over an index: words and meaning, with the passages around each one taken into account."""
