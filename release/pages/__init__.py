"""Makes the generated pages and pictures of the documentation, and the site."""
