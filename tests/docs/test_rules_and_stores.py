"""entry_points.md says of entry points, redaction rules and stores what the code and the examples say."""

import dataclasses
import re
import tomllib
from types import ModuleType

import pytest

from nanobot_memory_plugins.core import entry_points as installed
from nanobot_memory_plugins.core.redaction.bounded_rules import LIMIT_SECONDS
from nanobot_memory_plugins.redaction.engine.redactor import WINDOW, Redactor
from nanobot_memory_plugins.redaction.rules.rule import Rule
from tests.docs.pages import ENTRY_POINTS, ROOT

PAGE = ENTRY_POINTS.read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def module(code: str) -> ModuleType:
    made = ModuleType("made")
    exec(compile(code, "entry_points.md", "exec"), made.__dict__)
    return made


@pytest.mark.accept("PL-07")
def test_every_group_of_entry_points_is_described():
    described = re.findall(r"^\| `([\w.]+)` \|", section("Entry points"), re.MULTILINE)
    ours = [value for name, value in vars(installed).items() if name.endswith("_GROUP")]
    assert sorted(described) == sorted([*ours, "nanobot.tools"])


@pytest.mark.accept("PL-07")
def test_every_field_of_a_rule_is_described_in_order():
    described = re.findall(r"^\| `(\w+)` \|", section("A rule that hides more"), re.MULTILINE)
    assert described == [field.name for field in dataclasses.fields(Rule)]


def test_the_rule_on_the_page_is_that_of_the_example():
    (code,) = re.findall(r"```python\n(.*?)```", section("A rule that hides more"), re.DOTALL)
    shown = module(code).BADGE
    whole = module((ROOT / "examples" / "badge_rule" / "badge_rule.py").read_text(encoding="utf-8")).BADGE
    assert dataclasses.replace(whole, validator=None) == shown
    assert Redactor(extra_rules=[shown]).redact("BDG-120407") == "[BADGE]"


@pytest.mark.parametrize(
    ("title", "example"), [("A rule that hides more", "badge_rule"), ("A store elsewhere", "shelf_store")]
)
def test_the_entry_points_on_the_page_are_those_of_the_example(title, example):
    (code,) = re.findall(r"```toml\n(.*?)```", section(title), re.DOTALL)
    project = tomllib.loads((ROOT / "examples" / example / "pyproject.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(code)["project"]["entry-points"] == project["project"]["entry-points"]


def test_the_figures_are_those_of_the_code():
    assert (LIMIT_SECONDS, WINDOW) == (0.5, 16_384)  # "half a second", "about 18,000" with the margins
