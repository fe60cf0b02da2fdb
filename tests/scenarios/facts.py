"""Conversations of every shape, with facts planted in them that are asked for by what they go with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SHAPES = ("normal", "one oversized", "all oversized", "tool-heavy", "chinese", "multi-part")


@dataclass(frozen=True, slots=True)
class Fact:
    """One planted fact: what is said, how it is asked for later, and the word that the answer must hold."""

    said: str
    asked: str
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a session, oldest first, as chat APIs have them, and the facts in them."""

    shape: str
    messages: tuple[Mapping[str, Any], ...]
    facts: tuple[Fact, ...]

    @property
    def key(self) -> str:
        """The key of the session."""
        return f"cli:{self.shape.replace(' ', '-')}"


FACTS: Mapping[str, tuple[Fact, ...]] = {
    "normal": (
        Fact("We decided that the staging database listens on port 6543.", "staging database port", "6543"),
        Fact("My colleague Marta reviews every migration.", "who reviews the migrations?", "Marta"),
        Fact("I prefer tabs of width three in Go code.", "which tab width do I like in Go?", "three"),
    ),
    "one oversized": (
        Fact("The launch of Bluebird is on 12 May.", "when is the Bluebird launch?", "12 May"),
        Fact("The backup bucket is called kestrel-nine.", "name of the backup bucket", "kestrel-nine"),
        Fact("Never deploy on Fridays, because Ines is away.", "why do we never deploy on Fridays?", "Ines"),
    ),
    "all oversized": (
        Fact("The printer in room 4 needs toner TN-2420.", "toner of the printer", "TN-2420"),
        Fact("Our invoice prefix is QX77.", "what is the invoice prefix?", "QX77"),
        Fact("The landlord's name is Okonkwo.", "name of the landlord", "Okonkwo"),
    ),
    "tool-heavy": (
        Fact("Remember that the crawler must use the proxy at hedgehog.lan.", "proxy of the crawler", "hedgehog.lan"),
        Fact("I want the report as a spreadsheet with column Zeta.", "column of the report", "Zeta"),
        Fact("The retry limit was set to 17 after the outage.", "retry limit after the outage", "17"),
    ),
    "chinese": (
        Fact("我们决定把测试服务器放在苏州机房。", "测试服务器放在哪个机房？", "苏州"),
        Fact("记住，我对花生过敏。", "我对什么过敏？", "花生"),
        Fact("项目代号是蓝鲸，负责人是张伟。", "蓝鲸项目的负责人是谁？", "张伟"),
    ),
    "multi-part": (
        Fact("The label on this picture says batch 88-K.", "batch on the label of the picture", "88-K"),
        Fact("Send the scans to Perpetua in accounting.", "who in accounting gets the scans?", "Perpetua"),
        Fact("The camera is a Halcyon R5.", "which camera is it?", "Halcyon"),
    ),
}

_SMALL_TALK = {
    "en": ("Let us go on with it.", "Could you say that again?", "What else is there to do?", "Fine, and then?"),
    "zh": ("我们继续吧。", "能再说一遍吗？", "还有什么要做的？", "好的，然后呢？"),
}
_FILLER = "the service wrote another line of its log and nothing came of it at all; "


def conversation(shape: str, *, window: int) -> Conversation:
    """Return the conversation of a shape for a model's ``window`` in tokens."""
    facts = FACTS[shape]
    language = "zh" if shape == "chinese" else "en"
    messages: list[Mapping[str, Any]] = []
    for number, fact in enumerate(facts):
        messages.append({"role": "user", "content": _content(shape, fact.said, number, window)})
        if shape == "tool-heavy":
            for call in range(4):
                messages += _tool_use(f"{number}{call}")
        messages.append({"role": "assistant", "content": "记住了。" if language == "zh" else "Understood."})
        messages.append({"role": "user", "content": _SMALL_TALK[language][number]})
        messages.append({"role": "assistant", "content": "好的。" if language == "zh" else "Let us see."})
    return Conversation(shape, tuple(messages), facts)


def later(shape: str) -> list[Mapping[str, Any]]:
    """Return what is said in a conversation of this shape after a flush ahead of the cut."""
    language = "zh" if shape == "chinese" else "en"
    answer = "没有了。" if language == "zh" else "Nothing else."
    return [{"role": "user", "content": _SMALL_TALK[language][3]}, {"role": "assistant", "content": answer}]


def _content(shape: str, said: str, number: int, window: int) -> Any:
    """Return the content of the message that plants a fact; what is oversized has it in its middle."""
    if shape == "multi-part":
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBOR" * 50}}
        return [{"type": "text", "text": said}, image]
    if shape == "all oversized" or (shape == "one oversized" and number == 1):
        filler = _FILLER * (int(0.6 * window) * 2 // len(_FILLER))
        return f"{filler}\n{said}\n{filler}"
    return said


def _tool_use(number: str) -> list[Mapping[str, Any]]:
    name = f"call_{number}"
    call = {"id": name, "type": "function", "function": {"name": "exec", "arguments": '{"command": "ls"}'}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "name": "exec", "content": f"file_{number}.txt\n" + "x " * 800},
    ]
