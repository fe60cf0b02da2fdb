"""The detectors: each finds one way in which secrets or personal data stand in a text."""
