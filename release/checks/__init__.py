"""Checks of documents, packages, imports and catalogues; `python -m release.checks` runs them."""
