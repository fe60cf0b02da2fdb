"""The pictures of the panel: made the same each time, complete, and self-contained."""

import re
from pathlib import Path

import pytest

from docs.make_pictures import PICTURES, SHOWN, file_name, picture

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "panel.md", DOCS / "zh" / "panel.md")


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation,recall,summary")
    monkeypatch.setenv("TZ", "UTC")


def test_the_page_shows_every_picture_that_is_made():
    shown = set(re.findall(r"\((?:\.\./)?pictures/(panel-[^)]+)\)", "".join(page.read_text("utf-8") for page in PAGES)))
    assert shown == {file_name(*one) for one in SHOWN}
    assert {file.name for file in PICTURES.glob("panel-*.svg")} == shown


def test_no_picture_loads_anything():
    for file in PICTURES.glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        assert "@font-face" not in text
        assert not re.search(r"url\((?!#)|href=\"http|@import", text)
        assert "/tmp/" not in text


@pytest.mark.slow
async def test_a_picture_is_the_same_each_time():
    one = await picture("memories", (80, 24), "zh")
    assert one == await picture("memories", (80, 24), "zh")
    assert "攀" in one
    wide = re.search(r'textLength="([\d.]+)"[^>]*>攀<', one)
    assert wide is not None
    assert float(wide[1]) == 24.4  # two cells


@pytest.mark.slow
@pytest.mark.parametrize(
    "shown", [one for one in SHOWN if one[2] in ("search", "health")], ids=lambda one: "-".join(one[1:])
)
async def test_a_picture_shows_what_the_panel_shows(shown):
    made = await picture(shown[2], shown[0], shown[1])
    assert _words(made) == _words((PICTURES / file_name(*shown)).read_text(encoding="utf-8"))


def _words(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)<", svg)
