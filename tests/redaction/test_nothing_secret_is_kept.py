from random import Random

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from tests.redaction.shapes import PASSWORDS, VENDOR_TOKENS, cn_id, jwt, key_block
from tests.support.files_of import contents_of

CONFIG = {
    "core": {"message_limit": 30, "tool_limit": 30},
    "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 20}},
}


@pytest.mark.accept("V3-12")
async def test_no_secret_of_an_observation_reaches_a_file_a_row_or_the_log(tmp_path):
    random = Random(1)
    block, lines = key_block(random)
    token, password, number = VENDOR_TOKENS["github"](random), PASSWORDS["symbols"](random), cn_id(random)
    session, address = jwt(random), "zhang.san@example.org"
    secrets = [token, password, number, session, address, *lines]
    logged: list[str] = []
    sink = logger.add(logged.append, level=0)
    try:
        async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG)) as memory:
            await memory.tool_executed(
                session_key="cli:direct",
                tool_name="exec",
                arguments={"command": f"deploy --token {token}", "env": {"DB_PASSWORD": password}, "key": block},
                result=f"ok, mailed {address}\n密码是{password}，身份证号 {number}\nAuthorization: Bearer {session}",
            )
            await memory.tool_executed(
                session_key="cli:direct", tool_name="exec", arguments={}, error=f"401 for {token} of {address}"
            )
            await memory.message_received(session_key="cli:direct", text=f"我的密码是{password}。\n{block}")
            await memory.message_sent(session_key="cli:direct", text=f"noted {token} and {session}")
            await memory.flush_index()
    finally:
        logger.remove(sink)
    kept = contents_of(tmp_path)
    assert any(b"[API_KEY]" in content for content in kept.values())
    for secret in secrets:
        assert not [path for path, content in kept.items() if secret.encode() in content]
        assert secret not in "".join(logged)
    for placeholder in (b"[REDACTED]", b"[EMAIL]", b"[ID_NUMBER]", b"[PRIVATE_KEY]"):
        assert any(placeholder in content for content in kept.values()), placeholder
