"""The one text by which nanobot replaces what it compacts: our summary, and below it the messages that stay.

nanobot cannot keep a tail of messages. They are written out, each under a line that says who spoke and with its own
lines indented, so that no text can pass for another speaker's, and the next compaction gets them back as messages.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core import Message, Summary, estimate_tokens, remove_fenced
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

_TAIL_HEADING = "Last messages, as they were:"
_INDENT = "  "
_ROLES = ("user", "assistant", "tool", "system")
# Where they do not fit as they are, messages are shortened to so many characters, and then the oldest are left out.
_SHORTER = (2_000, 500)
_CALL_CHARS = 300
_NAME_CHARS = 64


def replacement(
    summary: Summary, messages: Sequence[Mapping[str, Any]], *, fits: Callable[[str], bool], first: int = 0
) -> str:
    """Return the summary's text with the messages that it keeps written out below it.

    ``first`` is the index of the first message that can be kept; before it is an earlier summary. ``fits`` says
    whether a text has room. When not even the summary has, its beginning is returned.
    """
    text = summary.text.strip()
    kept = [Message.from_chat(message) for message in messages[max(first, summary.keep_from) :]]
    entries = [entry for entry in map(_entry, kept) if entry]
    for chars in _SHORTER:
        if fits(_joined_text(text, entries)):
            break
        entries = [_shortened(entry, chars) for entry in entries]
    while entries and not fits(_joined_text(text, entries)):
        entries.pop(0)
    return _joined_text(text, entries) if entries else _beginning(text, fits)


def split_checkpoint(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the summary in a text that `replacement` made, and the messages below it; of any other text, all of it."""
    # The last one is ours: in a message's own text it would be indented.
    summary, heading, tail = text.rpartition(f"\n\n{_TAIL_HEADING}\n")
    if not heading:
        return text, []
    messages: list[dict[str, Any]] = []
    for line in tail.splitlines():
        role = line.rstrip(":").split(" ")[0]
        if line.startswith(_INDENT) and messages:
            messages[-1]["content"].append(line[len(_INDENT) :])
        elif line.endswith(":") and role in _ROLES:
            # A result is left without its call: it is given as the assistant's message.
            messages.append({"role": "user" if role == "user" else "assistant", "content": []})
        elif messages and not line.strip():
            messages[-1]["content"].append("")
    return summary, [{**message, "content": "\n".join(message["content"]).strip()} for message in messages]


def _entry(message: Message) -> str:
    """Return a message under the line that says who spoke, or nothing when it says nothing."""
    text = remove_fenced(message.text).strip()
    calls = [f"[calls {_call(call)}]" for call in message.tool_calls]
    body = "\n".join(filter(None, (text, *calls)))
    if not body:
        return ""
    role = message.role if message.role in _ROLES else "user"
    name = " ".join(message.name[:_NAME_CHARS].replace(":", " ").split())
    return f"{role} {name}:\n{_indented(body)}" if name else f"{role}:\n{_indented(body)}"


def _call(call: Any) -> str:
    function = call.get("function")
    inner = function if hasattr(function, "get") else call
    arguments = " ".join(str(inner.get("arguments") or "")[:_CALL_CHARS].split())
    return f"{str(inner.get('name') or '?')[:_NAME_CHARS]}({arguments})"


def _indented(text: str) -> str:
    return "\n".join(_INDENT + line for line in text.splitlines())


def _shortened(entry: str, chars: int) -> str:
    """Return an entry with the middle of its text left out."""
    if len(entry) <= chars:
        return entry
    head, tail = entry[: 2 * chars // 3].rstrip(), entry[-chars // 3 :].lstrip()
    return f"{head}\n{_INDENT}[…]\n{_INDENT}{tail}"


def _joined_text(text: str, entries: Sequence[str]) -> str:
    return f"{text}\n\n{_TAIL_HEADING}\n\n" + "\n\n".join(entries) if entries else text


def _beginning(text: str, fits: Callable[[str], bool]) -> str:
    """Return as much of a text as fits, roughly; never nothing."""
    while not fits(text) and (tokens := estimate_tokens(text)) > 1:
        text = truncate_to_tokens(text, tokens * 7 // 8)
    return text
