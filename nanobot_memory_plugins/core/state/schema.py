"""The tables of the state database. A file with another version is made again; nothing is migrated.

Times are ISO 8601 in UTC, days ``YYYY-MM-DD``, bodies JSON. Tables that a shared database will hold, too, have the
tenant and a revision that only grows: a machine asks for what is newer than the last revision it has seen.
"""

# "nmem" in ASCII: tells this file from somebody else's SQLite database.
APPLICATION_ID = 0x6E6D656D
VERSION = 1

SCHEMA = """
-- The entries as they were written last, and every change to them.
CREATE TABLE IF NOT EXISTS entry (
    tenant TEXT NOT NULL DEFAULT '', id TEXT NOT NULL, body TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL DEFAULT '',
    time TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, undoes INTEGER
);
CREATE TABLE IF NOT EXISTS change (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, place INTEGER NOT NULL, id TEXT NOT NULL,
    before TEXT, after TEXT, PRIMARY KEY (run, id)
) WITHOUT ROWID;
-- The digest of a file as it was written last, and of the one before it; until the rename is done, ``unfinished`` is
-- the run of the write, or -1.
CREATE TABLE IF NOT EXISTS written_file (
    name TEXT PRIMARY KEY, digest TEXT NOT NULL, previous TEXT NOT NULL, unfinished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
-- Work that waits, and what was worked through: one row for each subject of a task, such as a session of the reading.
CREATE TABLE IF NOT EXISTS task (
    name TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (name, subject)
) WITHOUT ROWID;
-- Digests of what was purged, so that it does not come back from a session that goes on or from another machine.
CREATE TABLE IF NOT EXISTS forgotten (
    tenant TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL, digest TEXT NOT NULL, time TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tenant, kind, digest)
) WITHOUT ROWID;
-- What each import wrote, by file and key, with its digest: it is not imported twice, and can be taken back.
CREATE TABLE IF NOT EXISTS imported (
    source TEXT NOT NULL, item TEXT NOT NULL, digest TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (source, item)
) WITHOUT ROWID;
-- What happened on a day: uses of the language model, turns with and without memory, memories that did not help.
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, day TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS event_of_day ON event (kind, day);
"""
