"""A language model of which a test says only what it understood; how that is worded is decided here.

What each question of the set asks for, and in which form the answer has to come, stands in this file alone: a prompt
or an answer that changes is one edit here, and no test of a promise knows of it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ScriptedServer, ToolCall

# What a question can be told by where no purpose comes with it, as through nanobot's own provider.
_WORDS = {
    "reading": ("You read a conversation for the long-term memory", "你为助手的长期记忆阅读一段对话"),
    "orders": ("A user has written the message below", "下面是用户写的一条消息"),
    "compaction": ("Summarise the conversation so that", "接手", "will replace", "You take notes of", "做笔记"),
    "consolidation": ("You tidy the long-term memory", "你负责整理助手的长期记忆"),
}
_KNOWN = re.compile(r"^\[([^\]\s]+)\][^\S\n]*(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the model understands where ``said`` stands in what it is asked to read.

    ``kind`` is one of fact, preference, decision, experience, workflow, skill_usage and todo, ``valid_until`` an ISO
    day. ``confirms`` and ``ends`` are words of entries that are known already. With ``quoted`` set to False the model
    gives no quote, or, where it is a text, that one in place of ``said``.
    """

    text: str
    said: str
    kind: str = "fact"
    importance: str = "high"
    valid_until: str = ""
    confirms: str = ""
    ends: tuple[str, ...] = ()
    quoted: bool | str = True


class ReadingModel(ScriptedServer):
    """A model behind HTTP that reads as it is told to, and answers turns of a chat from the rules of its base.

    ``facts`` are what the reading of a session finds, ``summary`` what a session or a compaction is summed up to,
    ``nightly`` what the nightly consolidation writes (``ends`` are words of entries), ``nightly_archive`` words of the
    entries that it archives.
    ``fails`` names the purposes that are answered with ``failure``.
    """

    def __init__(self) -> None:
        super().__init__(default="Noted.")
        self.facts: list[Fact] = []
        self.summary = "They spoke about several things."
        self.nightly: list[dict[str, Any]] = []
        self.nightly_archive: list[str] = []
        self.fails: dict[str, Reply] = {}

    def learn(self, text: str, said: str, **more: Any) -> None:
        """Let the model understand one thing more."""
        self.facts.append(Fact(text, said, **more))

    def turn(self, words: str, *calls: ToolCall, reply: str = "Done.") -> None:
        """Answer the chat's turns whose last user message holds ``words``: with tool calls first, then a reply."""
        if calls:
            self.rules.append(ReplyRule(lambda request: self._is_turn(request, words), Reply(tools=calls)))
        self.rules.append(ReplyRule(lambda request: not purpose_of(request) and words in request.text, Reply(reply)))

    def asked(self, purpose: str = "") -> list[Request]:
        """Return the requests of one purpose, oldest first; without one those of the chat itself."""
        return [request for request in self.requests if purpose_of(request) == purpose]

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """Return the answer to one request."""
        request = Request(body)
        purpose = purpose_of(request)
        if not purpose:
            return super().answer(body)
        with self._lock:
            self.requests.append(request)
        if purpose in self.fails:
            return self.fails[purpose]
        return Reply(_ANSWERS[purpose](self, request))

    @staticmethod
    def _is_turn(request: Request, words: str) -> bool:
        return not purpose_of(request) and request.last.get("role") != "tool" and words in request.last_user


def purpose_of(request: Request) -> str:
    """Return what a request is for: reading, orders, summary, compaction, consolidation, or nothing for a turn."""
    named, _, more = str(request.body.get("user") or "").partition(":")
    named = more if more in _ANSWERS else named
    if named in _ANSWERS:
        return named
    if request.tool_names:
        return ""
    read = f"{request.system}\n{request.last_user}"
    return next((purpose for purpose, words in _WORDS.items() if any(word in read for word in words)), "")


def _understood(model: ReadingModel, request: Request) -> Iterator[Fact]:
    # What is known already stands before the conversation.
    conversation = re.split(r"^(?:Conversation:|对话：)$", request.last_user, maxsplit=1, flags=re.MULTILINE)[-1]
    read = re.sub(r"\s+", " ", conversation)
    return (fact for fact in model.facts if re.sub(r"\s+", " ", fact.said) in read)


def _quote(fact: Fact) -> str:
    return fact.said if fact.quoted is True else fact.quoted or ""


def _ids(request: Request, words: Sequence[str]) -> list[str]:
    """Return the ids of the known entries in a request that hold some words."""
    listed = _KNOWN.findall(request.last_user)
    return [id_ for word in words for id_, text in listed if word and word in text]


def _reading(model: ReadingModel, request: Request) -> str:
    items = []
    for fact in _understood(model, request):
        item: dict[str, Any] = {"text": fact.text, "kind": fact.kind, "importance": fact.importance}
        if quote := _quote(fact):
            item["said"] = quote
        if fact.valid_until:
            item["valid_until"] = fact.valid_until
        if confirmed := _ids(request, [fact.confirms]):
            item["confirms"] = confirmed[0]
        if ended := _ids(request, fact.ends):
            item["ends"] = ended
        items.append(item)
    answer: dict[str, Any] = {}
    if '"entries"' in request.system:
        answer["entries"] = items
    if '"summary"' in request.system:
        answer["summary"] = model.summary
    return json.dumps(answer, ensure_ascii=False)


def _nightly(model: ReadingModel, request: Request) -> str:
    entries = [{**item, "ends": _ids(request, item.get("ends", ()))} for item in model.nightly]
    archive = _ids(request, model.nightly_archive)
    return json.dumps({"entries": entries, "archive": archive}, ensure_ascii=False)


_ANSWERS: dict[str, Callable[[ReadingModel, Request], str]] = {
    "reading": _reading,
    "orders": lambda _model, _request: "[]",
    "summary": lambda model, _request: model.summary,
    "compaction": lambda model, _request: model.summary,
    "consolidation": _nightly,
}


def remember_call(text: str, said: str = "", *, kind: str = "fact", until: str = "", pin: bool = False) -> ToolCall:
    """Return the call of a model that keeps ``text``; ``said`` are the user's own words for it."""
    arguments: dict[str, Any] = {"text": text, "kind": kind}
    if said:
        arguments["said"] = said
    if until:
        arguments["valid_until"] = until
    if pin:
        arguments["pin"] = True
    return ToolCall("remember", arguments)


def forget_call(query: str) -> ToolCall:
    """Return the call of a model that forgets what ``query`` names, by words or by id."""
    return ToolCall("forget", {"query": query})


def search_call(query: str) -> ToolCall:
    """Return the call of a model that looks something up."""
    return ToolCall("memory_search", {"query": query})
