"""The runtime of the memory: `MemoryHost` and its plugins, the service in a thread of its own, turns and histories."""
