"""Hook contract, plugin host, memory files and command line."""
