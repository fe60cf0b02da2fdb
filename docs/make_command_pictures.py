"""Make pictures of what `doctor` and `why` print, from a workspace that is made up.

``uv run python docs/make_command_pictures.py`` writes them into docs/pictures. The same code makes the same files: what
differs from machine to machine, and from one time to the next, is replaced. They load nothing.
"""

import io
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.make_pictures import PICTURES, portable  # noqa: E402
from docs.picture_workspace import make_workspace  # noqa: E402
from nanobot_memory_plugins.core.cli import console as console_module  # noqa: E402
from nanobot_memory_plugins.core.cli import doctor_command  # noqa: E402
from nanobot_memory_plugins.core.cli.console import PrintableConsole  # noqa: E402
from nanobot_memory_plugins.core.cli.main import run_command_line  # noqa: E402
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points  # noqa: E402
from nanobot_memory_plugins.core.values.diagnosis import Finding  # noqa: E402
from nanobot_memory_plugins.recall.cli import why_command  # noqa: E402
from nanobot_memory_plugins.recall.cli.examination import Examined  # noqa: E402
from nanobot_memory_plugins.redaction.script.messages import Sentence  # noqa: E402

COLUMNS = 116
CONFIG = (
    '{"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "recall": {"maxContextTokenz": 600},'
    ' "core": {"idleSeconds": 0}, "observtion": {}}}'
)
# By the name of the picture: the command line.
SHOWN = {
    "doctor.svg": ("doctor",),
    "why-en.svg": ("why", "Do you remember which code we use for the Maassluis bridge?", "--limit", "3"),
    "doctor-zh.svg": ("--lang", "zh", "doctor"),
    "why-zh.svg": ("--lang", "zh", "why", "你还记得小雨的钢琴课是什么时候吗？", "--limit", "3"),
}
_MODULES = {"doctor": doctor_command, "why": why_command}
# Findings that say something of the machine, and what is shown instead.
_OF_THE_MACHINE = {
    "python": "3.11 on Linux x86_64 (~/.venv/bin/python)",
    "SQLite": "3.50.4 (apsw 3.50.4.0)",
    "sqlite-vec": "0.1.9",
    "nanobot-ai": "0.3.5, supported",
}


def picture(name: str) -> str:
    """Return the SVG text of one picture."""
    command = SHOWN[name]
    language = "zh" if "--lang" in command else "en"
    module = _MODULES[next(word for word in command if word in _MODULES)]
    consoles: list[Console] = []

    def recording(**settings: Any) -> Console:
        settings |= {"record": True, "file": io.StringIO(), "width": COLUMNS, "soft_wrap": False}
        settings |= {"force_terminal": True, "color_system": "truecolor", "legacy_windows": False}
        consoles.append(PrintableConsole(**settings))
        return consoles[-1]

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "agent").mkdir()
        (home / "config.json").write_text(CONFIG, encoding="utf-8")
        given = {"HOME": folder}
        with (
            mock.patch.dict(os.environ, given),
            mock.patch.object(console_module, "PrintableConsole", recording),
            mock.patch.object(module, "examine", _the_same_everywhere(module.examine, home)),
            mock.patch.object(sys, "stderr", io.StringIO()),
        ):
            for name in ("NO_COLOR", "NANOBOT_MEMORY_PLUGINS"):
                os.environ.pop(name, None)
            with _utc():
                make_workspace(home / "agent", language)
                where = ["--workspace", str(home / "agent"), "--config", str(home / "config.json")]
                with redirect_stdout(io.StringIO()):  # else the doctor counts what is indexed until then
                    run_command_line(["index", *where])
                consoles.clear()
                status = run_command_line([*command, *where])
    if status != 0:
        raise SystemExit(f"{command} ended with {status}")
    shown = " ".join(f'"{word}"' if " " in word or not word.isascii() else word for word in command)
    return portable(consoles[0].export_svg(title=f"nanobot-memory {shown}"))


@contextmanager
def _utc() -> Iterator[None]:
    """Be in UTC, and afterwards where one was before."""
    tzset = getattr(time, "tzset", lambda: None)
    with mock.patch.dict(os.environ, {"TZ": "UTC"}):
        tzset()
        yield
    tzset()


def _the_same_everywhere(examine: Callable[..., Awaitable[Any]], home: Path) -> Callable[..., Awaitable[Any]]:
    """Return the function that a command asks, with what it found made the same on every machine."""

    async def asked(*arguments: Any, **more: Any) -> Any:
        found = await examine(*arguments, **more)
        if isinstance(found, Examined):
            found.watch.seconds = 0.012
            return found
        return [_plain(finding, str(home)) for finding in found if not _is_left_out(finding)]

    return asked


def _plugins_of_others() -> set[str]:
    """Return the names of the plugins that somebody else's distributions brought to this machine."""
    points = installed_entry_points(PLUGIN_GROUP)
    return {point.name for point in points if not point.distribution.startswith("nanobot-memory-")}


def _is_left_out(finding: Finding) -> bool:
    """Tell whether a row is left out: others' plugins, and how much room this disk has."""
    return finding.subject == "disk space" or finding.subject.removeprefix("plugin ") in _plugins_of_others()


def _plain(finding: Finding, home: str) -> Finding:
    said = _OF_THE_MACHINE.get(finding.subject, finding.state)
    is_versioned = finding.subject.startswith(("plugin ", "nanobot-memory"))

    def plain(text: str) -> str:
        text = text.replace(home, "~")
        return re.sub(r"\d+\.\d+\.\d+\S*?(?=\)|$)", "0.1.0", text) if is_versioned else text

    return replace(finding, state=_with_values(said, plain), hint=_with_values(finding.hint, plain))


def _with_values(text: str, change: Callable[[str], str]) -> str:
    """Return a text changed; of a sentence the values, so that it stays one that can be translated."""
    if not isinstance(text, Sentence) or not text.values:
        return change(text) if change(text) != text else text
    values = {
        name: _with_values(value, change)
        if isinstance(value, str)
        else change(str(value))
        if "/" in str(value)
        else value
        for name, value in text.values.items()
    }
    return Sentence(text.template, **values)


def main() -> None:
    """Write every picture."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in SHOWN:
        (PICTURES / name).write_text(picture(name), encoding="utf-8")
        print(name)  # noqa: T201


if __name__ == "__main__":
    main()
