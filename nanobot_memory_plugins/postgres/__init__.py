"""The PostgreSQL store: one memory for many machines."""
