"""Moving a memory between this machine's own store and one that machines share."""
