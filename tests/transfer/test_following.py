"""Pages of one template: the notes of one that is gone stay, though a new page has the same form."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.transfer.snapshots import notes

MEETING = (
    "# Meeting {day}\n\nPresent: Ana, Bo and Chris. Agenda: budget, staffing, office move, next dates.\n"
    "Minutes are kept by whoever came last, and sent to all who were there and to those who could not come.\n"
    "Open points of the last meeting were read out and agreed to by everybody.\n\nDecision: {what}.\n"
)
DIARY = (
    "# {day}日记\n\n早起，跑步，写报告，读二十页书，给家里打电话，晚上十一点以前睡觉。\n\n"
    "今天有什么值得感谢的事？有什么可以做得更好？明天最重要的三件事是什么？\n\n今天做了什么：{what}。\n"
)
ENGLISH = {
    "mon": "to buy the blue printer from the shop at the corner",
    "tue": "to hire Carla in May, with a contract of two years",
    "wed": "to sell the old van and to lease a small electric one",
    "thu": "to paint the hall in the light yellow of the staircase",
    "fri": "to ask the council whether the fence may be taller",
}
CHINESE = {
    "周一": "上午修好了打印机，下午去银行开了一个新账户",
    "周二": "面试了三位候选人，晚上和老同学吃了火锅",
    "周三": "把旧面包车卖给了隔壁的花店老板，换来两盆兰花",
    "周四": "粉刷走廊，刷成了浅黄色，邻居都说很亮堂",
    "周五": "向居委会申请把围栏加高半米，还没有答复",
}
FORMS = [(MEETING, ENGLISH), (DIARY, CHINESE)]


def _write(vault: Path, form: str, day: str, what: str, name: str = "") -> None:
    vault.mkdir(exist_ok=True)
    (vault / f"{name or day}.md").write_text(form.format(day=day, what=what), encoding="utf-8")


def _imported(vault: Path, workspace: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    assert run_command_line(["import", str(vault), "--workspace", str(workspace), "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    found = [note for day in notes(workspace).values() for note in day]
    return report["replaced"], "\n".join(f"{note.title} {note.tldr} {note.details}" for note in found)


@pytest.mark.parametrize(("form", "pages"), FORMS, ids=["meetings", "diary"])
@pytest.mark.parametrize("change", ["new", "two new", "renamed", "renamed and new", "renamed and edited"])
def test_the_notes_of_a_page_that_is_gone_stay(
    form: str, pages: dict[str, str], change: str, tmp_path: Path, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = tmp_path / "vault"
    first, second, third, fourth, fifth = pages
    for day in (first, second, third):
        _write(vault, form, day, pages[day])
    _imported(vault, workspace, capsys)
    (vault / f"{first}.md").unlink()
    if "new" in change:
        _write(vault, form, fourth, pages[fourth])
    if change == "two new":
        _write(vault, form, fifth, pages[fifth])
    if change in ("renamed", "renamed and new"):
        (vault / f"{third}.md").rename(vault / "other.md")
    if change == "renamed and edited":
        (vault / f"{third}.md").unlink()
        _write(vault, form, third, pages[third].replace("old", "red").replace("两盆", "三盆"), "other")
    replaced, said = _imported(vault, workspace, capsys)
    assert pages[first] in said
    assert pages[second] in said
    assert (pages[third] in said) == (change != "renamed and edited")
    assert replaced == change.startswith("renamed")
