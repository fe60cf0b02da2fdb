"""Configuration: read from a file or a mapping, checked key by key; a wrong value costs only itself."""
