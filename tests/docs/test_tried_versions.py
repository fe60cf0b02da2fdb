"""The versions that docs/hosts.md names are those of release/hosts_tried.toml, the oldest being what the extra asks."""

import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

from release.hosts import ADAPTERS, ROOT, Trial

TRIED = tomllib.loads((ROOT / "release" / "hosts_tried.toml").read_text(encoding="utf-8"))


def page(name: str) -> str:
    return (Path(ROOT) / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_page_names_the_versions_that_were_run(adapter):
    versions = TRIED["versions"][adapter]
    assert versions == sorted(versions, key=Version)
    (oldest,) = (one.version for one in Trial(adapter, "minimum").framework.specifier if one.operator == ">=")
    assert Version(oldest) == Version(versions[0])
    (row,) = (line for line in page("hosts.md").splitlines() if line.endswith(f"| `{adapter}` |"))
    assert f"| {', '.join(versions[:-1])} and {versions[-1]} |" in row


def test_the_day_is_said_once_and_no_other_page_repeats_a_newest_version():
    day = TRIED["resolved_on"]
    assert page("hosts.md").count(f"resolved on {day.day} {day:%B %Y}") == 1
    assert [one for versions in TRIED["versions"].values() for one in versions[1:] if one in page("limits.md")] == []
