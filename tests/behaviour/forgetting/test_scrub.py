"""A scrub removes the secrets of a memory that was written without redaction, and nothing else."""

from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes
from tests.behaviour.kit.model import remember_call

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3nR6"
# The test replaces this word with the secret, as a version without redaction would have written it.
PLACE = "PLACEHOLDERWORD"


async def test_a_scrub_removes_secrets_from_our_files_and_with_everywhere_from_others(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        said = f"We deploy with {PLACE} from Lund."
        await talk.turn(said, f"I use {PLACE}.", remember_call(said, said))
        await memory.tool_executed(session_key=KEY, tool_name="exec", arguments={"with": PLACE}, result=f"ok {PLACE}")
        await keep_notes(memory, f"Deployed with {PLACE}, says Irina")
        await memory.flush_index()
    clean = life.contents()
    assert life.command("scrub", "--json").json["found"] == {}
    assert life.contents() == clean
    for path in life.memory.rglob("*"):
        if path.is_file() and PLACE.encode() in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(PLACE.encode(), TOKEN.encode()))
    hand = life.memory / "ideas.md"
    hand.write_text(f"# Mine\n\nLent to Ana.\nThe key of the shed is {TOKEN}\n\nBuy tea.\n", encoding="utf-8")
    holders = life.files_with(TOKEN)
    assert len(holders) >= 4
    before = life.contents()
    assert "line 4: " in life.command("scrub", "--dry-run").out.partition("memory/ideas.md")[2].splitlines()[1]
    plan = life.command("scrub", "--dry-run", "--json")
    assert life.contents() == before
    done = life.command("scrub", "--json")
    assert done.json["found"] == plan.json["found"] != {}
    assert [one for one in life.files_with(TOKEN) if one.startswith("memory/")] == ["memory/ideas.md"]
    assert life.command("scrub", "--everywhere").status == 0
    async with life.host() as memory:
        await memory.flush_index()
        assert "Irina" in await Conversation(memory, "cli:new").turn("Do you remember what Irina said of it?")
    assert life.files_with(TOKEN) == []
    assert "Buy tea." in hand.read_text(encoding="utf-8")
    assert "from Lund." in str(life.transcript())
    assert "from Lund." in life.entries()[0]["content"]
