"""What the panel shows, one view a module."""
