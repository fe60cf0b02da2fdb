"""Redaction by who said a text: secrets are hidden everywhere, contact data as the option ``redaction.contacts`` says.

| who said it | ``hide`` | ``user`` | ``keep`` |
|---|---|---|---|
| the user, or a person in a file | hidden | stays | stays |
| the assistant, a summary, a plugin | hidden | stays where the user said it, or memory showed it | stays |
| a tool or a page | hidden | hidden | stays |
"""

import re
import threading
import unicodedata
from collections.abc import Iterable
from typing import Literal

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Message, Origin
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# What may be contact data in a text: telephone numbers as their digits, addresses as they are.
_CONTACT = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){5,}|[^\s@]{1,64}@[^\s@]{1,255}")
# Digits of a telephone number that are compared: country and area codes are left out as often as not
# (``+49 341 1234567`` is ``0341/1234567``).
_DIGITS_COMPARED = 7
_MOST_KNOWN, _MOST_TEXTS = 20_000, 2_000
# A longer text is a document: contact data further on in it is hidden, as if nobody had said it.
_LONGEST_TEXT = 20_000

_ANY_MESSAGE = "My password is kept elsewhere, call me at 10. 我的密码不在这里。"


Contacts = Literal["hide", "user", "keep"]


class ContactRedaction:
    """Redacts what is written for one workspace. Safe in threads."""

    def __init__(self, contacts: Contacts = "user") -> None:
        self._contacts = contacts
        self._known: BoundedDict[str, None] = BoundedDict(_MOST_KNOWN)
        self._seen_texts: BoundedDict[int, None] = BoundedDict(_MOST_TEXTS)
        self._lock = threading.Lock()

    async def load(self) -> None:
        """Import the detectors and the rules of third parties, off the event loop: nobody waits for them later.

        A message is redacted, for their patterns are compiled when they are first tried.
        """
        from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread

        await run_in_daemon_thread(lambda: redact_text(_ANY_MESSAGE))

    def redact(self, text: str, origin: Origin) -> str:
        """Return a text without what who said it may not say."""
        if origin in (Origin.TOOL, Origin.WEB):
            return self.redact_tools(text)
        return self.redact_people(text) if origin in (Origin.USER, Origin.NOTES) else self.redact_generated(text)

    def redact_people(self, text: str) -> str:
        """Return what the user said, or a person wrote, without secrets."""
        return redact_text(text, keeps=None if self._contacts == "hide" else _always)

    def redact_generated(self, text: str) -> str:
        """Return what the assistant, a model or a plugin said without secrets, and without contact data of others."""
        return redact_text(text, keeps=self._is_known) if self._contacts == "user" else self.redact_people(text)

    def redact_tools(self, text: str) -> str:
        """Return what a tool or a page said without secrets."""
        return redact_text(text, keeps=_always if self._contacts == "keep" else None)

    def learn(self, *texts: str) -> None:
        """Learn which contact data the user said, or memory showed: that of the beginning of each text."""
        if self._contacts != "user":
            return
        for text in texts:
            text = text[:_LONGEST_TEXT]
            with self._lock:
                if (key := hash(text)) not in self._seen_texts:
                    self._seen_texts[key] = None
                    found = _CONTACT.findall(unicodedata.normalize("NFKC", text))
                    self._known.update(dict.fromkeys(map(_plain, found)))

    def learn_from_history(self, messages: Iterable[Message]) -> None:
        """Learn from the user's messages of a history."""
        self.learn(*[message.text for message in messages if message.role == "user"])

    def _is_known(self, _placeholder: str, found: str) -> bool:
        """Tell whether the user said contact data before, or memory showed it."""
        plain = _plain(unicodedata.normalize("NFKC", found))
        compared = plain if "@" in plain else plain[-_DIGITS_COMPARED:]
        with self._lock:
            return any(compared in known for known in self._known)


def _plain(contact: str) -> str:
    return contact.casefold() if "@" in contact else re.sub(r"[^0-9]", "", contact)


def _always(_placeholder: str, _found: str) -> bool:
    return True


def without_secrets(text: str) -> str:
    """Return ``text`` without its secrets; all contact data stays."""
    return redact_text(text, keeps=_always)
