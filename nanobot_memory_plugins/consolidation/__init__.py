"""Scored long-term entries: their Markdown file, their scores over time, and their history."""
