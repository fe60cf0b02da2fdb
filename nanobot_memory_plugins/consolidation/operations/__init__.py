"""What is done to entries: remember, edit, forget, purge, take back."""
