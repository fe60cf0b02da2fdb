PRAGMA application_id = 1851944297;
PRAGMA user_version = 5;
CREATE TABLE docs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given out twice: vectors refer to it
  key TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  source TEXT NOT NULL,
  text TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  origin TEXT NOT NULL,
  agent TEXT NOT NULL,
  user TEXT NOT NULL,
  channel TEXT NOT NULL,
  session TEXT NOT NULL,
  heading TEXT NOT NULL,
  tldr TEXT NOT NULL,
  tags TEXT NOT NULL,  -- a JSON list
  speaker TEXT NOT NULL,
  time TEXT,  -- ISO 8601 with its offset
  timestamp REAL,  -- the same in seconds since 1970, UTC
  body_terms TEXT NOT NULL,
  head_terms TEXT NOT NULL,
  embedding_hash BLOB NOT NULL,  -- of the text that is embedded
  row_hash BLOB NOT NULL,  -- of every field of the document: SQLite does not notice a flipped bit
  group_chat TEXT NOT NULL DEFAULT '',
  traits INTEGER NOT NULL DEFAULT 0,  -- what the text says for every question alike, as bits
  project TEXT NOT NULL DEFAULT ''
);
CREATE INDEX docs_path ON docs (path, ordinal);
CREATE INDEX docs_source ON docs (source, timestamp);
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  "offset" INTEGER NOT NULL,
  prefix_hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  line INTEGER NOT NULL,
  ordinal INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE spaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL,
  backend TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE embedded (
  space_id INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  doc_id INTEGER NOT NULL REFERENCES docs (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  usable INTEGER NOT NULL,  -- 0: the model's answer was no vector; not asked again
  PRIMARY KEY (space_id, doc_id)
) WITHOUT ROWID;
CREATE INDEX embedded_revision ON embedded (space_id, revision, usable);
CREATE INDEX embedded_doc ON embedded (doc_id);
CREATE TABLE vectors (
  space_id INTEGER NOT NULL,
  doc_id INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (space_id, doc_id),
  FOREIGN KEY (space_id, doc_id) REFERENCES embedded (space_id, doc_id) ON DELETE CASCADE
);
CREATE VIRTUAL TABLE docs_fts USING fts5(
  body_terms, head_terms, content='docs', content_rowid='id', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);
CREATE TRIGGER docs_inserted AFTER INSERT ON docs BEGIN
  INSERT INTO docs_fts (rowid, body_terms, head_terms) VALUES (new.id, new.body_terms, new.head_terms);
END;
CREATE TRIGGER docs_deleted AFTER DELETE ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, body_terms, head_terms)
  VALUES ('delete', old.id, old.body_terms, old.head_terms);
END;
CREATE TRIGGER docs_updated AFTER UPDATE ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, body_terms, head_terms)
  VALUES ('delete', old.id, old.body_terms, old.head_terms);
  INSERT INTO docs_fts (rowid, body_terms, head_terms) VALUES (new.id, new.body_terms, new.head_terms);
END;
CREATE VIRTUAL TABLE vec_1 USING vec0(vector float[3] distance_metric=cosine);
-- Rows
INSERT INTO docs ("id", "key", "path", "line", "offset", "ordinal", "source", "text", "content_hash", "origin", "agent", "user", "channel", "session", "heading", "tldr", "tags", "speaker", "time", "timestamp", "body_terms", "head_terms", "embedding_hash", "row_hash", "group_chat", "traits", "project") VALUES (1, 'full', 'memory/a.md', 3, 120, 0, 'note', 'Ann''s database is PostgreSQL', 'fbe8a5e2f5ba3ec19bc526291463914d955bc260eb874bc8f3d6d225e224c464', 'tool', 'agent', 'ann', 'cli', 'cli:direct', 'Plans', 'a database', '["work", "db"]', 'Ann', '2026-05-08T12:00:00+00:00', 1778241600.0, 'ann 2026-05-08 2026 05 08 ann databas is postgresql postgr sql 2026-05-08 2026-05 --05-08 --05', 'plan a databas work db', X'75D2E66F6F210E0DE54BDA30A5056736', X'58CDFB51D0F8C43F16404283B02EAA56', '', 32, '');
INSERT INTO docs ("id", "key", "path", "line", "offset", "ordinal", "source", "text", "content_hash", "origin", "agent", "user", "channel", "session", "heading", "tldr", "tags", "speaker", "time", "timestamp", "body_terms", "head_terms", "embedding_hash", "row_hash", "group_chat", "traits", "project") VALUES (2, 'plain', 'memory/a.md', 9, 300, 1, 'note', 'the cat sleeps', '0fba56c25d50f2023377ed6b1f03a127bdef3df9286a391c3562c5c2907ca34f', 'user', '', '', '', '', '', '', '[]', '', NULL, NULL, 'the cat sleep', '', X'CD5B9F795D6C73FEB677B512ED48ADE9', X'2E2918F49D8D82C5A055412C0E99BAF2', '', 0, '');
INSERT INTO docs ("id", "key", "path", "line", "offset", "ordinal", "source", "text", "content_hash", "origin", "agent", "user", "channel", "session", "heading", "tldr", "tags", "speaker", "time", "timestamp", "body_terms", "head_terms", "embedding_hash", "row_hash", "group_chat", "traits", "project") VALUES (3, 'chinese', 'memory/a.md', 12, 400, 2, 'note', '我们决定使用蓝色的主题', '1f78cf02548c8e8fe9ef9ece6a162b2286007b2fa300eddea2bf8be478984c02', 'user', '', '', '', '', '', '', '[]', '', '2026-05-08T12:00:00+00:00', 1778241600.0, '2026-05-08 2026 05 08 我 我们 们 们决 决 决定 定 定使 使 使用 用 用蓝 蓝 蓝色 色 色的 的 的主 主 主题 题 2026-05-08 2026-05 --05-08 --05', '', X'9B830564BDD9B90612291D84330C1BB7', X'397B101099BD9E12CF6D8932AAF53BE8', '', 0, '');
INSERT INTO files ("path", "offset", "prefix_hash", "size", "mtime_ns", "line", "ordinal") VALUES ('memory/a.md', 10, 'aa', 10, 1, 2, 3);
INSERT INTO meta ("key", "value") VALUES ('commits', 3);
INSERT INTO meta ("key", "value") VALUES ('hides_secrets_of_people', 1);
INSERT INTO meta ("key", "value") VALUES ('identity', '00000000000000000000000000000000');
INSERT INTO meta ("key", "value") VALUES ('revision', 1);
INSERT INTO meta ("key", "value") VALUES ('segmentation', 2);
INSERT INTO meta ("key", "value") VALUES ('traits', '3b82597c39fc797e');
INSERT INTO spaces ("id", "name", "dimension", "backend", "active") VALUES (1, 'a model', 3, 'vec0', 1);
INSERT INTO embedded ("space_id", "doc_id", "revision", "usable") VALUES (1, 1, 1, 0);
INSERT INTO embedded ("space_id", "doc_id", "revision", "usable") VALUES (1, 2, 1, 1);
INSERT INTO embedded ("space_id", "doc_id", "revision", "usable") VALUES (1, 3, 1, 1);
INSERT INTO vec_1 ("rowid", "vector") VALUES (2, X'000000000000803F00000000');
INSERT INTO vec_1 ("rowid", "vector") VALUES (3, X'0000803F0000000000000000');
