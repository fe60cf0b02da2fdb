"""The forms of other stores that are read without knowing a host."""
