"""The long-term file as a prompt may show it: people's own text, and the notes that the user's words support."""

from nanobot_memory_plugins.core.files import NoteEntry, parse_notes
from nanobot_memory_plugins.core.values import Origin, Visibility

# Without one of these, in any case, a text holds no note that says whose it is or where it comes from.
_TELLING = ("origin", "session", "channel", "user", "agent", "group_chat", "project")


def without_others_notes(long_term: str, visible: Visibility) -> str:
    """Return a long-term text without the structured notes that are not for this prompt; the rest stays as it is.

    What a model notes on its own account may be what a web page told it to: recall has it, inside its fence. A note
    without an origin was written by a person, and one that names nobody is everybody's; ``visible`` says which
    of the others are. What is about another project than the one that is worked in is left out.
    """
    folded = long_term.casefold()
    if "###" not in folded or not any(word in folded for word in _TELLING):
        return long_term
    data = long_term.encode("utf-8", "surrogatepass")
    kept = [
        data[part.offset : part.offset + part.length]
        for part in parse_notes(data)
        if not isinstance(part, NoteEntry) or (part.origin is Origin.USER and _is_for(part, visible))
    ]
    return b"".join(kept).decode("utf-8", "surrogatepass")


def _is_for(note: NoteEntry, visible: Visibility) -> bool:
    return visible.allows(note.scope) and note.scope.project in ("", visible.project)
