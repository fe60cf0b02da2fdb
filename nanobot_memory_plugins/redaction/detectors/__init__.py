"""Detectors, each for one way in which secrets or personal data occur in a text."""
