"""The long-term file as a prompt may show it: people's own text, and the notes that the user's words bear out."""

from nanobot_memory_plugins.core.files import NoteEntry, parse_notes
from nanobot_memory_plugins.core.values import Origin


def without_others_notes(long_term: str) -> str:
    """Return a long-term text without the structured notes whose origin is not the user; the rest stays as it is.

    What a model notes on its own account may be what a web page told it to: recall has it, inside its fence. A note
    without an origin was written by a person.
    """
    if "origin:" not in long_term.lower() and "origin：" not in long_term.lower():
        return long_term
    data = long_term.encode("utf-8", "surrogatepass")
    kept = [
        data[part.offset : part.offset + part.length]
        for part in parse_notes(data)
        if not isinstance(part, NoteEntry) or part.origin is Origin.USER
    ]
    return b"".join(kept).decode("utf-8", "surrogatepass")
