"""Running the detectors over texts and structured values, and putting placeholders in."""
