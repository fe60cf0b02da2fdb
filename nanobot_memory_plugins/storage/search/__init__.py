"""Search over the index: words and meaning, fused, with the passages around each one taken into account.

`searcher` needs the database; `scan` needs nothing but the documents, so nothing is imported here.
"""
