"""The memory as resources, which a person picks in a client: long-term memory, the notes of a day, a session."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote

from nanobot_memory_plugins.core import Hit, Origin, Scope, fence, language_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.mcp.bounds import RESOURCE_CHARACTERS, bounded
from nanobot_memory_plugins.mcp.call import NO_SUCH_RESOURCE, RequestError, Result
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.reading import PersonsFiles

LONG_TERM = "memory://long-term"
NOTES = "memory://notes/"
SESSIONS = "memory://sessions/"
_MARKDOWN, _PLAIN = "text/markdown", "text/plain"
# How many of the last days and sessions are listed; templates reach the others.
_DAYS, _SESSIONS, _MESSAGES = 7, 10, 200
_MORE = "memory_search finds what they say."
_NOTHING = "There is nothing here yet."
_EARLIER = "({count} earlier ones are left out here. " + _MORE + ")"

TEMPLATES: list[dict[str, Any]] = [
    {
        "uriTemplate": f"{NOTES}{{day}}",
        "name": "notes-of-a-day",
        "title": "Notes of a day",
        "description": "What was noted on a day, such as 2026-02-16.",
        "mimeType": _MARKDOWN,
    },
    {
        "uriTemplate": f"{SESSIONS}{{key}}",
        "name": "session",
        "title": "A conversation",
        "description": "The last messages of a conversation, without secrets. Its key is encoded as in addresses.",
        "mimeType": _PLAIN,
    },
]
"""The addresses of what the list leaves out."""


async def list_resources(memory: ServedMemory, scope: Scope) -> list[dict[str, Any]]:
    """Return what there is for a person: long-term memory, and the last days and sessions."""
    files = PersonsFiles(memory.workspace, memory.visible_scope(scope))
    days, sessions = await run_in_daemon_thread(lambda: (files.days(_DAYS), files.sessions(_SESSIONS)))
    return [
        {
            "uri": LONG_TERM,
            "name": "long-term-memory",
            "title": "Long-term memory",
            "description": "All that is known of the user for long.",
            "mimeType": _MARKDOWN,
        },
        *(
            {"uri": f"{NOTES}{day}", "name": f"notes-{day}", "title": f"Notes of {day}", "mimeType": _MARKDOWN}
            for day in days
        ),
        *(
            {
                "uri": f"{SESSIONS}{quote(key, safe='')}",
                "name": f"session-{key}",
                "title": f"Conversation {key}" + (f", {last.astimezone():%Y-%m-%d}" if last else ""),
                "mimeType": _PLAIN,
            }
            for key, last in sessions
        ),
    ]


async def read_resource(memory: ServedMemory, client: Client, scope: Scope, uri: str) -> Result:
    """Return what stands at an address. Raises `RequestError` where nothing does that this person may see."""
    if uri == LONG_TERM:
        return _contents(
            uri, _MARKDOWN, bounded(await _long_term(memory, client, scope), _MORE, most=RESOURCE_CHARACTERS)
        )
    files = PersonsFiles(memory.workspace, memory.visible_scope(scope))
    if uri.startswith(NOTES):
        found, kind = await run_in_daemon_thread(lambda: files.notes(uri.removeprefix(NOTES))), _MARKDOWN
    elif uri.startswith(SESSIONS):
        key = unquote(uri.removeprefix(SESSIONS))
        found, kind = await run_in_daemon_thread(lambda: files.messages(key, _MESSAGES)), _PLAIN
    else:
        found, kind = [], _PLAIN
    shown = await memory.shown(scope, found)
    if not shown:
        raise RequestError(NO_SUCH_RESOURCE, "There is no such resource; resources/list names those that there are.")
    return _contents(uri, kind, _last(shown))


async def _long_term(memory: ServedMemory, client: Client, scope: Scope) -> str:
    """Return what is known of a person, and the long-term file as far as it is theirs."""
    search = memory.tool("memory_search")
    known = await search.run({}, session_key=client.session) if search is not None else ""
    written = await run_in_daemon_thread(memory.base_context)
    left = await run_in_daemon_thread(lambda: memory.prompt_entries(written, scope=scope).long_term)
    file = Hit(LONG_TERM, left, LONG_TERM, 1, 0.0, Origin.USER)
    text = "".join(hit.text for hit in await memory.shown(scope, [file] if left.strip() else []))
    fenced = fence([text], language=language_of(text))
    return "\n\n".join(filter(None, (known, fenced))) or _NOTHING


def _last(hits: Sequence[Hit]) -> str:
    """Return the last of some texts that fit, fenced, oldest first."""
    room, kept = RESOURCE_CHARACTERS, list[str]()
    for hit in reversed(hits):
        room -= len(hit.text) + 2
        if room < 0 and kept:
            kept.append(_EARLIER.format(count=len(hits) - len(kept)))
            break
        kept.append(hit.text[:RESOURCE_CHARACTERS])
    texts = kept[::-1]
    return fence(texts, language=language_of(texts[-1])) or _NOTHING


def _contents(uri: str, kind: str, text: str) -> Result:
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}
