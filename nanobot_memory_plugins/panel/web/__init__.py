"""The panel in a browser on this machine."""
