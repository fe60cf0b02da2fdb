"""What the panel shows, view by view."""
