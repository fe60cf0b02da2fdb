"""What a text means: what is known of any text, whoever wrote it, in English and Chinese."""
