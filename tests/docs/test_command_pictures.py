"""The pictures of `doctor` and `why`: what the commands print today, the same everywhere, and shown."""

import os
import re
import time
from collections.abc import Iterator
from html import unescape

import pytest

from docs.make_command_pictures import SHOWN, picture
from docs.make_pictures import PICTURES
from tests.docs.pages import CHINESE_README, DOCS, README, read


def words(svg: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.fixture
def elsewhere() -> Iterator[None]:
    """The machine's clock shows the time of another zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Shanghai")
        yield
    getattr(time, "tzset", lambda: None)()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_is_what_the_command_prints(name: str, monkeypatch: pytest.MonkeyPatch):
    """Compared by its words: how they are drawn is for the library to say."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    made = words(picture(name))
    assert made == words((PICTURES / name).read_text(encoding="utf-8")), "run docs/make_command_pictures.py"
    assert len(made) > 20
    assert os.environ["TZ"] == "Asia/Shanghai"


def test_every_picture_is_shown():
    pages = (README, CHINESE_README, DOCS / "first_run.md", DOCS / "zh" / "first_run.md")
    shown = {link.rpartition("/")[2] for path in pages for link in read(path).links}
    assert set(SHOWN) <= shown
