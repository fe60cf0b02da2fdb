"""The sub-commands around the scored entries."""
