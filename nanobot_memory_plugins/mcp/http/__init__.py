"""The protocol over HTTP: for clients that start no process, and for several people."""
