"""Building and checking a release: ``python -m release``. It uploads nothing. docs/releasing.md tells how to use it."""
