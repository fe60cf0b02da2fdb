"""Rules, and the index that finds the rules that can match in a text without trying each."""
