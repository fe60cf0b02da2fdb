"""The answer to "what do you know about me?", or about somebody: the profile, beside the message."""

from collections.abc import Iterable

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations.profile import Known, Profile, profile
from nanobot_memory_plugins.consolidation.store.fields import shown_date
from nanobot_memory_plugins.core import Language, MemoryPaths, estimate_tokens
from nanobot_memory_plugins.core.text import Word, Words, fold

# Tokens of a profile beside a message, and characters of a message that asks for one.
_TOKENS, _LONGEST = 1_500, 120
_NAME = r"[^\s,.;:!?][^,.;:!?]{0,40}?"
_KNOW = r"(?:know|remember|have (?:stored|learned|learnt|kept)|(?:'ve|have) (?:got )?in your memory)"
_KNOW_ZH = "(?:知道|记得|了解|记住|记下|记)(?:了|到|过)?"
_WHAT_ZH = "(?:什么|哪些|多少|啥|些什么|些啥)(?:事情?|东西)?"
_ME = frozenset({"me", "myself", "我", "我们"})
# ``about`` is in one group of each: the first that is there.
_ASKS = Words(
    (
        Word(
            rf"^(?:\w+[, ]+){{0,2}}?(?:what|tell me (?:what|everything|all))(?: else| all)? (?:do )?you"
            r" (?:really |actually )?"
            rf"{_KNOW}(?: so far)? (?:about|of) ({_NAME})(?: so far)?\W*$",
            "what do you know about me?",
            "what do you know about me and taxes in spain, and how do i file them?",
        ),
        Word(
            r"^(?:\w+[, ]+){0,2}?what have you (?:stored|learned|learnt|kept|remembered|saved)"
            rf" (?:about|of) ({_NAME})\W*$",
            "what have you stored about me",
            "what have you stored in the file",
        ),
        Word(
            rf"^\W*(?:那|所以|对了|请问)?[,，]?你(?:都|还|现在|目前)*{_KNOW_ZH}(?:关于)?({_NAME})的?{_WHAT_ZH}\W*$",
            "你都记得我什么?",
            "你知道几点了",
        ),
        Word(
            rf"^\W*(?:那|所以|对了|请问)?[,，]?(?:关于|对于?)({_NAME})[,，]?你?(?:都|还|现在|目前)*{_KNOW_ZH}{_WHAT_ZH}\W*$",
            "关于小李你都知道什么?",
            "关于小李的事我们明天再说",
        ),
        Word(
            rf"^\W*(?:那|所以|对了|请问)?[,，]?你(?:对于?|关于)({_NAME})(?:都|还|现在|目前)*{_KNOW_ZH}{_WHAT_ZH}\W*$",
            "你对我了解多少?",
            "你对我说了什么?",
        ),
    )
)
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "head": "All that is remembered of {who}, by kind (tell it as it stands; nothing else is known for long):",
        "user": "the user",
        "none": "Nothing is remembered of the user for long.",
        "names": "{who} is also called {names}.",
        "since": "since {day}",
        "said": 'said: "{words}"',
        "ended": "over, replaced or faded",
        "more": "and {count} more: `nanobot-memory profile` shows all",
    },
    "zh": {
        "head": "关于{who}长期记住的全部内容，按类别（照实说，没有别的）：",
        "user": "用户",
        "none": "关于用户没有长期记住的内容。",
        "names": "{who}又叫{names}。",
        "since": "自{day}",
        "said": "原话：“{words}”",
        "ended": "已结束、已被取代或已淡忘",
        "more": "还有 {count} 条：`nanobot-memory profile` 可查看全部",
    },
}


def asked_about(text: str) -> str | None:
    """Return of whom a message asks what is known: a name, nothing for the user, None where it asks nothing of it."""
    plain = text.strip()
    found = _ASKS.search(fold(plain)) if len(plain) <= _LONGEST else None
    if found is None:
        return None
    place = next(number for number, group in enumerate(found.groups(), 1) if group)
    about = plain[found.start(place) : found.end(place)].strip()
    return "" if about.casefold() in _ME else about


def told_profile(paths: MemoryPaths, entries: Iterable[Entry], about: str, language: Language) -> str:
    """Return what is known as lines, within some tokens; nothing where nothing is known of a name. It blocks."""
    found, texts = profile(paths, entries, about=about), _TEXTS[language]
    who = about or texts["user"]
    if not found.known and not found.ended:
        return "" if about else texts["none"]
    lines = [texts["head"].format(who=who)]
    if len(found.names) > 1:
        lines.append(texts["names"].format(who=who, names=", ".join(found.names[1:])))
    return "\n".join([*lines, *_fitting(found, texts)])


def _fitting(found: Profile, texts: dict[str, str]) -> list[str]:
    parts = [*found.known.items(), *([(texts["ended"], found.ended)] if found.ended else [])]
    room, left = _TOKENS, sum(len(told) for _, told in parts)
    lines: list[str] = []
    for heading, told in parts:
        lines.append(f"{heading}:")
        for one in told:
            line = _line(one, texts)
            room -= estimate_tokens(line) + 1
            if room < 0:
                return [*lines, texts["more"].format(count=left)]
            lines.append(line)
            left -= 1
    return lines


def _line(known: Known, texts: dict[str, str]) -> str:
    entry = known.entry
    about = [
        texts["since"].format(day=shown_date(entry.created_at)) if entry.created_at else "",
        texts["said"].format(words=known.words) if known.words else "",
    ]
    told = "; ".join(filter(None, about))
    return f"- {' '.join(entry.content.split())}{f' ({told})' if told else ''}"
