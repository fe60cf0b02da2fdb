"""Building and checking a release: ``python -m release``. It uploads nothing. CONTRIBUTING.md tells how to use it."""
