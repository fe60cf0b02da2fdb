"""The prompt's files on a real nanobot, as they reach the model over HTTP."""

import pytest
from loguru import logger

from nanobot_memory_plugins.bridge.attach import bridge_of
from nanobot_memory_plugins.bridge.bootstrap import MEMORY_FILE
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ToolCall, after_tool

LARGE = "\n".join(f"- rule {number}: keep it short" for number in range(2_000))
FACTS = "\n".join(f"- fact {number}: the port is {number}" for number in range(2_000))
AFTER_FILES = "\n\n---\n\n"


@pytest.fixture
def log():
    lines: list[str] = []
    handler = logger.add(lines.append, level="WARNING", format="{message}")
    yield lines
    logger.remove(handler)


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


def files_part(system: str) -> str:
    """Return what the files make of a prompt, with headings and separators."""
    begin = system.index("## AGENTS.md\n\n")
    bootstrap = system[begin : system.index(AFTER_FILES, begin) + len(AFTER_FILES)]
    if "# Memory\n\n## Long-term Memory\n" not in system:
        return bootstrap
    begin = system.index("# Memory\n\n## Long-term Memory\n")
    return bootstrap + system[begin : system.index(AFTER_FILES, begin) + len(AFTER_FILES)]


@pytest.mark.slow
@pytest.mark.accept("BB-01")
async def test_headings_and_separators_of_memory_are_counted(install, bootstrap):
    """Sizes around the one at which MEMORY.md no longer fits whole."""
    nanobot = install({"bootstrap": {"maxChars": 24_000}})
    write(nanobot, AGENTS="Mine.")
    loop = nanobot.loop()
    await loop.process_direct("start the memory")
    whole = []
    for size in range(23_440, 23_490):
        write(nanobot, MEMORY="m" * size)
        prompt = loop.context.build_system_prompt()
        assert len(files_part(prompt)) <= 0.98 * 24_000
        whole.append("m" * size in prompt)
    await loop.aclose()
    assert whole == sorted(whole, reverse=True)
    assert {*whole} == {True, False}


async def test_a_changed_file_changes_the_prompt_at_once(nanobot, server):
    write(nanobot, AGENTS=LARGE, USER="Likes tea.")
    loop = nanobot.loop()
    await loop.process_direct("one")
    write(nanobot, USER="Likes coffee.")
    await loop.process_direct("two")
    await loop.aclose()
    assert [("Likes tea." in r.system, "Likes coffee." in r.system) for r in server.requests] == [
        (True, False),
        (False, True),
    ]


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


async def test_a_temporary_chat_has_no_memory_in_its_prompt_as_before(nanobot):
    write(nanobot, AGENTS=LARGE, MEMORY=FACTS)
    loop = nanobot.loop()
    await loop.process_direct("start the memory")
    prompt = loop.context.build_system_prompt(include_memory=False)
    await loop.aclose()
    assert "fact 1" not in prompt
    assert "[...truncated" in prompt


@pytest.mark.accept("BB-05")
async def test_a_file_that_is_no_text_does_not_end_the_turn(nanobot, server, log):
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
    assert [line.split()[0] for line in log if "cannot be read" in line] == ["SOUL.md", MEMORY_FILE]


@pytest.mark.accept("BB-03")
async def test_memory_is_left_out_when_the_budget_is_used_up(install, bootstrap, server, log):
    nanobot = install({"bootstrap": {"totalMaxChars": 1_000, "maxChars": 1_000}})
    write(nanobot, AGENTS="a" * 930, USER="Likes tea.", MEMORY="a fact")
    await turns(nanobot)
    system = server.requests[-1].system
    assert "a" * 930 in system
    assert "Likes tea." not in system
    assert "a fact" not in system
    assert sum("is left out of the prompt" in line for line in log) == 2


async def test_a_file_that_quotes_the_heading_of_another_is_told_apart(install, bootstrap, server):
    nanobot = install({"bootstrap": {"maxChars": 2_000, "priority": ["USER.md"]}})
    quoting = f"Files:\n\n## USER.md\n\nsays who the user is\n\n## SOUL.md\n\n{'says who you are. ' * 200}"
    write(nanobot, AGENTS=quoting, SOUL="Be kind.", USER="Likes tea.")
    await turns(nanobot)
    system = server.requests[-1].system
    assert "read AGENTS.md for full content" in system
    assert "read SOUL.md" not in system
    assert "\n\n## SOUL.md\n\nBe kind.\n\n## USER.md\n\nLikes tea." in system


async def test_without_a_memory_that_has_started_the_prompt_is_nanobots_own(nanobot):
    write(nanobot, AGENTS=LARGE, MEMORY=FACTS)
    loop = nanobot.loop()
    assert LARGE in loop.context.build_system_prompt()
    assert FACTS in loop.context.build_system_prompt()
    await loop.aclose()


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("_load_bootstrap_files", ["bootstrap files"]),
        ("build_system_prompt", ["bootstrap files", "memory file in the prompt"]),
        ("memory", ["memory file in the prompt"]),
    ],
)
async def test_where_a_seam_is_missing_the_rest_works_and_the_doctor_names_it(
    nanobot, server, monkeypatch, name: str, missing: list[str]
):
    from nanobot_memory_plugins.bridge import bootstrap, seams

    def require(owner, *names):
        """Stand for a later nanobot without this attribute; today's needs it itself."""
        if name in names:
            raise seams.SeamMissingError(f"ContextBuilder has no {name}")
        return seams.require(owner, *names)

    monkeypatch.setattr(bootstrap, "require", require)
    write(nanobot, AGENTS=LARGE, MEMORY=FACTS)
    loop = nanobot.loop()
    prompt_seams = [
        s for s in bridge_of(loop).seams.all() if s.name in ("bootstrap files", "memory file in the prompt")
    ]
    assert [seam.name for seam in prompt_seams if not seam.attached] == missing
    assert all(name in seam.detail for seam in prompt_seams if not seam.attached)
    await loop.process_direct("hello")
    await loop.aclose()
    system = server.requests[-1].system
    assert (LARGE in system) is ("bootstrap files" in missing)
    assert (FACTS in system) is ("memory file in the prompt" in missing)


async def test_a_builder_with_other_arguments_is_left_alone(nanobot, monkeypatch):
    from nanobot.agent.context import ContextBuilder

    monkeypatch.setattr(ContextBuilder, "_load_bootstrap_files", lambda self: "")
    loop = nanobot.loop()
    (seam,) = [seam for seam in bridge_of(loop).seams.all() if seam.name == "bootstrap files"]
    assert (seam.attached, seam.detail) == (False, "<lambda> takes no workspace")
