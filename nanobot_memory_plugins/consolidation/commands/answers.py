"""What the model is told beside a message with an order: what was really written, in the user's language."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core import Erasure, Hit, Language, neutralise
from nanobot_memory_plugins.core.erasure import ErasurePlan

# Characters of an entry that are quoted.
_QUOTED = 300
# Places that are named.
_NAMED = 3


class OrderAnswer(NamedTuple):
    """What became of an order, in a line. ``waits``: it is done later, since nobody else's writes left room for it."""

    line: str
    waits: bool = False


def remembered(entry: Entry, place: str, language: Language, *, is_new: bool, lacks: str = "") -> str:
    """Say that an entry was written, and what of it was not kept (`left_out`)."""
    if language == "zh":
        done = "已写入" if is_new else "早已记住，已更新于"
        done = f"已置顶（每次都会看到），{done}" if entry.pinned else done
        may = lacks or "可以据此向用户确认。"
        return f"用户要求记住的内容{done} {place}（id {entry.id}）：「{_quoted(entry)}」。{may}"
    done = "was written to" if is_new else "was known already, and is refreshed in"
    done = f"is pinned, so that it is always seen, and {done}" if entry.pinned else done
    may = lacks or "You can confirm that."
    return f'What the user asked to remember {done} {place} (id {entry.id}): "{_quoted(entry)}". {may}'


def left_out(language: Language, *, hidden: bool, is_cut: bool) -> str:
    """Say what of a text was not kept: a secret that was taken out of it, its end where it was too long."""
    if language == "zh":
        code = "方括号处是密码等机密，没有保存，以后也无法查到；请如实告诉用户。" if hidden else ""
        end = "内容太长，条目里只保存了开头；全文只在对话记录里。请如实告诉用户。" if is_cut else ""
        return code + end
    code = "What stands in brackets is a secret: that part was NOT kept and cannot be looked up later. Say so."
    end = (
        "It was too long for an entry: only its beginning was kept there, the whole stands in the conversation. Say so."
    )
    return " ".join(text for text, is_so in ((code, hidden), (end, is_cut)) if is_so)


def instruction_kept(entry: Entry, place: str, language: Language) -> str:
    """Say that a standing instruction was written, and how it ends."""
    if language == "zh":
        kept = f"用户的长期要求已写入 {place}（id {entry.id}）：「{_quoted(entry)}」。"
        return f"{kept}从现在起有效；用户不要时按 id 忘掉它。"
    return (
        f'What the user asks for from now on was written to {place} (id {entry.id}): "{_quoted(entry)}". '
        "It holds until the user ends it: then forget it by its id."
    )


def corrected(before: Entry, now: Entry, place: str, language: Language) -> str:
    """Say that the user's correction was written, what it replaces, and how it is taken back."""
    if language == "zh":
        return (
            f"用户更正了记忆，已写入 {place}（id {now.id}）：「{_quoted(now)}」；"
            f"「{_quoted(before)}」（id {before.id}）不再有效。可以据此向用户确认。（entries undo 可撤销）"
        )
    return (
        f'The user has corrected the memory: "{_quoted(now)}" was written to {place} (id {now.id}), and '
        f'"{_quoted(before)}" (id {before.id}) holds no more. You can confirm that; '
        "`nanobot-memory entries undo` takes it back."
    )


def secret_not_kept(language: Language) -> str:
    """Say that nothing was written, since what was to be remembered is a secret."""
    if language == "zh":
        return (
            "用户要求记住的是密码、验证码、密钥一类的机密，记忆从不保存这类内容，所以什么都没有写入，以后也无法查到。"
            "请如实告诉用户没有保存及原因，不要说已经记住；可以建议用户存到密码管理器里。"
        )
    return (
        "What the user asked to remember is a secret (a password, a code, a key). Secrets are never written into the "
        "memory: NOTHING was kept, and it cannot be looked up later. Tell the user so, and why; do not say that you "
        "will remember it. You may suggest a password manager."
    )


def not_remembered(cause: str, language: Language) -> str:
    """Say that nothing was written, and why."""
    if language == "zh":
        return f"用户要求记住的内容没有保存成功：{cause} 请如实告诉用户，不要说已经记住。"
    return f"What the user asked to remember was NOT kept: {cause} Say so; do not say that you will remember it."


def nothing_to_remember(language: Language) -> str:
    """Say that "this" means nothing."""
    if language == "zh":
        return "用户要求记住「这个」，但前面没有可以记住的话，所以什么都没有写入。请问用户要记住什么。"
    return (
        'The user asked to remember "this", but nothing before it can be kept: nothing was written. Ask what is meant.'
    )


def being_kept(language: Language) -> str:
    """Say that the write is not done yet."""
    if language == "zh":
        return "用户要求记住的内容正在保存，尚未确认写入。请告诉用户正在保存。"
    return "What the user asked to remember is being kept, and not confirmed yet. Say that it is being kept."


def kept_for_later(language: Language) -> str:
    """Say that an order stands with its message, and is carried out as soon as the entries are free."""
    if language == "zh":
        return (
            "记忆条目正被占用，用户的要求还没有执行；它已随消息保存，稍后会自动执行。请如实告诉用户，不要说已经完成。"
        )
    return (
        "The memory is busy: what the user asked for is NOT done yet. It stands with the message, and is carried out"
        " later by itself. Say so; do not say that it is done."
    )


def done_late(lines: Sequence[str], language: Language) -> str:
    """Say what was done now of what an earlier message asked for."""
    if language == "zh":
        return "用户之前的消息里有当时没来得及执行的要求，现在已处理：\n" + "\n".join(lines)
    return "An earlier message asked for this, and it could not be done then. It was dealt with now:\n" + "\n".join(
        lines
    )


def forgotten(entries: Sequence[Entry], place: str, language: Language, plan: ErasurePlan) -> str:
    """Say which entries are gone, and where a purge of them would still find their words."""
    if language == "zh":
        named = "；".join(f"「{_quoted(entry)}」（id {entry.id}）" for entry in entries)
        done = f"用户要求忘掉的内容已从 {place} 移除：{named}。可以据此向用户确认。（entries restore 可恢复）"
        where, purge = _places(plan), plan.command
        found = f"对话记录（{where}）里还有这些话，但" if where else "对话记录里如果还有这些话，也"
        more = "" if plan.is_whole else f"时间不够，没有查完全部文件，`{purge} --dry-run` 会列出所有位置；"
        return f"{done}{found}不会再被想起；{more}彻底删除请运行 `{purge}`，请告诉用户。"
    named = "; ".join(f'"{_quoted(entry)}" (id {entry.id})' for entry in entries)
    return (
        f"What the user asked to forget was removed from {place}: {named}. You can confirm that. "
        f"{stands(plan)} Tell the user."
    )


def taken_back(entry: Entry, language: Language, plan: ErasurePlan) -> str:
    """Say that what was said is no entry, and neither becomes one nor is brought up."""
    if language == "zh":
        where, purge = _places(plan), plan.command
        found = f"它还在对话记录（{where}）里，" if where else ""
        return (
            f"用户不要记住刚才说的话：「{_quoted(entry)}」（id {entry.id}）。它不在长期记忆条目中，"
            "以后也不会从中学到什么，不会再被想起。可以据此向用户确认。（entries restore 会把它变成条目）"
            f"{found}彻底删除请运行 `{purge}`，请告诉用户。"
        )
    return (
        f'The user does not want kept what was said before: "{_quoted(entry)}" (id {entry.id}). It is no entry of the '
        "long-term memory, and nothing is learned from it. You can confirm that. "
        f"{stands(plan)} Tell the user."
    )


def stands(plan: ErasurePlan) -> str:
    """Say where the words of forgotten entries still stand, what that means, and what removes them."""
    where, purge = _places(plan), plan.command
    found = f"It still stands in {where}" if where else "Where it still stands in a conversation it stays there"
    more = "" if plan.is_whole else f" There was no time to look everywhere: `{purge} --dry-run` lists every place."
    return (
        f"`nanobot-memory entries restore` brings it back. {found}, and is not brought up any more; "
        f"`{purge}` removes it there, too.{more}"
    )


def said_in_conversation(words: Sequence[str], held: Sequence[Hit], language: Language) -> str:
    """Say that no entry fits, and where a conversation has it."""
    lines = "\n".join(f"- {hit.path}, {hit.line}: {_short(hit.text)}" for hit in held)
    command = ErasurePlan(Erasure(words=tuple(words)), ()).command
    if language == "zh":
        return (
            "用户要求忘掉的内容不在长期记忆条目中，没有删除任何内容，但对话记录里有。请问用户是不是这些，"
            f"并告诉用户 `{command}` 会先列出这些行再彻底删除：\n{lines}"
        )
    return (
        "No entry of the long-term memory fits what the user asked to forget, and nothing was forgotten; but it was"
        f" said in conversation. Ask whether that is meant, and say that `{command}` shows these lines"
        f" and removes them:\n{lines}"
    )


def which_one(candidates: Sequence[Entry], language: Language) -> str:
    """Say that several may be meant, and that none was touched."""
    named = "\n".join(f"- [{entry.id}] {_quoted(entry)}" for entry in candidates)
    if language == "zh":
        return f"用户要求忘掉某条记忆，但不能确定是哪一条，所以没有删除任何内容。请问用户指的是哪一条：\n{named}"
    return (
        "The user asked to forget something, and it is not certain which entry is meant: nothing was forgotten. "
        f"Ask which one:\n{named}"
    )


def may_be_meant(candidates: Sequence[Entry], language: Language) -> str:
    """Say which other entries may be meant, when some were forgotten."""
    named = "\n".join(f"- [{entry.id}] {_quoted(entry)}" for entry in candidates)
    if language == "zh":
        return f"下面这些条目可能也与之有关，但不能确定，没有删除。请问用户是否也要忘掉：\n{named}"
    return f"These may be meant, too; that is not certain, and they were not touched. Ask whether they are:\n{named}"


def nothing_to_forget(language: Language) -> str:
    """Say that no entry fits."""
    if language == "zh":
        return "用户要求忘掉的内容，在长期记忆条目中没有找到，所以没有删除任何内容。请如实告诉用户。"
    return "No entry of the long-term memory fits what the user asked to forget: nothing was forgotten. Say so."


def not_forgotten(cause: str, language: Language) -> str:
    """Say that forgetting failed, and why."""
    if language == "zh":
        return f"用户要求忘掉的内容没有删除成功：{cause} 请如实告诉用户。"
    return f"What the user asked to forget was NOT forgotten: {cause} Say so."


def being_forgotten(language: Language) -> str:
    """Say that it is not done yet."""
    if language == "zh":
        return "正在查找用户要求忘掉的内容，尚未确认删除。请告诉用户正在处理。"
    return "What the user asked to forget is being looked for; nothing is confirmed yet. Say that it is being done."


def _places(plan: ErasurePlan) -> str:
    more = f" and {len(plan.places) - _NAMED} more" if len(plan.places) > _NAMED else ""
    return ", ".join(plan.places[:_NAMED]) + more


def _quoted(entry: Entry) -> str:
    return _short(entry.content)


def _short(text: str) -> str:
    text = neutralise(" ".join(text.split()))
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED].rstrip()}…"


def place_of(path: Path) -> str:
    """Return the name of a memory file as people and the model's file tools know it."""
    return f"{path.parent.name}/{path.name}"
