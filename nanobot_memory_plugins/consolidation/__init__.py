"""Scored long-term entries: their Markdown, their life, their history."""
