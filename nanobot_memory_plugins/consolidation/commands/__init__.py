"""What people and the model say in so many words: remember this, forget that; and what they see of it."""
