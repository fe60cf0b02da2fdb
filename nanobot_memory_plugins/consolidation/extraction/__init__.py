"""What a conversation leaves among the entries: asked for in one use of the model, believed as the user said it."""
