"""The reading of a session by the language model, once for all plugins: what to remember, and what happened in it.

Plugins contribute their parts (`contribute_reading`); one prompt asks for all of them, and each plugin handles its part
of the answer. The messages come from the session's transcript, each once.
"""
