"""What is known of any text, whoever wrote it, in English and Chinese."""
