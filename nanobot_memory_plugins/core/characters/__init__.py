"""Characters that show nothing, do something or look like others: what is known of them, for every part."""
