"""Files of an ordinary size are shown whole."""

import json
from importlib.resources import files as package_files
from pathlib import Path

import pytest

from nanobot_memory_plugins.bootstrap.plugin import BootstrapOptions, fit_to_budget
from nanobot_memory_plugins.core.host.prompt_texts import default_overhead

SIZES = json.loads((Path(__file__).parents[1] / "data" / "bootstrap_sizes.json").read_text(encoding="utf-8"))
LINE = "- Answer in the user's language, and keep it short. 回答要简短。\n"


def shown(files: dict[str, str]):
    return fit_to_budget(files, {name: default_overhead(name) for name in files}, BootstrapOptions())


@pytest.mark.accept("BB-06")
def test_under_five_percent_of_ordinary_files_are_trimmed():
    """Measured: 2 of 65, an AGENTS.md of 22,407 characters and a MEMORY.md of 23,110."""
    count = trimmed = 0
    for sizes in SIZES["workspaces"]:
        files = {
            name: (LINE * (size // len(LINE) + 1))[:size]
            for name, size in zip(SIZES["names"], sizes, strict=True)
            if size is not None
        }
        done = shown(files)
        count += len(files)
        trimmed += len(done.cut) + len(done.skipped)
    assert count > 60
    assert trimmed / count < 0.05


@pytest.mark.accept("BB-06")
def test_the_hosts_own_templates_are_never_trimmed():
    """All Markdown that nanobot ships for prompts fits together, and each of its skills fits alone."""
    templates = package_files("nanobot").joinpath("templates")
    names = ["AGENTS.md", "SOUL.md", "USER.md", "HEARTBEAT.md", "memory/MEMORY.md"]
    files = {name: templates.joinpath(*name.split("/")).read_text(encoding="utf-8") for name in names}
    assert all(files.values())
    done = shown(files)
    assert done.texts == files
    assert done.used < 24_000 / 3
    for skill in package_files("nanobot").joinpath("skills").iterdir():
        text = skill.joinpath("SKILL.md")
        if text.is_file():
            whole = {"AGENTS.md": text.read_text(encoding="utf-8")}
            assert shown(whole).texts == whole
