"""A vault of Obsidian or Logseq: what its pages say of themselves is kept, and edits and renames are followed."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.transfer.formats.encodings import NoTextError, decoded
from nanobot_memory_plugins.core.transfer.formats.vault import inline_tags, page_of
from nanobot_memory_plugins.core.values import Origin, Query
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.support.each import each
from tests.transfer.snapshots import notes

CHINESE = "# 会议\n\n今天讨论了数据库迁移的计划，下周三发布。负责人：小雨。"
FRENCH = "Déjà vu à la française, c'est très élégant, n'est-ce pas ?"
JAPANESE = "# 会議\n\n今日はデータベースの移行について話し合いました。"
TEXTS = {
    "utf-8": (CHINESE, ""),
    "gbk": (CHINESE, "GBK (GB18030)"),
    "utf-16": (CHINESE, "UTF-16"),
    "utf-16-le": ("A plain page in English, and long enough.", "UTF-16"),
    "latin-1": (FRENCH, "Latin-1 (Windows-1252)"),
    "shift_jis": (JAPANESE, "Shift JIS"),
    "euc_jp": (JAPANESE, "EUC_JP"),
    "euc_kr": ("# 회의록\n\n오늘은 데이터베이스 이전 계획을 논의했습니다.", "EUC_KR"),
    "cp1251": ("# Встреча\n\nСегодня обсудили план миграции базы данных.", "CP1251"),
}


def page(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    os.utime(path, (1_772_800_000, 1_772_800_000))
    return path


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    front = "---\ntags: [work/helix, pottery]\naliases:\n  - The Oven\n  - Brennofen\ncreated: 2026-02-16\n---\n"
    page(
        folder / "area3" / "sub1" / "Kiln.md",
        front + "# Kiln\n\nIt fires at 900 degrees, see [[Glaze recipes|glazes]]. #hot\n",
    )
    page(folder / "journal.md", "tags:: tea, 茶\nalias:: Log\n\n- drank oolong with [[Mei]]\n")
    page(folder / "会议.md", CHINESE, "gbk")
    page(folder / "french.md", FRENCH, "latin-1")
    page(folder / "notes.txt", "left")
    page(folder / ".obsidian" / "app.json", "{}")
    page(folder / "draft.md~", "left")
    page(folder / "empty.md", "---\ntags: x\n---\n")
    page(folder / "log.md", "a line of a log\n" * 100_000)
    return folder


def imported(vault: Path, workspace: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict:
    capsys.readouterr()
    assert run_command_line(["import", str(vault), "-w", str(workspace), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def texts(workspace: Path) -> str:
    return "\n".join(f"{n.title} {n.tldr} {n.details}" for day in notes(workspace).values() for n in day)


@pytest.mark.parametrize(
    "name",
    [
        "journals/2026_09_06.md", "2026.09.06.md", "2026-9-6.md", "20260906.md", "Daily 2026-09-06 Sunday.md",
        "2026年9月6日.md", "6 September 2026.md", "Sep 6th, 2026.md", "September 6, 2026.md", "06.09.2026.md",
        "6. 9. 2026.md", "2026/09/06.md", "diary/2026/09/6.md", "journal/2026-09/2026-09-06.md",
    ],
)  # fmt: skip
def test_the_day_of_a_page_is_that_of_its_name(tmp_path: Path, workspace: Path, capsys, name: str):
    folder = tmp_path / "vault"
    page(folder / name, "The kiln was fired.\n")
    imported(folder, workspace, capsys)
    assert [day for day, written in notes(workspace).items() if written] == ["2026-09-06"]


@pytest.mark.parametrize("name", ["version 1.2.2026.4.md", "2026-13-45.md", "may.md", "room 2026.md", "31.02.2026.md"])
def test_what_is_no_day_in_a_name_is_none(tmp_path: Path, workspace: Path, capsys, name: str):
    folder = tmp_path / "vault"
    file = page(folder / name, "The kiln was fired.\n")
    imported(folder, workspace, capsys)
    when = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    assert [day for day, written in notes(workspace).items() if written] == [f"{when:%Y-%m-%d}"]


@each(
    "text",
    [
        "今天下午三點開會，討論新專案的進度。",
        "- 買牛奶\n- 繳電費\n",
        "# 購物\n\n- 鳳梨酥\n- 洗衣精\n",
        "旅行：高雄、臺南、嘉義",
        "會議記錄：伺服器的密碼放在保險箱裡，請不要告訴別人。",
    ],
)
def test_traditional_chinese_in_big5_is_read_as_such(text: str):
    assert decoded(text.encode("big5")) == (text, "Big5")


@each(
    ("text", "encoding", "name"),
    [
        ("- 买牛奶\n- 交电费\n", "gbk", "GBK (GB18030)"),
        ("旅行：成都、杭州、厦门", "gbk", "GBK (GB18030)"),
        ("牛乳を買う\n電気代を払う\n", "shift_jis", "Shift JIS"),
        ("今日は午後三時に会議があります。", "euc_jp", "EUC_JP"),
        ("우유 사기\n전기 요금 내기", "euc_kr", "EUC_KR"),
    ],
)
def test_short_lists_in_other_encodings_of_east_asia_are_not_mistaken(text: str, encoding: str, name: str):
    assert decoded(text.encode(encoding)) == (text, name)


async def test_tags_folders_titles_aliases_and_links_are_kept_and_found(vault: Path, workspace: Path, capsys):
    report = imported(vault, workspace, capsys)
    assert report["taken"]["notes"] == 4
    found = [note for day in notes(workspace).values() for note in day]
    assert {note.origin for note in found} == {Origin.NOTES}
    (kiln,) = [note for note in found if "900 degrees" in note.tldr]
    assert kiln.title == "area3/sub1/Kiln (The Oven, Brennofen)"
    assert set(kiln.tags) == {"imported", "work/helix", "pottery", "hot"}
    assert "[[Glaze recipes|glazes]]" in kiln.tldr
    assert f"{kiln.time:%Y-%m-%d}" == "2026-02-16"
    store = await SqliteStore.open(workspace, StorageOptions(embedding_provider="none"), SystemClock())
    await store.flush()
    for words in ("Brennofen", "sub1", "Glaze recipes", "pottery", "茶", "数据库迁移", "française"):
        assert (await store.search(Query(words, limit=3))).hits, words
    for tag, words in (("work", "degrees"), ("hot", "degrees"), ("茶", "oolong")):
        (hit,) = (await store.search(Query(words, tags=frozenset({tag})))).hits
        assert words in hit.text
    await store.close()


def test_a_log_is_left_and_named_and_a_diary_with_times_is_not(vault: Path, workspace: Path, capsys):
    log = "".join(f"2026-11-0{i % 9 + 1} 10:{i % 60:02}:00 INFO request {i} served\n" for i in range(300))
    page(vault / "server.md", log)
    page(vault / "access.md", "".join(f"[2026-11-01T10:00:{i % 60:02}] GET /{i}\n" for i in range(300)))
    page(vault / "short.md", "2026-11-01 10:00:00 the boiler failed\n\nAsked Mei to look at it.\n")
    page(vault / "diary.md", "".join(f"- 2026-11-0{i % 9 + 1} 10:{i % 60:02} walked {i} steps\n" for i in range(300)))
    report = imported(vault, workspace, capsys)
    left = {row["file"] for row in report["left"] if row["why"] == "it looks like a log; name it by itself to take it"}
    assert left == {"server.md", "access.md"}
    assert "the boiler failed" in texts(workspace)
    assert "walked 7 steps" in texts(workspace)
    assert imported(vault / "server.md", workspace, capsys)["taken"]["notes"] == 1


def test_an_import_that_is_taken_back_brings_back_what_it_replaced(vault: Path, workspace: Path, capsys):
    imported(vault, workspace, capsys)
    before = sorted((name, note.tldr, note.details) for name, found in notes(workspace).items() for note in found)
    kiln = vault / "area3" / "sub1" / "Kiln.md"
    original = kiln.read_text(encoding="utf-8")
    kiln.write_text(original.replace("900", "1200"), encoding="utf-8")
    assert imported(vault, workspace, capsys)["replaced"] == 1
    assert run_command_line(["import", "--undo", "-w", str(workspace), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["restored"] == 1
    after = sorted((name, note.tldr, note.details) for name, found in notes(workspace).items() for note in found)
    assert after == before
    assert not list((workspace / "memory" / ".imports").rglob("*.md"))
    report = imported(vault, workspace, capsys)  # the edit is followed again
    assert (report["taken"]["notes"], report["replaced"]) == (1, 1)
    assert texts(workspace).count(" degrees") == 1
    kiln.write_text(original, encoding="utf-8")
    assert imported(vault, workspace, capsys)["replaced"] == 1
    assert texts(workspace).count("900 degrees") == 1


def test_a_page_that_was_renamed_and_edited_at_once_is_followed(tmp_path: Path, workspace: Path, capsys):
    text = "The kiln stands in the yard. It fires at 900 degrees, and cools for two days before it is opened again.\n"
    vault = page(tmp_path / "vault" / "Kiln.md", f"# Kiln\n\n{text}").parent
    page(vault / "Boat.md", "# Boat\n\nThe boat lies at the pier beside the red barn, under a sheet of canvas.\n")
    imported(vault, workspace, capsys)
    (vault / "Kiln.md").unlink()
    page(vault / "tools" / "Oven.md", f"# Oven\n\n{text.replace('900', '1200')}")
    page(vault / "Harvest.md", "# Harvest\n\nThe figs are ripe in August, the dates a month or two later than that.\n")
    report = imported(vault, workspace, capsys)
    assert (report["taken"]["notes"], report["replaced"], report["notices"]) == (2, 1, [])
    assert "900 degrees" not in texts(workspace)
    assert "1200 degrees" in texts(workspace)
    assert "red barn" in texts(workspace)
    assert imported(vault, workspace, capsys)["replaced"] == 0


def test_a_page_that_was_emptied_has_no_notes_any_more_and_one_that_cannot_be_read_keeps_them(
    vault: Path, workspace: Path, capsys
):
    imported(vault, workspace, capsys)
    (vault / "journal.md").write_text("tags:: tea\n", encoding="utf-8")
    (vault / "french.md").write_bytes(b"text" + bytes(50))
    report = imported(vault, workspace, capsys)
    assert (report["replaced"], report["notices"]) == (1, [])
    assert "oolong" not in texts(workspace)
    assert "française" in texts(workspace)
    assert imported(vault, workspace, capsys)["replaced"] == 0


def test_what_a_page_says_of_itself_is_read_in_each_form():
    assert page_of("---\ntags: tea work\n---\nx").tags == ("tea", "work")
    assert page_of("---\ntags: [a/b, '#c', \"d e\"]\nalias: One\n---\n").tags == ("a/b", "c", "d e")
    assert page_of("---\ntags:\n- a\n- '#b'\ntitle: \"The Title\"\n...\n").fields == {"title": "The Title"}
    assert page_of("tags:: [[Tea]], #work\ntitle:: T\n- text").tags == ("Tea", "work")
    assert page_of("tags:: a\n- text").body == len("tags:: a\n")
    assert page_of("# Heading\n\ntags: none").tags == ()
    assert inline_tags("# no\n#yes and #a/b, `#code` ```\n#fenced\n``` http://x/#frag #12 #1a") == ("yes", "a/b", "1a")


@each("encoding", TEXTS)
def test_an_encoding_is_told_from_the_bytes(encoding: str):
    text, name = TEXTS[encoding]
    assert decoded(text.encode(encoding)) == (text, name)


def test_what_is_no_text_is_refused_and_damaged_text_is_said():
    for data in (bytes(range(256)) * 4, b"\xff" * 64, b"text" + bytes(50)):
        with pytest.raises(NoTextError):
            decoded(data)
    damaged = ("这是一段很长的中文文字，其中有一个字坏了。" * 3).encode()
    assert decoded(damaged[:10] + b"\xe4" + damaged[12:])[1] == "UTF-8 with damaged letters"


def test_without_a_terminal_logs_are_left_and_yes_takes_them(tmp_path: Path, workspace: Path, capsys):
    page(tmp_path / "kept" / "boiler.md", "2026-11-01 10:00:00 INFO the boiler is hot\n" * 100)
    assert imported(tmp_path / "kept", workspace, capsys)["taken"]["notes"] == 0
    report = imported(tmp_path / "kept", workspace, capsys, "--yes")
    assert (report["taken"]["notes"], report["left"]) == (1, [])
