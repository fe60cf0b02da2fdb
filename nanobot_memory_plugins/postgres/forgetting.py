"""What is to be forgotten on every machine: from the server at once, from each machine's files when that comes.

Until every machine has done so a row holds the words, since each looks for them in its own files. A machine that has
something to forget sends nothing before (`PassageIndex`), and so brings nothing back.
"""

import json
from collections import Counter
from collections.abc import Iterator

from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres import entries
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import Owner, begin, delete, introduce

# Rows that are looked at in one piece.
_AT_ONCE = 500


def found(connection: Connection, erasure: Erasure) -> dict[str, int]:
    """Return how many passages hold what is to be forgotten, by machine."""
    return dict(Counter(machine for _, machine, _ in _passages(connection, _matcher(erasure))))


def forget(connection: Connection, owner: Owner, erasure: Erasure) -> dict[str, int]:
    """Take something off the server, and have every machine forget it; return how many passages went, by machine.

    The files that held it are sent anew by their machines: what of them is not to be forgotten is there again.
    """
    introduce(connection, owner)
    revision = begin(connection)  # nobody sends meanwhile, and who sends later sees that he has to forget
    matcher = _matcher(erasure)
    gone = list(_passages(connection, matcher))
    delete(connection, owner, [number for number, _, _ in gone])
    places = sorted({(machine, path) for _, machine, path in gone})
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
    # What other machines have ordered before has its turn here first.
    orders = [number for number, _ in waiting(connection, owner)]
    if orders == [revision]:
        done(connection, owner, revision)
    return dict(Counter(machine for _, machine, _ in gone))


def waiting(connection: Connection, owner: Owner) -> list[tuple[int, Erasure]]:
    """Return what this machine has still to forget, the oldest first."""
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


def done(connection: Connection, owner: Owner, revision: int) -> None:
    """Say that this machine has forgotten all up to a revision; the last machine takes the words off the server."""
    introduce(connection, owner)
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
    """Yield id, machine and path of the passages that hold something."""
    last: int | None = None
    while True:
        rows = run(
            connection,
            "SELECT c.id, c.machine, c.path, c.text, c.tldr, c.heading, c.tags FROM nanobot_memory.passage c "
            "WHERE %s::bigint IS NULL OR c.id > %s ORDER BY c.id LIMIT %s",
            (last, last, _AT_ONCE),
        ).fetchall()
        for number, machine, path, *texts, tags in rows:
            if matcher.count("\n".join((*texts, " ".join(json.loads(tags))))):
                yield int(number), machine, path
        if len(rows) < _AT_ONCE:
            return
        last = rows[-1][0]
