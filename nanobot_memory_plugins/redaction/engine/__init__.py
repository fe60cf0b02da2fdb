"""Running the detectors over texts and structured values, and inserting placeholders."""
