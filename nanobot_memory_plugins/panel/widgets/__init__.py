"""What the views are made of."""
