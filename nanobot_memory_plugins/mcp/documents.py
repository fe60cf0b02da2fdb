"""``search`` and ``fetch``: the memory as documents with ids, titles and addresses, as ChatGPT's connectors ask for."""

from urllib.parse import quote, unquote

from pydantic import BaseModel

from nanobot_memory_plugins.core import Hit, NanobotMemoryError, Query, Scope, fence, language_of
from nanobot_memory_plugins.core.host.bounded_store import whole_hit
from nanobot_memory_plugins.core.text.fence import neutralise
from nanobot_memory_plugins.mcp.bounds import bounded
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.sdk import UnansweredError

SEARCH = (
    "Search memory as documents",
    "memory_search for clients that know only search and fetch: ids, titles and addresses.",
)
FETCH = ("Fetch one memory as a document", "Read what search has found, by its id.")
_ADDRESS = "memory://item/"
_RESULTS = 10
_TITLE_CHARACTERS = 120
# Fewer than an answer may have: the text stands in it as JSON.
_TEXT_CHARACTERS = 12_000


class Found(BaseModel):
    """A memory in a list."""

    id: str
    title: str
    url: str


class Results(BaseModel):
    """What a search finds, the best first."""

    results: list[Found]


class Document(Found):
    """A memory with its text."""

    text: str
    metadata: dict[str, str]


async def search(memory: ServedMemory, scope: Scope, query: str) -> Results:
    """Return the best memories for a query. Raises `UnansweredError`."""
    try:
        wanted = Query(text=query.strip(), limit=_RESULTS, scope=memory.visible_scope(scope))
        hits = (await memory.search(wanted)).hits if wanted.text else ()
    except NanobotMemoryError as error:
        raise UnansweredError(told=str(error)) from error
    return Results(results=[Found(**_named(hit)) for hit in memory.shown(scope, hits)])


async def fetch(memory: ServedMemory, scope: Scope, wanted: str) -> Document:
    """Return one memory by its id or address. Raises `UnansweredError`."""
    wanted = unquote(wanted.removeprefix(_ADDRESS)) if wanted.startswith(_ADDRESS) else wanted.strip()
    if memory.store is None:
        raise UnansweredError(told="No index is open. `nanobot-memory doctor` says why.")
    try:
        found = await whole_hit(memory.store, wanted) if wanted else None
    except NanobotMemoryError as error:
        raise UnansweredError(told=str(error)) from error
    for hit in memory.shown(scope, [found] if found is not None else []):
        metadata = {"source": hit.source, "origin": hit.origin.value, "file": f"{hit.path}:{hit.line}"}
        if hit.time is not None:
            metadata["time"] = hit.time.isoformat()
        text = fence([hit.text], language=language_of(hit.text)) or ""
        return Document(
            **_named(hit), text=bounded(text, "memory_get reads on by id.", most=_TEXT_CHARACTERS), metadata=metadata
        )
    raise UnansweredError(told="There is no memory with this id. Ids come from search.")


def _named(hit: Hit) -> dict[str, str]:
    day = f"{hit.time.astimezone():%Y-%m-%d} " if hit.time else ""
    said = " ".join((hit.tldr or hit.snippet or hit.heading or hit.text).split())
    title = day + neutralise(said)[:_TITLE_CHARACTERS]
    return {"id": hit.id, "title": title, "url": _ADDRESS + quote(hit.id, safe="")}
