"""The demonstration: the main job of the set, on a real nanobot-ai loop."""
