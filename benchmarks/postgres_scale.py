"""A service on PostgreSQL: many tenants on one server, built, measured and searched.

``python -m benchmarks postgres_scale [--tenants 1000] [--passages 1000]`` fills a server of its own. Some tenants are
real: their texts are made up for them, sent as an agent sends them, and searched. The others are copies of the first
with other terms, made by the server, so that a million passages take minutes and not a day. Everybody writes in turns,
a tenth at a time, as in life: no tenant's rows lie side by side.
"""

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid5

import numpy as np

from benchmarks.measure import quiet, report
from nanobot_memory_plugins.core import SystemClock
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import Connection, connect, plain_errors, run, table
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.search import ServerRows, ServerVectors, ServerWords
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.index_searcher import IndexSearcher
from nanobot_memory_plugins.search.options import SearchOptions
from nanobot_memory_plugins.tools.bench import made_up
from nanobot_memory_plugins.tools.bench.parts import in_turns, milliseconds, percentile

REAL, ROUNDS, QUESTIONS, QUESTION_WORDS = 5, 10, 60, 8
_COPIES = UUID("0d1e6b2c-6e0c-5d0e-9a52-1b1d6f0c8a12")
_MODEL = made_up.RandomModel()
# Columns that a copy does not have from what it is a copy of.
_OWN = ("tenant", "id", "terms")


def whose_of(number: int) -> TenantOwner:
    """Return one of the real tenants."""
    return TenantOwner(Tenant.named(f"real {number}"), f"real {number}", "bench")


def send(connection: Connection, number: int, round_: int, passages: int) -> None:
    """Send a tenth of what a real tenant has, with its vectors."""
    shipment = Shipment(connection, whose_of(number), large_from=PostgresOptions().large_from)
    files = passages // made_up.FILE_CHUNKS
    begin, end = (files * one // ROUNDS for one in (round_, round_ + 1))
    for change in islice(made_up.documents(made_up.english(), passages, seed=10 + number), begin, end):
        shipment.apply(change)
    generator = np.random.default_rng(1_000 * number + round_)
    while waiting := shipment.documents_without_vector(_MODEL.name, 1_000):
        vectors = made_up.unit_vectors(len(waiting), _MODEL.dimension, generator)
        shipment.put_vectors(
            _MODEL.name, [(one.id, vector.tolist()) for one, vector in zip(waiting, vectors, strict=True)]
        )
    shipment.set_active_space(_MODEL.name)


def copy(connection: Connection, number: int, round_: int, columns: Sequence[str]) -> None:
    """Let the server make a tenth of a copy of the first real tenant: its rows with other terms and ids."""
    tenant, salt = uuid5(_COPIES, str(number)), number * 7_919_000_001
    first = whose_of(0).tenant.id
    kept = ", ".join(f'c."{name}"' for name in columns)
    named = ", ".join(f'"{name}"' for name in columns)
    values = {"tenant": tenant, "first": first, "salt": salt, "round": round_, "rounds": ROUNDS}
    mine = "c.tenant = %(first)s AND abs(hashtext(c.path)) %% %(rounds)s = %(round)s"
    with plain_errors(), connection.transaction():
        run(
            connection,
            f"INSERT INTO {table('chunk')} (tenant, id, terms, {named}) SELECT %(tenant)s, c.id # %(salt)s, "
            f"ARRAY(SELECT t # %(salt)s FROM unnest(c.terms) t), {kept} FROM {table('chunk')} c WHERE {mine}",
            values,
        )
        run(
            connection,
            f"INSERT INTO {table('embedding')} (tenant, space, id, vector) SELECT %(tenant)s, e.space, "
            f"e.id # %(salt)s, e.vector FROM {table('embedding')} e JOIN {table('chunk')} c "
            f"ON c.tenant = e.tenant AND c.id = e.id WHERE {mine}",
            values,
        )
        if round_ == ROUNDS - 1:
            run(
                connection,
                f"INSERT INTO {table('term')} SELECT %(tenant)s, t.term # %(salt)s, t.documents "
                f"FROM {table('term')} t WHERE t.tenant = %(first)s",
                values,
            )
            run(
                connection,
                f"INSERT INTO {table('tenant')} (tenant, name, version, documents, large, average) "
                f"SELECT %(tenant)s, 'copy', version, documents, large, average FROM {table('tenant')} "
                "WHERE tenant = %(first)s",
                values,
            )


def search_of(connection: Connection, number: int, *, vectors: bool) -> Callable[[str], object]:
    """Return a search of a real tenant."""
    whose = whose_of(number)

    def search(text: str) -> object:
        searcher = IndexSearcher(
            ServerWords(connection, whose),
            ServerRows(connection, whose),
            ServerVectors(connection, whose),
            lambda: _MODEL,
            options=SearchOptions(),
            clock=SystemClock(),
            errors=plain_errors,
        )
        return searcher.search(Query(text, use_vectors=vectors))

    return search


def timed(alone: Connection, among: Connection, tenants: int) -> None:
    """Search the real tenants where they are alone and where others are, in turns, and print what it took."""
    language, generator = made_up.english(), np.random.default_rng(3)
    questions = [language.text(QUESTION_WORDS, generator) for _ in range(QUESTIONS)]
    places = {"alone": alone, f"among {tenants:,}": among}
    for name, vectors in (("words", False), ("words and meaning", True)):
        whole: dict[str, list[float]] = {what: [] for what in places}
        for number in range(REAL):
            searches = {what: search_of(one, number, vectors=vectors) for what, one in places.items()}
            for search in searches.values():
                search("warm up")
            times, _ = in_turns(
                {
                    what: lambda text, search=search: milliseconds(lambda: search(text))
                    for what, search in searches.items()
                },
                questions[number::REAL],
            )
            for what, found in times.items():
                whole[what] += found
        medians = {what: statistics.median(found) for what, found in whole.items()}
        for what, found in whole.items():
            report(f"search by {name}, a tenant {what}, median", medians[what], "ms")
            report(f"search by {name}, a tenant {what}, 95th percentile", percentile(found), "ms")
        least, most = medians.values()
        report(f"search by {name}, among others beside alone", most / least, "x", limit=1.5)


def sizes(connection: Connection, passages: int) -> None:
    """Print what the tables and their indexes take."""
    for name in ("chunk", "term", "embedding"):
        row = run(
            connection,
            "SELECT sum(pg_table_size(relid)), sum(pg_indexes_size(relid)) FROM pg_partition_tree(%s) WHERE isleaf",
            (table(name),),
        ).fetchone()
        heap, indexes = (int(one) for one in row) if row else (0, 0)
        report(f"{name}: rows, for each passage", heap / passages, "bytes")
        report(f"{name}: indexes, for each passage", indexes / passages, "bytes")
    row = run(connection, "SELECT pg_database_size(current_database())").fetchone()
    report("the whole database", (int(row[0]) if row else 0) / 1e9, "GB")


def measure(folder: Path, tenants: int, passages: int) -> None:
    """Fill a server, and search the real tenants there and on a server that has nobody else."""
    whole, fewer = (OwnServer(folder / name, safe=False) for name in ("all", "few"))
    with whole.running():
        connection = connect(whole.dsn)
        schema.prepare(connection, PostgresOptions().partitions)
        begun = time.perf_counter()
        for round_ in range(ROUNDS):
            for number in range(REAL):
                send(connection, number, round_, passages)
        report("sending the real ones, passages a second", REAL * passages / (time.perf_counter() - begun), "/s")
        connection.close()
    subprocess.run(["cp", "-a", str(whole.folder), str(fewer.folder)], check=True)
    with whole.running(), fewer.running():
        connection, alone = connect(whole.dsn), connect(fewer.dsn)
        _copy_all(connection, tenants - REAL)
        report("vacuum and analyze", _settle(whole), "s")
        _settle(fewer)
        sizes(connection, tenants * passages)
        timed(alone, connection, tenants)
        connection.close()
        alone.close()


def _copy_all(connection: Connection, copies: int) -> None:
    columns = [
        str(row[0])
        for row in run(
            connection,
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            (table("chunk"),),
        )
        if str(row[0]) not in _OWN
    ]
    begun = time.perf_counter()
    for round_ in range(ROUNDS):
        for number in range(copies):
            copy(connection, number, round_, columns)
        print(f"  {round_ + 1} of {ROUNDS} rounds after {time.perf_counter() - begun:.0f} s", flush=True)
    report("making the copies", time.perf_counter() - begun, "s")


def _settle(server: OwnServer) -> float:
    begun = time.perf_counter()
    with connect(server.administrator_dsn) as administrator:
        run(administrator, "VACUUM ANALYZE")
        run(administrator, "CHECKPOINT")
    return time.perf_counter() - begun


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks postgres_scale", description=__doc__)
    parser.add_argument("--tenants", type=int, default=1_000)
    parser.add_argument("--passages", type=int, default=1_000)
    chosen = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder, quiet():
        Path(folder).chmod(0o755)
        measure(Path(folder), chosen.tenants, chosen.passages)
