"""``search`` and ``fetch``: the memory as documents with ids, titles and addresses."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from nanobot_memory_plugins.core import Hit, NanobotMemoryError, Query, Scope, fence, language_of
from nanobot_memory_plugins.core.host import whole_hit
from nanobot_memory_plugins.core.text.fence import neutralise
from nanobot_memory_plugins.mcp.bounds import ANSWER_CHARACTERS, bounded
from nanobot_memory_plugins.mcp.call import Result
from nanobot_memory_plugins.mcp.memory import ServedMemory

ITEM = "memory://item/"
_RESULTS = 10
_TITLE_CHARACTERS = 120
_READ_ON = "memory_get reads on by id."
_NO_ID = "There is no memory with this id. Ids come from search."


async def search_documents(memory: ServedMemory, scope: Scope, arguments: Mapping[str, Any]) -> Result:
    """Return the best memories for a query, the best first."""
    query = str(arguments.get("query") or "").strip()
    try:
        visible = memory.visible_scope(scope)
        found = (await memory.search(Query(text=query, limit=_RESULTS, scope=visible))).hits if query else ()
    except NanobotMemoryError as error:
        return told(f"Error: {error}")
    shown = await memory.shown(scope, found)
    return structured({"results": [{"id": hit.id, "title": _title(hit), "url": _address(hit)} for hit in shown]})


async def fetch_document(memory: ServedMemory, scope: Scope, arguments: Mapping[str, Any]) -> Result:
    """Return one memory with its text."""
    wanted = str(arguments.get("id") or "").strip()
    wanted = unquote(wanted.removeprefix(ITEM)) if wanted.startswith(ITEM) else wanted
    if not wanted:
        return told("Error: id: name the memory to read; search gives ids")
    if memory.store is None:
        return told("Error: no index is open. `nanobot-memory doctor` says why.")
    try:
        hit = await whole_hit(memory.store, wanted)
    except NanobotMemoryError as error:
        return told(f"Error: {error}")
    shown = await memory.shown(scope, [hit] if hit is not None else [])
    if not shown:
        return told(f"Error: {_NO_ID}")
    hit = shown[0]
    text = fence([hit.text], language=language_of(hit.text)) or ""
    document: dict[str, Any] = {
        "id": hit.id,
        "title": _title(hit),
        "text": "",
        "url": _address(hit),
        "metadata": {
            "source": hit.source,
            "origin": hit.origin.value,
            "file": f"{hit.path}:{hit.line}",
            **({"time": hit.time.isoformat()} if hit.time is not None else {}),
        },
    }
    document["text"] = _fitting(text, ANSWER_CHARACTERS - len(_as_text(document)))
    return structured(document)


def told(text: str) -> Result:
    """Return a tool's result that is a text; one that begins with ``Error:`` is marked as such."""
    return {"content": [{"type": "text", "text": text}], "isError": text.startswith("Error:")}


def structured(content: dict[str, Any]) -> Result:
    """Return a tool's result that is an object, and the same as text for clients that read no other."""
    return {"content": [{"type": "text", "text": _as_text(content)}], "structuredContent": content, "isError": False}


def _as_text(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


def _fitting(text: str, room: int) -> str:
    """Return a text of which the JSON form has at most ``room`` characters more than that of none."""
    most = room
    while True:
        shown = bounded(text, _READ_ON, most=most)
        too_long = len(_as_text(shown)) - len(_as_text("")) - room
        if too_long <= 0 or not shown:
            return shown
        most = len(shown) - max(1, too_long // 6)  # an escaped character has up to six


def _title(hit: Hit) -> str:
    day = f"{hit.time.astimezone():%Y-%m-%d} " if hit.time else ""
    said = " ".join((hit.tldr or hit.snippet or hit.heading or hit.text).split())
    return day + neutralise(said)[:_TITLE_CHARACTERS]


def _address(hit: Hit) -> str:
    return ITEM + quote(hit.id, safe="")
