"""Tools around the memory: what recall finds on labelled data, how fast searches are, and a local language model."""
