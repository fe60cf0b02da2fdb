"""What is read at the start, so that no message waits for what is made ready when it is first needed.

The patterns with which texts are read are compiled when they are first tried, half a second of them in English alone,
and a message has less than that.
"""

WARM_UP_MESSAGES = (
    "Please remember that I moved to a new flat on Friday. Could you tell me where I lived before, and what I like?",
    "记住我下周五搬家。你还记得我以前住在哪里吗？",
)
"""Messages that state, ask, order and name a day, one in each language."""
