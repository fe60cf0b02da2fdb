"""entry_points.md says of importers what the code says, and docs/transfer.md names the formats that there are."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from nanobot_memory_plugins.core.errors import InputError, PluginError
from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Importer, Item, Part, Skipped
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.transfer.sources import installed_importers
from nanobot_memory_plugins.core.values import Origin
from tests.transfer.snapshots import notes

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "entry_points.md").read_text(encoding="utf-8").partition("\n## Importers\n")[2].partition("\n## ")[0]


def made_importer() -> Importer:
    (code,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    module = ModuleType("tide_importer")
    exec(compile(code, "entry_points.md:Importers", "exec"), module.__dict__)
    importer = module.__dict__["TideImporter"]()
    assert isinstance(importer, Importer)
    return importer


def test_the_example_imports_dates_and_reports(tmp_path: Path):
    importer = made_importer()
    source = tmp_path / "log.tides"
    source.write_text("2026-03-02 high at 11:40\nno date\n2026-03-03 low at 05:10\n")
    assert importer.recognises(source)
    report = import_from(importer, "tides", source, tmp_path / "mine")
    assert {day: [n.tldr for n in found] for day, found in notes(tmp_path / "mine").items()} == {
        "2026-03-02": ["high at 11:40"],
        "2026-03-03": ["low at 05:10"],
    }
    assert {n.origin for found in notes(tmp_path / "mine").values() for n in found} == {Origin.TOOL}
    assert [(row.file, row.lines) for row in report.left.values()] == [("log.tides", [2])]
    source.write_text("")
    with pytest.raises(InputError, match=r"is empty\. Name a log"):
        import_from(importer, "tides", source, tmp_path / "mine")


def test_an_importer_that_fails_is_named_and_what_it_read_is_taken(tmp_path: Path):
    class Failing:
        label = "a log that ends badly"

        def recognises(self, source: Path) -> bool:
            return True

        def read(self, source: Path, workspace: Path) -> Iterator[Item]:
            yield from made_importer().read(source, workspace)
            raise KeyError("password=hunter2")

    source = tmp_path / "log.tides"
    source.write_text("2026-03-02 high at 11:40\n")
    with pytest.raises(PluginError, match=r"The importer tides failed with KeyError\. What it had read") as raised:
        import_from(Failing(), "tides", source, tmp_path / "mine")
    assert "hunter2" not in str(raised.value)
    assert "2026-03-02" in notes(tmp_path / "mine")


@pytest.mark.parametrize("item", [ImportedMessage, ImportedNote, Skipped, Part], ids=lambda item: item.__name__)
def test_every_field_of_an_item_is_described_in_order(item: type):
    (row,) = re.findall(rf"^\| `{item.__name__}` \| (.+) \|$", SECTION, re.MULTILINE)
    assert row == ", ".join(f"`{field.name}`" for field in dataclasses.fields(item))


def test_every_member_of_an_importer_is_described():
    assert re.findall(r"^\| `(\w+)(?:\(.*\))?` \| [a-z]", SECTION, re.MULTILINE)[:3] == ["label", "recognises", "read"]


def test_every_format_is_described():
    page = (ROOT / "docs" / "transfer.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert {*installed_importers(), "archive"} <= described
