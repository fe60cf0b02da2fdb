"""Erasures on all machines: at once on the server, and in the files of each machine as soon as it connects.

A row contains the words until every machine has carried out the erasure, since each searches its own files for them. A
machine with a pending erasure sends nothing (`PassageIndex`), and so restores nothing.
"""

import json
from collections import Counter
from collections.abc import Iterator

from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres import entries
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import Owner, delete, lock_tenant, register

# Rows that are read at a time.
_AT_ONCE = 500


def count_matches(connection: Connection, erasure: Erasure) -> dict[str, int]:
    """Return how many passages match an erasure, by machine."""
    return dict(Counter(machine for _, machine, _ in _passages(connection, _matcher(erasure))))


def forget(connection: Connection, owner: Owner, erasure: Erasure) -> dict[str, int]:
    """Erase something from the server, order every machine to erase it, and return the deleted passages by machine.

    The machines send the affected files again, so that the rest of their content is restored.
    """
    register(connection, owner)
    revision = lock_tenant(connection)  # no machine sends meanwhile; each one that sends later sees the erasure
    matcher = _matcher(erasure)
    deleted = list(_passages(connection, matcher))
    delete(connection, owner, [number for number, _, _ in deleted])
    places = sorted({(machine, path) for _, machine, path in deleted})
    run(
        connection,
        "DELETE FROM nanobot_memory.file f USING unnest(%s::text[], %s::text[]) AS u(machine, path) "
        "WHERE f.machine = u.machine AND f.path = u.path",
        ([machine for machine, _ in places], [path for _, path in places]),
    )
    run(
        connection,
        "UPDATE nanobot_memory.machine m SET revision = %s WHERE m.machine = ANY(%s)",
        (revision, [machine for machine, _ in places]),
    )
    entries.forget(connection, owner.machine, matcher)
    body = {
        "ids": erasure.ids,
        "texts": [clean_markdown(text) for text in erasure.texts],
        "words": [clean_markdown(word) for word in erasure.words],
        "everywhere": erasure.everywhere,
    }
    run(
        connection,
        "INSERT INTO nanobot_memory.forgotten (revision, machine, body) VALUES (%s, %s, %s::jsonb)",
        (revision, owner.machine, json.dumps(body)),
    )
    # Earlier erasures of other machines have to be carried out here first.
    orders = [number for number, _ in pending_erasures(connection, owner)]
    if orders == [revision]:
        confirm_erasure(connection, owner, revision)
    return dict(Counter(machine for _, machine, _ in deleted))


def pending_erasures(connection: Connection, owner: Owner) -> list[tuple[int, Erasure]]:
    """Return the erasures that this machine has to carry out with their revisions, the oldest first."""
    rows = run(
        connection,
        "SELECT f.revision, f.body FROM nanobot_memory.forgotten f WHERE f.body IS NOT NULL AND f.revision > "
        "coalesce((SELECT m.forgotten FROM nanobot_memory.machine m WHERE m.machine = %s), 0) ORDER BY f.revision",
        (owner.machine,),
    ).fetchall()
    return [
        (
            int(number),
            Erasure(
                tuple(body.get("ids", ())), tuple(body["texts"]), tuple(body["words"]), body["everywhere"],
            ),
        )
        for number, body in rows
    ]  # fmt: skip


def confirm_erasure(connection: Connection, owner: Owner, revision: int) -> None:
    """Record that this machine has carried out all erasures up to a revision; the last one deletes the words."""
    register(connection, owner)
    run(
        connection,
        "UPDATE nanobot_memory.machine m SET forgotten = %s WHERE m.machine = %s AND m.forgotten < %s",
        (revision, owner.machine, revision),
    )
    run(
        connection,
        "UPDATE nanobot_memory.forgotten f SET body = NULL WHERE f.body IS NOT NULL "
        "AND f.revision <= (SELECT min(m.forgotten) FROM nanobot_memory.machine m)",
    )


def _matcher(erasure: Erasure) -> ErasureMatcher:
    return ErasureMatcher(erasure.texts, words=erasure.words)


def _passages(connection: Connection, matcher: ErasureMatcher) -> Iterator[tuple[int, str, str]]:
    """Yield id, machine and path of the passages that match."""
    last_id: int | None = None
    while True:
        rows = run(
            connection,
            "SELECT c.id, c.machine, c.path, c.text, c.tldr, c.heading, c.tags FROM nanobot_memory.passage c "
            "WHERE %s::bigint IS NULL OR c.id > %s ORDER BY c.id LIMIT %s",
            (last_id, last_id, _AT_ONCE),
        ).fetchall()
        for number, machine, path, *texts, tags in rows:
            if matcher.count("\n".join((*texts, " ".join(json.loads(tags))))):
                yield int(number), machine, path
        if len(rows) < _AT_ONCE:
            return
        last_id = rows[-1][0]
