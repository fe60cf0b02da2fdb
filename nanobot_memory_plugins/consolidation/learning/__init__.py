"""Learning from sessions: what the model has read in one becomes entries."""
