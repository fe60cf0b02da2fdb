"""What values look like: secrets, passwords, names of keys, words for codes, numbers of persons."""
