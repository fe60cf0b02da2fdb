"""What a rule is, and how the rules that can match in a text are found without trying each."""
