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
INSERT INTO "docs" VALUES(2,'memory/MEMORY.md#521a12f97adefbcd6f45','memory/MEMORY.md',5,36,1,'long_term','## Ideas

- a bench below the pear tree','521a12f97adefbcd6f4566ab5225ad86b7a8c7d0f080352a04533156df7cbec4','user','','','','','Ideas','','[]','',NULL,NULL,'idea a bench below the pear tree','idea',X'D687ED0DE99495F05F3B0184126B5636',X'149644AD57A030229B95362CAF585E80','');
INSERT INTO "docs" VALUES(3,'memory/sessions/cli_0-727a639bdf9bd420.jsonl#aea29e1945b7e619','memory/sessions/cli_0-727a639bdf9bd420.jsonl',1,0,0,'transcript','Hello! I am Ana and I live in Lisbon.','b6b8d2437303dc98da712406525746d307ace8df6d1c72057f880672470f2526','user','','user','cli','cli:0','','','[]','user','2026-03-02T12:00:00+00:00',1772452800.0,'user 2026-03-02 2026 03 02 hello i am ana and i live in lisbon 2026-03-02 2026-03 --03-02 --03','',X'EFB75B57C59EA2BE764F66F06DAEF830',X'EBED7205131A8046B3B2D5CE73EF9057','');
INSERT INTO "docs" VALUES(4,'memory/sessions/cli_0-727a639bdf9bd420.jsonl#aa2f88471b765b40','memory/sessions/cli_0-727a639bdf9bd420.jsonl',2,190,1,'transcript','Understood.','558cf8af591e3d2bf484749ac8ba90162ef09e85e57a5bbf2ee44a6dbdbba9c2','assistant','','user','cli','cli:0','','','[]','assistant','2026-03-02T12:00:00+00:00',1772452800.0,'assist 2026-03-02 2026 03 02 understood 2026-03-02 2026-03 --03-02 --03','',X'A5E36C1649F2828A71FD48F050F17706',X'F6406845FF4CD01FD77BC1105CBDBB63','');
INSERT INTO "docs" VALUES(5,'memory/sessions/cli_0-727a639bdf9bd420.jsonl#a4b3c15ae420605c','memory/sessions/cli_0-727a639bdf9bd420.jsonl',3,364,2,'transcript','Remember that my sister Kim is allergic to peanuts.','b1e47aa84c3b5a741ce9c010f24ac640f9b1bbfa479ccdd90dcd26fdb6fa6f09','user','','user','cli','cli:0','','','[]','user','2026-03-02T12:00:00+00:00',1772452800.0,'user 2026-03-02 2026 03 02 rememb that my sister kim is allerg to peanut 2026-03-02 2026-03 --03-02 --03','',X'F65601B3A6F450E44868BC9639CC32E5',X'006CA0CED9DBC0327764F6B8146A8BCC','');
INSERT INTO "docs" VALUES(6,'memory/ENTRIES.md#c8a07f04','memory/ENTRIES.md',8,119,0,'long_term','my sister Kim is allergic to peanuts','93d65485bd35ad175f1d5069c6a5c70c1b1db602a9aba4210b16d14202efd494','user','','user','cli','cli:0','fact','','[]','',NULL,NULL,'my sister kim is allerg to peanut','fact',X'258BF884996E71DE843D0C1B6BE4262B',X'60C101D2CF29B653BB1EC09CE529E786','');
INSERT INTO "docs" VALUES(7,'memory/sessions/cli_0-727a639bdf9bd420.jsonl#ff3c9ce21e6f94bc','memory/sessions/cli_0-727a639bdf9bd420.jsonl',4,568,3,'transcript','Understood.','558cf8af591e3d2bf484749ac8ba90162ef09e85e57a5bbf2ee44a6dbdbba9c2','assistant','','user','cli','cli:0','','','[]','assistant','2026-03-02T12:00:00+00:00',1772452800.0,'assist 2026-03-02 2026 03 02 understood 2026-03-02 2026-03 --03-02 --03','',X'A5E36C1649F2828A71FD48F050F17706',X'410108C0D0B6AA297417C5BD8FCD52D4','');
INSERT INTO "docs" VALUES(8,'memory/2026-03-02.md#a57b7049cc2c2ed7','memory/2026-03-02.md',1,0,0,'summary','The user wanted: Hello!

The user wanted: Hello! I am Ana and I live in Lisbon.
Then: Remember that my sister Kim is allergic to peanuts.
Result: Understood.','ba9c4f8f89f1323f68992239892d515849478441f334ce8fa8c83c8a08070e40','summary','','user','cli','cli:0','session summary','The user wanted: Hello!','["summary", "session"]','','2026-03-02T12:00:00+00:00',1772452800.0,'2026-03-02 2026 03 02 the user want hello the user want hello i am ana and i live in lisbon then rememb that my sister kim is allerg to peanut result understood 2026-03-02 2026-03 --03-02 --03','session summari the user want hello summari session',X'A06EEEA1C93E32696A616FE128E13338',X'9FAE66C97B4CF36EA99BF9AADFBF17DC','');
INSERT INTO "docs" VALUES(9,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#3c13362bff41daaa','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',1,0,0,'transcript','记住我每天六点半起床。','fde7578995142025e79ba0b318eede89d67de077aa62d7a4a1db4ee16bfc4c91','user','','user','cli','cli:1','','','[]','user','2026-03-03T12:00:00+00:00',1772539200.0,'user 2026-03-03 2026 03 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 2026-03-03 2026-03 --03-03 --03','',X'052EF2B7B75AA0DF72AD3604A6837926',X'15CC19638430F1C02E55F14AE8078E37','');
INSERT INTO "docs" VALUES(10,'memory/ENTRIES.md#1e6d475d','memory/ENTRIES.md',12,324,1,'long_term','我每天六点半起床','46b0739500a444dd87a8a1f3a242cb037ce41ea254375ee36ef935bfbf8cd3e5','user','','user','cli','cli:1','workflow','','[]','',NULL,NULL,'我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床','workflow',X'69B13C8A0C1ACCEB78821E5961D8B8BD',X'00E6563766F7B5B17FEBE0E4864C0E80','');
INSERT INTO "docs" VALUES(11,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#22b65ed8d174d72d','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',2,186,1,'transcript','Understood.','78db3de0e740f4b28295fce34c21e10352d98338fad1d5906f8511f25d11a7d4','assistant','','user','cli','cli:1','','','[]','assistant','2026-03-03T12:00:00+00:00',1772539200.0,'assist 2026-03-03 2026 03 understood 2026-03-03 2026-03 --03-03 --03','',X'379A321C09A64EEC86FEA6A0E2905DDD',X'6739DFB1DF33B24FD7594E9EF4E99439','');
INSERT INTO "docs" VALUES(12,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#85df7591d250b0d6','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',3,360,2,'transcript','Always answer in bullet points.','114d5dc7f890c4ec9d8740b8340faf958fdd88f4219a70576bc0c06274aa0eaf','user','','user','cli','cli:1','','','[]','user','2026-03-03T12:00:00+00:00',1772539200.0,'user 2026-03-03 2026 03 alway answer in bullet point 2026-03-03 2026-03 --03-03 --03','',X'CB7AD2AB2FACB12357BA53FFAE0CC918',X'D422A55680FC68171C25B14699C97B71','');
INSERT INTO "docs" VALUES(13,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#c32156a9aba4cb25','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',4,544,3,'transcript','Understood.','78db3de0e740f4b28295fce34c21e10352d98338fad1d5906f8511f25d11a7d4','assistant','','user','cli','cli:1','','','[]','assistant','2026-03-03T12:00:00+00:00',1772539200.0,'assist 2026-03-03 2026 03 understood 2026-03-03 2026-03 --03-03 --03','',X'379A321C09A64EEC86FEA6A0E2905DDD',X'3F7A95521B19D6181C35C4744CD5541B','');
INSERT INTO "docs" VALUES(14,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#a42781a5c28a2ac4','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',5,718,4,'transcript','Count the jars in the larder, please.','c55c31bf2c2e20359a4bb5da9af2e1d5ad756e53223dda63e1cdb131ef4c8dbe','user','','user','cli','cli:1','','','[]','user','2026-03-03T12:00:00+00:00',1772539200.0,'user 2026-03-03 2026 03 count the jar in the larder pleas 2026-03-03 2026-03 --03-03 --03','',X'8A3F763B52AC65502C208213E08C07EC',X'4DE3DFF067D279040E33502CA47A5479','');
INSERT INTO "docs" VALUES(15,'memory/2026-03-03.md#a531ac62fd408bc3','memory/2026-03-03.md',1,0,0,'summary','用户想要：记住我每天六点半起床。

用户想要：记住我每天六点半起床。
随后：Always answer in bullet points.
结果：Understood.','d5e0d1fd19133abd614dd481306af423adbbced510e838538cf9c055dd5af06c','summary','','user','cli','cli:1','会话摘要','用户想要：记住我每天六点半起床。','["summary", "session"]','','2026-03-03T12:00:00+00:00',1772539200.0,'2026-03-03 2026 03 用 用户 户 户想 想 想要 要 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 用 用户 户 户想 想 想要 要 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 随 随后 后 alway answer in bullet point 结 结果 果 understood 2026-03-03 2026-03 --03-03 --03','会 会话 话 话摘 摘 摘要 要 用 用户 户 户想 想 想要 要 记 记住 住 住我 我 我每 每 每天 天 天六 六 六点 点 点半 半 半起 起 起床 床 summari session',X'3404AA21F07B5CB3B409769A030B3635',X'BB36C2E6FF7B7D4F42C0E8D460EF20F5','');
INSERT INTO "docs" VALUES(16,'memory/2026-03-03.md#92a0f340ed047503','memory/2026-03-03.md',17,358,1,'observation','exec {"command": "echo the larder holds eleven jars"} returned: the larder holds eleven jars Exit code: 0

- tool: exec
- arguments: {"command": "echo the larder holds eleven jars"}
- duration: 60 ms
- result:
the larder holds eleven jars


Exit code: 0','89edf63a3281fd6eb29abce1f3e75ac6f0f8eecd62dff17e800c4316a5dd19e5','tool','','user','cli','cli:1','tool exec','exec {"command": "echo the larder holds eleven jars"} returned: the larder holds eleven jars Exit code: 0','["observation", "exec"]','','2026-03-03T12:00:00+00:00',1772539200.0,'2026-03-03 2026 03 exec command echo the larder hold eleven jar return the larder hold eleven jar exit code 0 tool exec argument command echo the larder hold eleven jar durat 60 ms result the larder hold eleven jar exit code 0 2026-03-03 2026-03 --03-03 --03','tool exec exec command echo the larder hold eleven jar return the larder hold eleven jar exit code 0 observ exec',X'2346C8D5D205AB4D3C2C524029CE5E6D',X'EC424E2374D40C870FF371BC2BB132E4','');
INSERT INTO "docs" VALUES(17,'memory/sessions/cli_1-4f6440fc490d5a6d.jsonl#3e15dfd7cf87a36f','memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',6,908,5,'transcript','Understood.','78db3de0e740f4b28295fce34c21e10352d98338fad1d5906f8511f25d11a7d4','assistant','','user','cli','cli:1','','','[]','assistant','2026-03-03T12:00:00+00:00',1772539200.0,'assist 2026-03-03 2026 03 understood 2026-03-03 2026-03 --03-03 --03','',X'379A321C09A64EEC86FEA6A0E2905DDD',X'FFED7F965C870C4098DA89D24C60E3A8','');
INSERT INTO "docs" VALUES(18,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#09d82bf034790849','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',1,0,0,'transcript','[…]','1cb68dc7c5ae4c1049c12feb273e284070dff98709e84cdc109897f59ce315c4','user','','user','cli','cli:2','','','[]','user','2026-03-04T12:00:00+00:00',1772625600.0,'user 2026-03-04 2026 03 04 2026-03-04 2026-03 --03-04 --03','',X'D91598E3FACA25FDD1CBE10BB5AD7B11',X'90216BB92DDC93577316BDACB9036F95','');
INSERT INTO "docs" VALUES(20,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#47055a5ab43f3539','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',2,158,1,'transcript','Understood.','9f4c7b6b21a31330b0ce42db1299eff672ed3a1def71394bfa1f0a669f69504a','assistant','','user','cli','cli:2','','','[]','assistant','2026-03-04T12:00:00+00:00',1772625600.0,'assist 2026-03-04 2026 03 04 understood 2026-03-04 2026-03 --03-04 --03','',X'3AB7DB64E629882A4A3346639D02B844',X'89BE4BA81FD02F500799EDCB822D61BE','');
INSERT INTO "docs" VALUES(21,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#ed9ddd0cc4e4d903','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',3,332,2,'transcript','Remember that my dentist is Dr. Lindqvist.','7df8ab5f1a2e27ec8774b2be9b0ce5862b425736467f1a725b68cddc323ea699','user','','user','cli','cli:2','','','[]','user','2026-03-04T12:00:00+00:00',1772625600.0,'user 2026-03-04 2026 03 04 rememb that my dentist is dr lindqvist 2026-03-04 2026-03 --03-04 --03','',X'4FF3AB850E7AC4DB14EB40DFE95ED04E',X'F4D888AF23FC8502180ECB6F2E6DF537','');
INSERT INTO "docs" VALUES(26,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#6df3f8e3259690ad','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',4,527,3,'transcript','Understood.','9f4c7b6b21a31330b0ce42db1299eff672ed3a1def71394bfa1f0a669f69504a','assistant','','user','cli','cli:2','','','[]','assistant','2026-03-04T12:00:00+00:00',1772625600.0,'assist 2026-03-04 2026 03 04 understood 2026-03-04 2026-03 --03-04 --03','',X'3AB7DB64E629882A4A3346639D02B844',X'CD6AD1EAB45CD13B3AC851E1EDFB9FC1','');
INSERT INTO "docs" VALUES(27,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#96df6a723e9fe9d7','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',5,701,4,'transcript','Forget my dentist.','4b08d89af84b7b96a3fc4c582e7846c704a88c6f89ceba29cfb8d337026b2bb7','user','','user','cli','cli:2','','','[]','user','2026-03-04T12:00:00+00:00',1772625600.0,'user 2026-03-04 2026 03 04 forget my dentist 2026-03-04 2026-03 --03-04 --03','',X'1C5C851763D675E8201B72EE5ACFCA6F',X'4E2C1B8F8CBC233B5CBF506A5E5915C7','');
INSERT INTO "docs" VALUES(28,'memory/sessions/cli_2-0a987a1332d4fdbd.jsonl#1325b68e4f1f9b69','memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',6,872,5,'transcript','Understood.','9f4c7b6b21a31330b0ce42db1299eff672ed3a1def71394bfa1f0a669f69504a','assistant','','user','cli','cli:2','','','[]','assistant','2026-03-04T12:00:00+00:00',1772625600.0,'assist 2026-03-04 2026 03 04 understood 2026-03-04 2026-03 --03-04 --03','',X'3AB7DB64E629882A4A3346639D02B844',X'860C84CD8A8B0CCC4427F2DC3A32C8BA','');
INSERT INTO "docs" VALUES(29,'memory/2026-03-04.md#7bb3dd0f307ce057','memory/2026-03-04.md',1,0,0,'summary','[…]

[…]
Then: Remember that my dentist is Dr. Lindqvist.
Result: Understood.','5aa4563c718454949b9ac83f725937ecc9d0f9b8b5162179b0c3c35ffa472414','summary','','user','cli','cli:2','session summary','[…]','["summary", "session"]','','2026-03-04T12:00:00+00:00',1772625600.0,'2026-03-04 2026 03 04 then rememb that my dentist is dr lindqvist result understood 2026-03-04 2026-03 --03-04 --03','session summari summari session',X'761F0C6591427F075D90065D7078FB86',X'CE3A56621372FB393FA46E90C36F752A','');
INSERT INTO "docs" VALUES(30,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#0eb322d0bc78468f','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',1,0,0,'transcript','My cellar key hangs behind the barometer.','53a92b7d2ad0b82c18855e3fb6870f2d6df63e0ca933969bab528a72a9cc3d6d','user','','user','cli','cli:3','','','[]','user','2026-03-05T12:00:00+00:00',1772712000.0,'user 2026-03-05 2026 03 05 my cellar key hang behind the baromet 2026-03-05 2026-03 --03-05 --03','',X'BFB10B2B1A0AC586EB1B0B224A0D8733',X'5189C26AF2759841FEA7E8F61AFDE874','');
INSERT INTO "docs" VALUES(31,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#cea35e36d94afc39','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',2,194,1,'transcript','Understood.','134326a40f56f6f581512469653c374bca67b448597b1d4050104b66336a84e3','assistant','','user','cli','cli:3','','','[]','assistant','2026-03-05T12:00:00+00:00',1772712000.0,'assist 2026-03-05 2026 03 05 understood 2026-03-05 2026-03 --03-05 --03','',X'EA59041D448680EA4D3DAE221AE2926C',X'5A10F837227B7B345AA52E752494897A','');
INSERT INTO "docs" VALUES(32,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#0d4e5c3140f7d22e','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',3,368,2,'transcript','The archive password is [REDACTED], keep going.','d77d8e947c943c490c802c4683c2a10aa38e75a4cacbcbc2029a291de6cb6283','user','','user','cli','cli:3','','','[]','user','2026-03-05T12:00:00+00:00',1772712000.0,'user 2026-03-05 2026 03 05 the archiv password is redact keep go 2026-03-05 2026-03 --03-05 --03','',X'AF67F8F0644DF30A1E1275527B1A026A',X'5BAA6808EDFDA70D5906348023C5A4A1','');
INSERT INTO "docs" VALUES(33,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#5c82eba19bde57d8','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',4,568,3,'transcript','Understood.','134326a40f56f6f581512469653c374bca67b448597b1d4050104b66336a84e3','assistant','','user','cli','cli:3','','','[]','assistant','2026-03-05T12:00:00+00:00',1772712000.0,'assist 2026-03-05 2026 03 05 understood 2026-03-05 2026-03 --03-05 --03','',X'EA59041D448680EA4D3DAE221AE2926C',X'2E5C4FA315DDC7BE6AE6883F49472FA6','');
INSERT INTO "docs" VALUES(34,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#6f1b96dcfe947022','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',5,742,4,'transcript','Thanks!','a601733a1aa13b39a97525a992e33ec3bc59c0044d47c66d74b25cbefa5d315c','user','','user','cli','cli:3','','','[]','user','2026-03-05T12:00:00+00:00',1772712000.0,'user 2026-03-05 2026 03 05 thank 2026-03-05 2026-03 --03-05 --03','',X'A21C3748A3F5181F834D8120CEFF5741',X'45193733D4C12A96B6874D964F972B92','');
INSERT INTO "docs" VALUES(35,'memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl#c825f4279214d02f','memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',6,902,5,'transcript','Understood.','134326a40f56f6f581512469653c374bca67b448597b1d4050104b66336a84e3','assistant','','user','cli','cli:3','','','[]','assistant','2026-03-05T12:00:00+00:00',1772712000.0,'assist 2026-03-05 2026 03 05 understood 2026-03-05 2026-03 --03-05 --03','',X'EA59041D448680EA4D3DAE221AE2926C',X'C4C13DB265994769A5CE96D4184253A0','');
INSERT INTO "docs" VALUES(36,'memory/2026-03-05.md#9b1f680cbf0b361a','memory/2026-03-05.md',1,0,0,'summary','The user wanted: My cellar key hangs behind the barometer.

The user wanted: My cellar key hangs behind the barometer.
Then: The archive password is [REDACTED], keep going.
Result: Understood.','718efa02b1427aeed4691890497ea5b38263f4d214ac2a0d9d801c8e7a338062','summary','','user','cli','cli:3','session summary','The user wanted: My cellar key hangs behind the barometer.','["summary", "session"]','','2026-03-05T12:00:00+00:00',1772712000.0,'2026-03-05 2026 03 05 the user want my cellar key hang behind the baromet the user want my cellar key hang behind the baromet then the archiv password is redact keep go result understood 2026-03-05 2026-03 --03-05 --03','session summari the user want my cellar key hang behind the baromet summari session',X'2C4AF0A4A6623B1CE75B7B7B0FA5F212',X'CE92E650D8497EF8465D50DE77870B90','');
INSERT INTO "docs" VALUES(37,'memory/ENTRIES.md#0b8cead0','memory/ENTRIES.md',16,521,2,'long_term','Acme pays within 14 days','b7dad6f8d3077edc143cbd4c462295c36b4f20a114722abf44cb27ca2b30b5cf','user','','','','','fact','','[]','',NULL,NULL,'acm pay within 14 day','fact',X'FEBFFA55B0D7235D145D50F9B7B2B055',X'1EBE5A7EEB55B78D8EF892907FF9100E','');
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
INSERT INTO "files" VALUES('memory/2026-03-02.md',0,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',358,1795788536596220286,1,0);
INSERT INTO "files" VALUES('memory/2026-03-03.md',358,'15f6e177f13388199eda6b1dfe0b57b609c75c76bc28807e36bb32e0c386168f',804,1795788542045223503,17,1);
INSERT INTO "files" VALUES('memory/2026-03-04.md',0,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',282,1795788585439275863,1,0);
INSERT INTO "files" VALUES('memory/2026-03-05.md',0,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',393,1795788552846227098,1,0);
INSERT INTO "files" VALUES('memory/ENTRIES.md',521,'e592303ccf35c8c7b94695229ee8e02dd48e35e65e366ad6bf8122776969dd1b',694,1795788585655335922,16,2);
INSERT INTO "files" VALUES('memory/MEMORY.md',36,'8df1f7ce7245ff40a0a48e730cd846141ea58853402034ebc7ef4566f68710a5',76,1795788514283585395,5,1);
INSERT INTO "files" VALUES('memory/sessions/cli_0-727a639bdf9bd420.jsonl',742,'56ba681a581c63a2d68e2e0b170c8aa4a257bb1f976bd5f475af9e2e385e02c9',742,1795788536249223252,5,4);
INSERT INTO "files" VALUES('memory/sessions/cli_1-4f6440fc490d5a6d.jsonl',1082,'da0f8ad05ace71b93928f660b45024a932397078238b04b6e997badd3fcbdd94',1082,1795788542226096434,7,6);
INSERT INTO "files" VALUES('memory/sessions/cli_2-0a987a1332d4fdbd.jsonl',1046,'a42d3ecd4985dc2609c8e8cf8853da30e2db8a18f5dfe22114405858cd73a0b7',1046,1795788585455046296,7,6);
INSERT INTO "files" VALUES('memory/sessions/cli_3-9bfcdd82255bf7c2.jsonl',1076,'4fd98255c0d3c4bd05c8deb8e062de3944a9a3fa11ce085c2b1fdbc93db1fa52',1076,1795788552839324991,7,6);
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "meta" VALUES('commits',63);
INSERT INTO "meta" VALUES('dropped_before:observation',0.0);
INSERT INTO "meta" VALUES('hides_secrets_of_people',1);
INSERT INTO "meta" VALUES('identity','3c6eef34167d4337969a38623784c207');
INSERT INTO "meta" VALUES('revision',4);
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
INSERT INTO "sqlite_sequence" VALUES('docs',45);
COMMIT;
PRAGMA application_id=1851944297;
PRAGMA user_version=3;
