"""What the documents are made of beside prose: generated pages, pictures, and the site."""
