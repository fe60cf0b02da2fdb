"""Claude Code as a host: a plugin folder whose hooks are answered by the server that its model's tools come from."""
