"""A question in one script finds by words alone what was said in the other."""

from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost
from tests.support.chinese import in_script
from tests.support.patient import patient_config

CONFIG = patient_config()
# What was said, what is asked, and what of it must be shown; written in simplified characters.
CASES = [
    ("我们办公室的门禁系统换成了刷脸机。", "你还记得门禁系统换成了什么吗？", "刷脸机"),
    ("我对坚果过敏，尤其是核桃。", "我之前说过我对什么过敏？", "核桃"),
    ("后台数据库用的是达梦。", "之前说的后台数据库用的是哪个？", "达梦"),
    ("女儿的钢琴课改到了礼拜四。", "记得女儿的钢琴课改到哪天了吗？", "礼拜四"),
]


async def blocks(workspace: Path, script: str) -> dict[str, str]:
    """Ask every question in a script, each in a session of its own, and return what was shown."""
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.flush_index()
        shown = {}
        for number, (_, question, _) in enumerate(CASES):
            asked = await memory.message_received(
                session_key=f"cli:{script}-{number}", text=in_script(question, script)
            )
            shown[question] = in_script(asked.block or "", "simplified")
    return shown


async def tell(workspace: Path, script: str) -> None:
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for number, (said, _, _) in enumerate(CASES):
            await memory.message_received(session_key=f"cli:told-{number}", text=in_script(said, script))
        await memory.flush_index()


async def test_what_was_said_in_one_script_is_found_in_the_other(tmp_path: Path):
    for told, asked in (("taiwan", "simplified"), ("simplified", "hongkong"), ("taiwan", "taiwan")):
        await tell(tmp_path / told / asked, told)
        shown = await blocks(tmp_path / told / asked, asked)
        assert {question for _, question, answer in CASES if answer not in shown[question]} == set(), (told, asked)
