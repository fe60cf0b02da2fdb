"""A small language model that runs on this machine, for ``nanobot-memory demo --local-model`` and benchmarks."""
