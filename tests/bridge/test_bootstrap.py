"""The bootstrap files and MEMORY.md in the prompt of a real nanobot, as the model gets it over HTTP."""

import pytest

from nanobot_memory_plugins.bridge.bootstrap import MEMORY_FILE
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool

LARGE = "\n".join(f"- rule {number}: keep it short" for number in range(2_000))
FACTS = "\n".join(f"- fact {number}: the port is {number}" for number in range(2_000))


@pytest.fixture
def bootstrap(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,bootstrap")


@pytest.fixture
def nanobot(install, bootstrap):
    return install()


def write(nanobot, **files: str) -> None:
    for name, text in files.items():
        path = nanobot.workspace / ("memory/MEMORY.md" if name == "MEMORY" else f"{name}.md")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def turns(nanobot, count: int = 1, **options) -> None:
    loop = nanobot.loop()
    for number in range(count):
        await loop.process_direct(f"message {number}", **options)
    await loop.aclose()


async def test_dream_the_tools_and_the_sdk_see_the_whole_files(nanobot, server):
    write(nanobot, AGENTS=LARGE, MEMORY=FACTS)
    server.rules += [
        ReplyRule(after_tool, Reply("Done.")),
        ReplyRule(
            lambda _: True, Reply(tools=(ToolCall("read_file", {"path": MEMORY_FILE, "limit": 3_000}),)), times=1
        ),
    ]
    loop = nanobot.loop()
    await loop.process_direct("read it")
    assert loop.context.memory.read_memory() == FACTS  # what the SDK's `bot.memory.read()` returns
    assert FACTS not in server.requests[-1].system
    assert "fact 1000: the port is 1000" not in server.requests[-1].system
    assert "fact 1000: the port is 1000" in server.requests[-1].last["content"]
    await loop.process_direct("rewrite your memory", session_key="dream:20260101-000000")
    await loop.aclose()
    assert FACTS in server.requests[-1].system
    assert LARGE in server.requests[-1].system


async def test_templates_that_nobody_changed_are_not_shown(nanobot, server):
    from nanobot.utils.helpers import load_bundled_template

    write(
        nanobot, AGENTS="Mine.", MEMORY=load_bundled_template("memory/MEMORY.md"), USER=load_bundled_template("USER.md")
    )
    await turns(nanobot)
    assert "## Long-term Memory" not in server.requests[-1].system
    assert "## USER.md" not in server.requests[-1].system
    assert "## AGENTS.md\n\nMine." in server.requests[-1].system


@pytest.mark.accept("BB-05")
async def test_a_file_that_is_no_text_does_not_end_the_turn(nanobot, server, warnings):
    """nanobot itself gives up here."""
    write(nanobot, AGENTS=LARGE, USER="Likes tea.")
    (nanobot.workspace / "SOUL.md").write_bytes(b"\xff\xfe\x00")
    (nanobot.workspace / "memory").mkdir(exist_ok=True)
    (nanobot.workspace / MEMORY_FILE).write_bytes(b"\xff\xfe\x00")
    await turns(nanobot, 3)
    assert len(server.requests) == 3
    system = server.requests[-1].system
    assert "## USER.md\n\nLikes tea." in system
    assert "[...truncated" in system
    assert "## SOUL.md\n\n" not in system
    assert "## Long-term Memory" not in system
    assert [line.split()[0] for line in warnings if "cannot be read" in line] == ["SOUL.md", MEMORY_FILE]


async def test_a_file_that_quotes_the_heading_of_another_is_told_apart(install, bootstrap, server):
    nanobot = install({"bootstrap": {"maxChars": 2_000, "priority": ["USER.md"]}})
    quoting = f"Files:\n\n## USER.md\n\nsays who the user is\n\n## SOUL.md\n\n{'says who you are. ' * 200}"
    write(nanobot, AGENTS=quoting, SOUL="Be kind.", USER="Likes tea.")
    await turns(nanobot)
    system = server.requests[-1].system
    assert "read AGENTS.md for full content" in system
    assert "read SOUL.md" not in system
    assert "\n\n## SOUL.md\n\nBe kind.\n\n## USER.md\n\nLikes tea." in system
