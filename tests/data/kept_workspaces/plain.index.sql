BEGIN TRANSACTION;
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
  group_chat TEXT NOT NULL DEFAULT ''
);
INSERT INTO "docs" VALUES(1,'memory/MEMORY.md#330ac2527a68a3050072','memory/MEMORY.md',1,0,0,'long_term','# Notes of mine

The port is 7071.','330ac2527a68a3050072a98cd6ebbbae4580042280d2da2571ffb7f2117a3e6d','user','','','','','Notes of mine','','[]','',NULL,NULL,'note of mine the port is 7071','note of mine',X'B617F7312C9D5ABB11D36D5C4F971A7C',X'0333DD81F7A2988741070644B8BD9589','');
INSERT INTO "docs" VALUES(3,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#a2fc112de4817df7','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',1,0,0,'transcript','Remember that my sister Kim is allergic to peanuts.','a2647e946525e292f5de3eef78e07733a3c465dfab2890363660bcbc640729e4','user','','','','cli:direct','','','[]','user','2026-03-03T08:00:00+00:00',1772524800.0,'user 2026-03-03 2026 03 rememb that my sister kim is allerg to peanut 2026-03-03 2026-03 --03-03 --03','',X'9E5D992CCDC1CA21BD94815029A5B311',X'0EF082BD9CB3B46561D6E3C6286D9721','');
INSERT INTO "docs" VALUES(4,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#5154be7bddcee8ff','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',2,179,1,'transcript','Understood.','1c7972c1c5457c59b52abfca047778f3c0804d8630cf506e243d83be52d964f5','assistant','','','','cli:direct','','','[]','assistant','2026-03-03T08:00:00+00:00',1772524800.0,'assist 2026-03-03 2026 03 understood 2026-03-03 2026-03 --03-03 --03','',X'379A321C09A64EEC86FEA6A0E2905DDD',X'5947A3AE5E082EED68B21B315ACA349F','');
INSERT INTO "docs" VALUES(5,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#974c3df3ee46a75b','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',3,328,2,'transcript','记住我每天六点半起床。','3b958e5e26fe7fa4298ad98b41bf933aa6ee1207c7a2553b3c7b90373fec42b8','user','','','','cli:direct','','','[]','user','2026-03-04T04:00:00+00:00',1772596800.0,'user 2026-03-04 2026 03 04 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 2026-03-04 2026-03 --03-04 --03','',X'481D80125F931628D0FFACE3FD97E5D7',X'72177057E0ABCEAC31B5ED7B47245B37','');
INSERT INTO "docs" VALUES(7,'memory/MEMORY.md#30981dff','memory/MEMORY.md',14,173,2,'long_term','my sister Kim is allergic to peanuts','628a9a1e037952b3a0c2151c6967ed41b85e317cdb6d17eec110fbcb9734e86b','user','','','','cli:direct','fact','','[]','',NULL,NULL,'my sister kim is allerg to peanut','fact',X'258BF884996E71DE843D0C1B6BE4262B',X'CF2F32A645230C0B7931B48AB524709B','');
INSERT INTO "docs" VALUES(8,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#408412c86b26f8c6','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',4,489,3,'transcript','Understood.','2faee1836691663c77fbf3296089c939463d9b30fbc8294154bdc6f0b01cc0b8','assistant','','','','cli:direct','','','[]','assistant','2026-03-04T04:00:00+00:00',1772596800.0,'assist 2026-03-04 2026 03 04 understood 2026-03-04 2026-03 --03-04 --03','',X'3AB7DB64E629882A4A3346639D02B844',X'71D9DF440EC38907A808EF964BD80502','');
INSERT INTO "docs" VALUES(9,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#5f0c50572d4a557d','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',5,638,4,'transcript','My cellar key hangs behind the barometer; the meter is read in April.','b86913d19bd96928869fd997ec1681cf8031c4b3432ef51680632e62a2cb76f6','user','','','','cli:direct','','','[]','user','2026-03-05T00:00:00+00:00',1772668800.0,'user 2026-03-05 2026 03 05 my cellar key hang behind the baromet the meter is read in april 2026-03-05 2026-03 --03-05 --03 --04','',X'C66AC308E7A902390E262FE4AF8B36A0',X'1503B6A249CD6DD853B1DE9E4E9530F8','');
INSERT INTO "docs" VALUES(10,'memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl#45481ec7195d3308','memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',6,835,5,'transcript','Understood.','85a68036f5d17d34e92cc3cdcb5d4425fe067020833eb5f501d2e71e0514b13e','assistant','','','','cli:direct','','','[]','assistant','2026-03-05T00:00:00+00:00',1772668800.0,'assist 2026-03-05 2026 03 05 understood 2026-03-05 2026-03 --03-05 --03','',X'EA59041D448680EA4D3DAE221AE2926C',X'7A1D653C29353DFB83ED306094606968','');
INSERT INTO "docs" VALUES(11,'memory/2026-03-05.md#43568caf9fbcd2c5','memory/2026-03-05.md',1,0,0,'observation','exec {"command": "pear --prune"} returned: pruned 14 branches

- tool: exec
- arguments: {"command": "pear --prune"}
- duration: 31 ms
- result:
pruned 14 branches','4437463724cc4da57a31297b2130de0bb1da45c2c7c27611c479eb6d80da3b22','tool','','','','cli:direct','tool exec','exec {"command": "pear --prune"} returned: pruned 14 branches','["observation", "exec"]','','2026-03-05T00:00:00+00:00',1772668800.0,'2026-03-05 2026 03 05 exec command pear prune return prune 14 branch tool exec argument command pear prune durat 31 ms result prune 14 branch 2026-03-05 2026-03 --03-05 --03','tool exec exec command pear prune return prune 14 branch observ exec',X'D9E5F8BAACCB8F3AB1D7F528E09BC9E4',X'DB074857F930CFBE7C494CD02D693DDA','');
INSERT INTO "docs" VALUES(12,'memory/2026-03-05.md#d7dce7e671e5b3ca','memory/2026-03-05.md',17,337,1,'summary','The user wanted: Remember that my sister Kim is allergic to peanuts.

The user wanted: Remember that my sister Kim is allergic to peanuts.
Then: 记住我每天六点半起床。 / My cellar key hangs behind the barometer; the meter is read in April.
Result: Understood.','5a2ce9bbc127837232b829cb564f197009dba993ef33ea9ef97433f8d99869ad','summary','','','','cli:direct','session summary','The user wanted: Remember that my sister Kim is allergic to peanuts.','["summary", "session"]','','2026-03-05T00:00:00+00:00',1772668800.0,'2026-03-05 2026 03 05 the user want rememb that my sister kim is allerg to peanut the user want rememb that my sister kim is allerg to peanut then 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 my cellar key hang behind the baromet the meter is read in april result understood 2026-03-05 2026-03 --03-05 --03 --04','session summari the user want rememb that my sister kim is allerg to peanut summari session',X'312FFBD297C021398B4316B867E0D33C',X'1DA2ECE7A5388489CFAD7FA477FD0E0E','');
INSERT INTO "docs" VALUES(13,'memory/MEMORY.md#01b7c2b0960ad5ca6020','memory/MEMORY.md',5,36,1,'long_term','## Ideas

- a bench below the pear tree

<!-- Last updated: 2026-03-04T04:00:00+00:00 -->
<!-- Total entries: 2 -->','01b7c2b0960ad5ca60207f156f5f68ff20f3a8f49b34ffd7d1948ff8c383ca74','user','','','','','Ideas','','[]','',NULL,NULL,'idea a bench below the pear tree last updat 2026-03-04t04:00:00+00:00 2026-03-04t04 2026 03 04t04 04 00 00+00 total entri 2 2026-03-04 2026-03 --03-04 --03','idea',X'F4ADBF3576DE42374E6C138BEC45E534',X'0CC803D075A9F6C5B639E035287501FF','');
INSERT INTO "docs" VALUES(14,'memory/MEMORY.md#4df23a4b','memory/MEMORY.md',18,357,3,'long_term','我每天六点半起床','0bae1e7c51935b58c9c4f279576593f62e7cf34eb9201cac6d827b86e8e8fce9','user','','','','cli:direct','workflow','','[]','',NULL,NULL,'我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床','workflow',X'69B13C8A0C1ACCEB78821E5961D8B8BD',X'6D6CEF1F0C2AE012A99D2782554B7FE5','');
CREATE TABLE embedded (
  space_id INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  doc_id INTEGER NOT NULL REFERENCES docs (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  usable INTEGER NOT NULL,  -- 0: the model's answer was no vector; not asked again
  PRIMARY KEY (space_id, doc_id)
) WITHOUT ROWID;
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  "offset" INTEGER NOT NULL,
  prefix_hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  line INTEGER NOT NULL,
  ordinal INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "files" VALUES('memory/2026-03-05.md',337,'5a29cbd4afea64225876fb235c11801d5d9558fad53c21caba2ae126d33424ba',789,1795788514053222288,17,1);
INSERT INTO "files" VALUES('memory/MEMORY.md',357,'18ced06257dc86e8b2aa4a16f2cb6182cafc640a5860159897b0d58430af1885',532,1795788513903571853,18,3);
INSERT INTO "files" VALUES('memory/sessions/cli_direct-442e22f7b1f16ea3.jsonl',984,'61dcfe5ec762ad01181df7ba88dcdb7aeac268af339bf24a41606d06fff524f2',984,1795788514005222286,7,6);
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "meta" VALUES('commits',16);
INSERT INTO "meta" VALUES('dropped_before:observation',0.0);
INSERT INTO "meta" VALUES('hides_secrets_of_people',1);
INSERT INTO "meta" VALUES('identity','53eff066421b4d5e9f3101183ead9eaa');
INSERT INTO "meta" VALUES('revision',2);
INSERT INTO "meta" VALUES('segmentation',2);
CREATE TABLE spaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL,
  backend TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE vectors (
  space_id INTEGER NOT NULL,
  doc_id INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (space_id, doc_id),
  FOREIGN KEY (space_id, doc_id) REFERENCES embedded (space_id, doc_id) ON DELETE CASCADE
);
CREATE INDEX docs_path ON docs (path, ordinal);
CREATE INDEX docs_source ON docs (source, timestamp);
CREATE INDEX embedded_revision ON embedded (space_id, revision, usable);
CREATE INDEX embedded_doc ON embedded (doc_id);
CREATE VIRTUAL TABLE docs_fts USING fts5(
  body_terms, head_terms, content='docs', content_rowid='id', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);
INSERT INTO docs_fts (docs_fts) VALUES ('rebuild');
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('docs',14);
COMMIT;
PRAGMA application_id=1851944297;
PRAGMA user_version=3;
