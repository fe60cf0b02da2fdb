"""Contact data: telephone numbers, e-mail and postal addresses, which may stay readable for who said them.

What is known to have been said is compared without what writing adds: ``+49 341 1234567`` is ``0341/1234567``.
"""

from __future__ import annotations

import re
import threading
from collections import deque

from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.rules.rule import ADDRESS, CONTACT_PLACEHOLDERS, EMAIL, PHONE

# What is compared of a telephone number: country and area codes are left out as often as not.
_DIGITS_COMPARED = 7
# Only texts with one of these can hold contact data.
_MAY_HOLD = re.compile(r"@|[0-9](?:[^0-9\n]{0,3}[0-9]){5}|(?i:street|road|avenue|address|stra(?:ß|ss)e)|[路街道号號]")
_NO_LETTER = re.compile(r"[\W_]+")
_MOST_KNOWN = 20_000
_MOST_WAITING = 2_000
# A longer text is a document. What stands behind it there is hidden, as what nobody said.
_LONGEST_HEARD = 20_000
# Only shorter texts are looked at at once: it is done on the host's loop.
_SHORT = 1_000


class SaidContacts:
    """The contact data that was said by who may see it. Safe in threads.

    Hearing a text only puts it aside: it is searched when somebody asks, which is rare.
    """

    def __init__(self) -> None:
        self._known: BoundedDict[str, None] = BoundedDict(_MOST_KNOWN)
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        self._heard: BoundedDict[int, None] = BoundedDict(_MOST_WAITING)
        self._lock = threading.Lock()

    def hear(self, text: str) -> None:
        """Learn what the beginning of ``text`` holds, which a user said, or memory has shown."""
        text = text[:_LONGEST_HEARD]
        if len(text) <= _SHORT and not _MAY_HOLD.search(text):
            return
        with self._lock:
            key = hash(text)
            if key in self._heard:
                return
            self._heard[key] = None
            self._waiting.append(text)

    def holds(self, placeholder: str, found: str) -> bool:
        """Tell whether ``found``, which would be replaced by ``placeholder``, was said before."""
        from nanobot_memory_plugins.redaction.engine.redactor import Redactor

        with self._lock:
            while self._waiting:
                text = self._waiting.popleft()
                if not _MAY_HOLD.search(text):
                    continue
                for finding in Redactor().findings(text):
                    if finding.placeholder in CONTACT_PLACEHOLDERS:
                        self._known[_key(finding.placeholder, text[finding.start : finding.end])] = None
            return _key(placeholder, found) in self._known


def _key(placeholder: str, found: str) -> str:
    if placeholder == PHONE:
        return PHONE + re.sub(r"[^0-9]", "", found)[-_DIGITS_COMPARED:]
    if placeholder == ADDRESS:
        return ADDRESS + _NO_LETTER.sub("", found).casefold()
    return EMAIL + found.casefold()
