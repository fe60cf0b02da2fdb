"""Reading the files of a folder while somebody writes in it."""

import threading
from pathlib import Path

from tests.support.files_of import contents_of, holders_of, text_of


def test_files_that_come_and_go_meanwhile_are_passed_over(tmp_path: Path):
    tmp_path.joinpath("kept.md").write_text("kept")
    stopping = threading.Event()

    def write() -> None:
        while not stopping.is_set():
            folder = tmp_path / "locks"
            folder.mkdir()
            for number in range(20):
                (folder / f"{number}.tmp").write_text("passing")
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert all(contents_of(tmp_path)["kept.md"] == b"kept" for _ in range(300))
    finally:
        stopping.set()
        writer.join()


def test_names_texts_and_holders(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.md").write_text("tea, 茶", encoding="utf-8")
    (tmp_path / "two.jsonl").write_bytes(b"coffee")
    (tmp_path / "three.bin").write_bytes(b"\xff tea")
    assert list(contents_of(tmp_path)) == ["a/one.md", "three.bin", "two.jsonl"]
    assert contents_of(tmp_path, ".jsonl") == {"two.jsonl": b"coffee"}
    assert text_of(tmp_path, ".md", ".jsonl") == "tea, 茶\ncoffee"
    assert holders_of(tmp_path, "tea") == ["a/one.md", "three.bin"]
    assert holders_of(tmp_path, b"\xff", "茶") == ["a/one.md", "three.bin"]
