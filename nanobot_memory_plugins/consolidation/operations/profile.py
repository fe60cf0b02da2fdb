"""What is known: of the user, or about somebody or something, with when and from which words it was learned."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section, sessions_in
from nanobot_memory_plugins.consolidation.model.entry_view import view_of
from nanobot_memory_plugins.core import KnownEntry, MemoryPaths, Message, Profile
from nanobot_memory_plugins.core.files import last_records
from nanobot_memory_plugins.core.host import WithheldWords
from nanobot_memory_plugins.core.text import QuotedConversation, Support, authored_text
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Messages of a session that are looked through for the words of an entry, and the share of it that they must hold.
_MESSAGES, _LEAST = 400, 0.3
_CHARACTERS, _LONGEST = 4_000, 160
_NAMES = 10
# Characters before a name in which another one for the same is looked for.
_NEAR = 100

# What stands between two names of one person or thing. The first holds a name before, or the second behind it.
_ALSO = (
    r"(?:\s*=\s*|,?\s*[(（]?(?:is )?(?:aka|a\.k\.a\.|also (?:called|known as)|known as|goes by|nicknamed|short for) "
    r"|[(（]?(?:也?就是|又叫|也叫|又名)|的?(?:小名|外号|昵称|全名|大名|本名|英文名|中文名)(?:是|叫))"
)
_LATIN = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)?"
_BEFORE = re.compile(rf"({_LATIN}|[\u4e00-\u9fff]{{2,12}}?){_ALSO}$")
_BEHIND = re.compile(rf"{_ALSO}({_LATIN}|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{{2,3}})")
# What stands before a Chinese name without being part of it.
_TITLES = re.compile(
    "^.*(?:用户|同事|朋友|老板|客户|邻居|同学|室友|医生|女儿|儿子|孩子|妹妹|姐姐|弟弟|哥哥|妻子|丈夫|母亲|父亲|宠物|[的叫猫狗])"
)


def profile(
    paths: MemoryPaths, entries: Iterable[Entry], *, about: str = "", held: WithheldWords | None = None
) -> Profile:
    """Return what these entries come to, all of them or those ``about`` a name. It blocks.

    Of the user's words those that hold what is ``held`` back are not told.
    """
    listed = sorted(entries, key=lambda one: (-one.score, one.id))
    names = names_of(about, [one.content for one in listed]) if about.strip() else ()
    found = [one for one in listed if not names or any(_is_in(name, one.content) for name in names)]
    said: dict[str, tuple[Support, list[datetime | None]]] = {}
    known: dict[str, list[KnownEntry]] = {category.value: [] for category in Category}
    ended: list[KnownEntry] = []
    for one in found:
        told = _with_words(one, paths, said)
        told = replace(told, words="") if held is not None and held.are_in(told.words) else told
        if one.superseded_by or one.section is Section.ARCHIVED:
            ended.append(told)
        else:
            known.setdefault(one.category, []).append(told)
    return Profile({category: told for category, told in known.items() if told}, ended, names)


def names_of(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return a name and those that texts give to the same person or thing: 小李 is 李明, Ana is Anastasia."""
    names = [name.strip()]
    for one in names:  # it grows
        for text in texts:
            for at in _places(one, text):
                before = _BEFORE.search(text[max(0, at.start() - _NEAR) : at.start()])
                behind = _BEHIND.match(text, at.end())
                for found in (before, behind):
                    other = _TITLES.sub("", found[1]) if found else ""
                    known = {one.casefold() for one in names}
                    if len(other) > 1 and other.casefold() not in known and len(names) < _NAMES:
                        names.append(other)
    return tuple(names)


def _places(name: str, text: str) -> Iterable[re.Match[str]]:
    border = r"\b" if name[:1].isascii() else ""
    return re.finditer(f"{border}{re.escape(simplified(name))}{border}", simplified(text), re.IGNORECASE)


def _is_in(name: str, text: str) -> bool:
    return any(True for _ in _places(name, text))


def _with_words(entry: Entry, paths: MemoryPaths, said: dict[str, tuple[Support, list[datetime | None]]]) -> KnownEntry:
    """Return an entry with the words that come nearest to it in the sessions in which it was learned."""
    for key in sorted(sessions_in(entry.source_session)):
        if key not in said:
            said[key] = _said_in(paths, key)
        support, times = said[key]
        # What was said since then may tell of the same, and deny it: no entry is learned from what comes after it.
        later = _said_after(times, entry.created_at)
        clauses = support.nearest(entry.content, _LEAST, without_last=later)
        clauses = clauses or (support.nearest(entry.content, _LEAST) if later else [])
        passages = support.conversation.passages(clauses)
        if passages:
            words = " ".join(_as_said(clauses, support.conversation.messages[passages[-1].turn].text).split())
            return KnownEntry(view_of(entry), words[:_LONGEST], times[passages[-1].turn])
    return KnownEntry(view_of(entry))


def _as_said(clauses: Sequence[str], message: str) -> str:
    """Return clauses as they stand in a message, with an ellipsis where words between them are left out."""
    said, end = "", 0
    for one in clauses:
        at = message.find(one, end)
        between = message[end : max(at, end)]
        is_next = at >= 0 and not any(map(str.isalnum, between))
        said += (between if is_next else " … ") + one if said else one
        end = max(at, end - len(one)) + len(one)
    return said


def _said_after(times: Sequence[datetime | None], learned: datetime | None) -> int:
    """Return how many of the last messages were said after an entry was learned, whose time is one of whole seconds."""
    if learned is None:
        return 0
    after = learned + timedelta(seconds=1)
    return sum(1 for _ in takewhile(lambda time: time is not None and time >= after, reversed(times)))


def _said_in(paths: MemoryPaths, key: str) -> tuple[Support, list[datetime | None]]:
    try:
        records = [one for one in last_records(paths.transcript(key), key, _MESSAGES) if one.role == "user"]
    except OSError:
        records = []
    messages = [Message("user", authored_text(Message("user", one.text))[:_CHARACTERS]) for one in records]
    return Support(QuotedConversation(messages)), [one.time for one in records]
