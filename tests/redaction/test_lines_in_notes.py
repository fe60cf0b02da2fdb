"""Notes put something before a line: a bullet, who said it, what failed. Its secrets are hidden all the same."""

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.files.redacted_fields import removed_values, without
from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each
from tests.support.files_of import contents_of

# Made up, each in a line that says by its beginning what it holds.
LINES = {
    "masterauth EGhqyW3yiwASUdHx4": "EGhqyW3yiwASUdHx4",
    "requirepass garnet_dune69": "garnet_dune69",
    "username cobalt privilege 15 password 0 Gar63%ZTVxI": "Gar63%ZTVxI",
    "db.harbor.com:5432:app:harbor:dune_birch13": "dune_birch13",
    "password;Indigo#29840": "Indigo#29840",
    "user,password,role\ngarnet,BzAvGqZ3KI1Rkgpx4,admin": "BzAvGqZ3KI1Rkgpx4",
}
BEFORE = ("", "- ", "* ", "Error: ", "- error: Error: ", "- assistant: ", "exec {} failed: Error: ")


@each("before", BEFORE)
@each("line", LINES)
def test_what_stands_before_a_line_changes_nothing(line, before):
    assert LINES[line] not in redact_text(f"{before}{line}")


@pytest.mark.parametrize(
    "text", ["Note: password policies", "- pass through", "- secret santa list", "Error: pass two"]
)
def test_ordinary_words_behind_a_bullet_or_a_colon_stay(text):
    assert redact_text(text) == text


def test_a_title_that_was_cut_from_a_text_does_not_show_what_the_text_hides():
    text, safe = r"net use Z: \\srv\share garnet_dune69 /user:x", r"net use Z: \\srv\share [REDACTED] /user:x"
    taken = removed_values(text, safe)
    assert without(taken, text[:40]) == r"net use Z: \\srv\share [REDACTED] /us"
    assert without(taken, text[:33]) == r"net use Z: \\srv\share [REDACTED]"
    assert without(taken, "a share on srv") == "a share on srv"
    assert removed_values(safe, safe) == frozenset()


async def test_no_title_tag_or_archive_holds_a_secret(tmp_path):
    """Without transcripts everything that was said goes into notes, line behind line."""
    config = MemoryConfig.model_validate(
        {
            "core": {"keep_transcripts": False, "compaction_limit": 60},
            "plugins": {"storage": {"embedding_provider": "none"}},
        }
    )
    cut = r"net use Z: \\srv\share garnet_dune69 /user:corp\lotus"
    said = [{"role": role, "content": line} for line in LINES for role in ("user", "assistant", "tool")]
    async with MemoryHost(tmp_path, config=config) as memory:
        await memory.keep(Note(tldr=cut, details=f"- {cut}", title=cut[:40], tags=(cut[:36],)), session_key="s")
        await memory.before_compaction(session_key="s", messages=said, context_window=8_000, reason="token_pressure")
        await memory.flush_index()
    everything = b"".join(contents_of(tmp_path).values())
    assert everything.count(b"[REDACTED]") > len(LINES)
    assert [secret for secret in (*LINES.values(), "garnet_dune") if secret.encode() in everything] == []
