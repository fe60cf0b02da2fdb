"""Reading and cutting text in English and Chinese, whoever wrote it."""
