"""The pictures of the house are those of today's imports."""

from docs.make_house_picture import PICTURES, pictures, reduced
from tests.docs.pages import ROOT


def test_the_pictures_are_drawn_from_todays_imports():
    drawn = pictures()
    stale = [name for name, text in drawn.items() if (PICTURES / name).read_text(encoding="utf-8") != text]
    assert stale == [], "uv run python docs/make_house_picture.py"
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [name for name in drawn if f"(pictures/{name})" not in page] == []


def test_a_line_that_follows_from_others_is_left_out():
    arrows = {"roof": frozenset({"wall", "floor"}), "wall": frozenset({"floor"}), "floor": frozenset[str]()}
    assert reduced(arrows) == {"roof": {"wall"}, "wall": {"floor"}, "floor": frozenset()}
