"""What a host gets from `MemoryHost`, with real files and plugins that are found through entry points."""

import pytest

from nanobot_memory_plugins.core import MemoryHost, Summary

SESSION = "test:one"


@pytest.fixture
def workspace(tmp_path):
    return tmp_path / "workspace"


PLUGIN = """
    from nanobot_memory_plugins.core import Note, Summary, hookimpl

    @hookimpl
    def before_compaction(messages, reason, context_window, room):
        summary = Summary(text=f"{reason} {context_window} {room}", keep_from=max(0, len(messages) - 1))
        return [summary, Note(tldr="saved first")]
"""


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("keep_from", [-1, 6])
async def test_a_summary_that_cuts_outside_of_the_messages_is_none(third_party, workspace, keep_from):
    third_party("full", PLUGIN)
    third_party(
        "outside",
        f"""
        from nanobot_memory_plugins.core import Summary, hookimpl

        @hookimpl(tryfirst=True)
        def before_compaction(messages):
            return Summary(text="bad", keep_from={keep_from})
        """,
    )
    compaction = {
        "session_key": SESSION,
        "messages": [{"role": "user", "content": str(n)} for n in range(5)],
        "context_window": 9,
        "reason": "idle",
    }
    async with MemoryHost(workspace) as memory:
        assert await memory.before_compaction(**compaction) == Summary(text="idle 9 9", keep_from=4)
