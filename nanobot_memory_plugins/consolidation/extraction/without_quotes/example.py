"""The answer that the model is shown, and what of it comes back as if the user had said it."""

import re

from nanobot_memory_plugins.core import Language

# A small model answers nothing, or with the list of categories, as long as it has seen no answer; and where it has
# nothing to check, it answers for the ids of an example that has.
EXAMPLE: dict[Language, tuple[str, str]] = {
    "en": (
        """Today is 2024-03-04, Monday.

Conversation:
user: I left the school, I am a nurse in Oslo now. Is it raining?
assistant: It may be.
user: Our rent went up to 900. Remind me to pay it on Friday.""",
        """[{"content": "The user is a nurse in Oslo and no longer teaches", "category": "fact", "importance": "high"},
{"content": "The user pays a rent of 900", "category": "fact", "importance": "medium"},
{"content": "The user has to pay the rent on Friday", "category": "todo", "importance": "medium", "expires_at": "2024-03-08"}]""",  # noqa: E501
    ),
    "zh": (
        """今天是 2024-03-04，星期一。

对话：
用户: 我不在学校教书了，现在在奥斯陆当护士。外面下雨吗？
助手: 可能会下。
用户: 房租涨到九百了，提醒我周五交。""",
        """[{"content": "用户在奥斯陆当护士，不再教书", "category": "fact", "importance": "high"},
{"content": "用户的房租是九百", "category": "fact", "importance": "medium"},
{"content": "用户要在周五交房租", "category": "todo", "importance": "medium", "expires_at": "2024-03-08"}]""",
    ),
}
EXAMPLE_WITH_CHECK: dict[Language, tuple[str, str]] = {
    "en": (
        """Today is 2024-03-04, Monday.

Conversation:
user: I left the school, I am a nurse in Oslo now. Rex got a new basket! Is it raining?
assistant: It may be.
user: Our rent went up to 900. Remind me to pay it on Friday.

Check:
[k1] The user teaches at a school
[k2] The user has a dog called Rex
[k3] The rent is 800 euros""",
        """[{"id": "k1", "now": "The user is a nurse in Oslo and no longer teaches"},
{"id": "k2", "now": "The user has a dog called Rex"},
{"id": "k3", "now": "The rent is 900 euros"},
{"content": "The user has to pay the rent on Friday", "category": "todo", "importance": "medium", "expires_at": "2024-03-08"}]""",  # noqa: E501
    ),
    "zh": (
        """今天是 2024-03-04，星期一。

对话：
用户: 我不在学校教书了，现在在奥斯陆当护士。雷克斯换了新窝！外面下雨吗？
助手: 可能会下。
用户: 房租涨到九百了，提醒我周五交。

核对：
[k1] 用户在学校当老师
[k2] 用户的狗叫雷克斯
[k3] 房租是八百欧元""",
        """[{"id": "k1", "now": "用户在奥斯陆当护士，不再教书"},
{"id": "k2", "now": "用户的狗叫雷克斯"},
{"id": "k3", "now": "房租是九百欧元"},
{"content": "用户要在周五交房租", "category": "todo", "importance": "medium", "expires_at": "2024-03-08"}]""",
    ),
}

# Who speaks in the examples.
_OF_THE_EXAMPLE = re.compile(r"\b(?:oslo|nurse|rex)\b|奥斯陆|护士|雷克斯", re.IGNORECASE)
# How it is joined to what another user has said: "The user is a nurse in Oslo and has won a cup".
_BEFORE_A_VERB = re.compile(r"\bis a nurse in oslo,? (?:and|who) (?=(?:has|had|was|\w+(?:s|ed))\b)", re.IGNORECASE)
_BEFORE_ANOTHER = re.compile(
    r"\ba nurse in oslo,? and |(?:现在)?在奥斯陆当护士(?:，不再教书)?[，、]\s*(?:并且?|而且|也)?", re.IGNORECASE
)
_TITLE = re.compile(r"《([^《》]{1,60})》")


def only_what_was_said(text: str, mentioned: str) -> str:
    """Return a text without what it took from the example, or nothing when more of that than a clause is in it.

    Nothing, too, when it names a title in 《》 that nobody named. ``mentioned`` is what the user said with the known
    entries, in lower case.
    """
    if _is_foreign(text, mentioned):
        text = _BEFORE_ANOTHER.sub("", _BEFORE_A_VERB.sub("", text))
    named = all(title.casefold() in mentioned for title in _TITLE.findall(text))
    return text if named and not _is_foreign(text, mentioned) else ""


def _is_foreign(text: str, mentioned: str) -> bool:
    return any(word.casefold() not in mentioned for word in _OF_THE_EXAMPLE.findall(text))
