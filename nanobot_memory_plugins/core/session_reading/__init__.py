"""The one question that is asked after a session: what of it is to be remembered, and what it came to.

Plugins contribute their parts (`contribute_reading`); one prompt asks for all of them, and each handles its part of
the answer. Messages come from the session's transcript, each once.
"""
