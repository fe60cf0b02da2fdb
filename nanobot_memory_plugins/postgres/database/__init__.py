"""The tables on the server, and what is written to them."""
