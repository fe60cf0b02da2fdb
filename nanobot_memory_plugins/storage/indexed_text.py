"""What of a document is indexed: the terms for full text, and the text that is embedded.

Who said it and when are part of both: questions name people and days.
"""

from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.segmentation import segment


def embedding_text(document: Document) -> str:
    """Return what is embedded: the passage with its heading, date and speaker before it."""
    date = f"[{document.said_at:%Y-%m-%d}] " if document.said_at else ""
    speaker = f"{document.speaker}: " if document.speaker else ""
    heading = f"{document.heading}\n" if document.heading else ""
    return f"{heading}{date}{speaker}{document.text}"


def body_terms(document: Document) -> str:
    """Return the terms of the passage with its speaker and date."""
    date = f"{document.said_at:%Y-%m-%d}" if document.said_at else ""
    return segment(f"{document.speaker}\n{date}\n{document.text}")


def head_terms(document: Document) -> str:
    """Return the terms of what says in short what the passage is about: heading, tl;dr and tags."""
    return segment("\n".join((document.heading, document.tldr, *document.tags)))


def derived_of(document: Document) -> tuple[str, str]:
    """Return what an index keeps of a document beside itself: the terms of its body and of its head."""
    return body_terms(document), head_terms(document)


def storable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
