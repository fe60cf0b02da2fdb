"""Which project nanobot's turns are of: none, the one that is named, or that of the folder in which it was started."""

from pathlib import Path

from nanobot_memory_plugins.core.scopes.projects import project_of


def repository(folder: Path, address: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {address}\n')
    return folder


async def said(nanobot, text: str) -> str:
    """Say something, and return the project that it was kept for."""
    loop = nanobot.loop()
    await loop.process_direct(text)
    await loop.aclose()
    (row,) = [one for one in nanobot.transcript() if one["text"] == text]
    return row.get("project", "")


async def test_with_auto_it_is_that_of_the_folder_even_where_the_session_began_in_another(
    install, recorder, monkeypatch, tmp_path
):
    recorder()
    nanobot = install({"nanobot": {"project": "auto"}})
    monkeypatch.chdir(repository(tmp_path / "one", "https://git.example/ana/pumps.git"))
    assert await said(nanobot, "The pump is serviced on Friday.") == "ana/pumps"
    monkeypatch.chdir(repository(tmp_path / "two", "https://git.example/ana/valves.git"))
    assert await said(nanobot, "The valve is serviced on Monday.") == "ana/valves"
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert project_of(".") == ""
