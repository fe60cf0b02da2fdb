"""Secrets that are spread over two texts: two fields of a note, or two parts of a token."""

from random import Random

import pytest

from nanobot_memory_plugins.core import MemoryHost, Note
from tests.behaviour.kit.shapes import VENDOR_TOKENS
from tests.support.files_of import text_of
from tests.support.patient import patient_config

CONFIG = patient_config()
TOKEN = VENDOR_TOKENS["github"](Random(3))


async def test_details_are_read_with_the_line_above_that_announces_them(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.keep(Note("My password is", "tangerine42x\nand I like tea"))
        await memory.keep(Note("The plan is", "to leave at 12 on Friday"))
    kept = text_of(tmp_path)
    assert "tangerine42x" not in kept
    assert "and I like tea" in kept
    assert "to leave at 12 on Friday" in kept


@pytest.mark.parametrize("cut", [8, 14, 20, 30])
async def test_no_rest_of_a_token_that_spans_two_results_or_parts_is_kept(tmp_path, cut):
    head, tail = TOKEN[:-cut], TOKEN[-cut:]
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        for result in (f"line one {head}", f"{tail} and the end", [{"text": f"see {head}"}, {"text": f"{tail} more"}]):
            await memory.tool_executed(session_key="cli:one", tool_name="exec", arguments={}, result=result)
    kept = text_of(tmp_path)
    assert tail not in kept
    assert "and the end" in kept
    assert "more" in kept
