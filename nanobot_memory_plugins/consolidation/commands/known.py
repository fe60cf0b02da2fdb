"""Questions for the profile: "what do you know about me?", or about somebody."""

from nanobot_memory_plugins.core.text import Word, Words, fold

# Characters of a message that asks for one.
_LONGEST = 120
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


def asked_about(text: str) -> str | None:
    """Return of whom a message asks what is known: a name, nothing for the user, None where it asks nothing of it."""
    plain = text.strip()
    found = _ASKS.search(fold(plain)) if len(plain) <= _LONGEST else None
    if found is None:
        return None
    place = next(number for number, group in enumerate(found.groups(), 1) if group)
    about = plain[found.start(place) : found.end(place)].strip()
    return "" if about.casefold() in _ME else about
