"""What every store shares: documents from the memory files, segmentation, embedding, features and ranking."""
