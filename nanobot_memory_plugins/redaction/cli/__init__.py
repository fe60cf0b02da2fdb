"""The command line of redaction: a filter for standard input, and a check of files."""
