"""Redaction by the origin of a text: secrets are always hidden, contact data according to ``redaction.contacts``.

| origin | ``hide`` | ``user`` | ``keep`` |
|---|---|---|---|
| the user, or a person in a file | hidden | stays | stays |
| the assistant, a summary, a plugin | hidden | stays if the user said it or memory showed it | stays |
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

# Possible contact data in a text: telephone numbers and e-mail addresses.
_CONTACT = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){5,}|[^\s@]{1,64}@[^\s@]{1,255}")
# The last digits of a telephone number that are compared, since country and area codes are often left out
# (``+49 341 1234567`` is ``0341/1234567``).
_DIGITS_COMPARED = 7
_MOST_KNOWN, _MOST_TEXTS = 20_000, 2_000
# A longer text is a document, of which only the beginning is searched: contact data after it stays unknown.
_LONGEST_TEXT = 20_000

_SAMPLE_MESSAGE = "My password is kept elsewhere, call me at 10. 我的密码不在这里。"


Contacts = Literal["hide", "user", "keep"]


class ContactRedaction:
    """Redacts the texts that are written for one workspace. Thread-safe."""

    def __init__(self, contacts: Contacts = "user") -> None:
        self._contacts = contacts
        self._known: BoundedDict[str, None] = BoundedDict(_MOST_KNOWN)
        self._seen_texts: BoundedDict[int, None] = BoundedDict(_MOST_TEXTS)
        self._lock = threading.Lock()

    async def load(self) -> None:
        """Load the detectors and third-party rules in a thread, so that no message waits for them later.

        A sample message is redacted, because patterns are compiled on first use.
        """
        from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread

        await run_in_daemon_thread(lambda: redact_text(_SAMPLE_MESSAGE))

    def redact(self, text: str, origin: Origin) -> str:
        """Return a text redacted according to its origin."""
        if origin in (Origin.TOOL, Origin.WEB):
            return self.redact_tools(text)
        return self.redact_people(text) if origin in (Origin.USER, Origin.NOTES) else self.redact_generated(text)

    def redact_people(self, text: str) -> str:
        """Redact a text that the user said or a person wrote."""
        return redact_text(text, keeps=None if self._contacts == "hide" else _keep_all_contacts)

    def redact_generated(self, text: str) -> str:
        """Redact a text of the assistant, a model or a plugin, including contact data that the user has not said."""
        return redact_text(text, keeps=self._is_known) if self._contacts == "user" else self.redact_people(text)

    def redact_tools(self, text: str) -> str:
        """Redact the text of a tool or a web page."""
        return redact_text(text, keeps=_keep_all_contacts if self._contacts == "keep" else None)

    def learn(self, *texts: str) -> None:
        """Remember the contact data at the beginning of texts that the user said or memory showed."""
        if self._contacts != "user":
            return
        for text in texts:
            text = text[:_LONGEST_TEXT]
            with self._lock:
                if (key := hash(text)) not in self._seen_texts:
                    self._seen_texts[key] = None
                    found = _CONTACT.findall(unicodedata.normalize("NFKC", text))
                    self._known.update(dict.fromkeys(map(_normalise, found)))

    def learn_from_history(self, messages: Iterable[Message]) -> None:
        """Remember the contact data in the user's messages of a history."""
        self.learn(*[message.text for message in messages if message.role == "user"])

    def _is_known(self, _placeholder: str, found: str) -> bool:
        """Return whether the user said contact data before, or memory showed it."""
        contact = _normalise(unicodedata.normalize("NFKC", found))
        compared = contact if "@" in contact else contact[-_DIGITS_COMPARED:]
        with self._lock:
            return any(compared in known for known in self._known)


def _normalise(contact: str) -> str:
    return contact.casefold() if "@" in contact else re.sub(r"[^0-9]", "", contact)


def _keep_all_contacts(_placeholder: str, _found: str) -> bool:
    return True


def redact_secrets(text: str) -> str:
    """Return ``text`` without secrets, but with its contact data."""
    return redact_text(text, keeps=_keep_all_contacts)
