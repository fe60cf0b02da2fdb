"""A secret that the user wants remembered: no empty entry is kept, and the model is told so."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, says_only_secrets
from nanobot_memory_plugins.core import MemoryHost
from tests.support.each import each
from tests.support.patient import patient_config

CONFIG = patient_config()


async def told(workspace: Path, text: str) -> str:
    async with MemoryHost(workspace, config=CONFIG) as memory:
        return (await memory.message_received(session_key="cli:one", text=text)).block or ""


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        (
            "Remember that our guest network is HarborGuest, and the password is tangerine42",
            "our guest network is HarborGuest, and the password is [REDACTED]",
        ),
        ("记住：我叫陈小雨，银行卡密码是 884213", "我叫陈小雨，银行卡密码是 [REDACTED]"),
    ],
)
async def test_an_entry_with_a_secret_is_kept_without_it_and_the_model_is_told(tmp_path, said, entry):
    assert "NOT kept" in await told(tmp_path, said)
    assert [one.content for one in EntryRepository(tmp_path).load().entries.values()] == [entry]


@each(
    ("text", "hidden"),
    [
        ("Ana's number is [PHONE], mail [EMAIL]", True),
        ("use [REDACTED] for the wifi in Porto.", True),
        ("my password is [REDACTED], ok?", True),
        ("The network is HarborGuest; the password is [REDACTED]", False),
        ("The printer stands in room 7 and its password is [REDACTED]", False),
        ("I like tea [TODO]", False),
        ("我家密码是[REDACTED]，路由器在书房柜子里", False),
        ("[REDACTED]是我的银行密码", True),
        ("密码[REDACTED]这是工行的", True),
    ],
)
def test_a_point_is_hidden_where_no_clause_says_anything_else(text, hidden):
    assert says_only_secrets(text) is hidden
