"""What people write into the memory files by hand stays as it is in the file, and its secrets come no further."""

import json

from loguru import logger
from typer.testing import CliRunner

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.cli.main import app

SECRET = "Winter2024!"
BY_HAND = f"# About me\n\nOld laptop: password is {SECRET}\n\nAna's mail is ana@quetzal.example, she plays the cello.\n"
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"recall": {"recall_timeout": 20}, "storage": {"embedding_provider": "none"}},
    }
)


async def test_a_password_that_a_person_wrote_is_in_no_block_no_row_and_no_log_and_stays_in_its_file(tmp_path):
    file = tmp_path / "memory" / "MEMORY.md"
    file.parent.mkdir()
    file.write_text(BY_HAND, encoding="utf-8")
    logged: list[str] = []
    sink = logger.add(logged.append, level=0)
    try:
        async with MemoryHost(tmp_path, config=CONFIG) as memory:
            await memory.flush_index()
            block = (await memory.message_received(session_key="cli:one", text="What was the old laptop?")).block
            hits = (await memory.search(Query(text="old laptop password"))).hits
            context = memory.base_context()
            people = (await memory.message_received(session_key="cli:one", text="What is Ana's mail?")).block
    finally:
        logger.remove(sink)
    assert file.read_text(encoding="utf-8") == BY_HAND
    assert block is not None
    assert "Old laptop: password is [REDACTED]" in block
    assert any("[REDACTED]" in hit.text for hit in hits)
    assert SECRET not in context + block + "".join(hit.text + hit.snippet for hit in hits) + "".join(logged)
    assert people is not None
    assert "ana@quetzal.example" in people  # what a person wrote of people stays readable
    rows = b"".join(path.read_bytes() for path in tmp_path.rglob("memory.db*"))
    assert b"Old laptop" in rows
    assert SECRET.encode() not in rows


def test_doctor_names_the_files_in_which_people_wrote_secrets(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "ideas.md").write_text(BY_HAND, encoding="utf-8")
    (tmp_path / "memory" / "clean.md").write_text("# Ideas\n\nBuy tea. Mail ana@quetzal.example.\n", encoding="utf-8")
    answer = CliRunner().invoke(app, ["doctor", "--json", "--workspace", str(tmp_path)])
    findings = json.loads(answer.stdout.splitlines()[-1])["findings"]
    (named,) = [finding for finding in findings if finding["subject"] == "secrets by hand"]
    assert "memory/ideas.md" in named["state"]
    assert "clean.md" not in named["state"]
    assert SECRET not in answer.stdout
