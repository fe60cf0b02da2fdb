"""What is believed of models that cannot quote: candidates are held beside the user's words, as bags of words."""
