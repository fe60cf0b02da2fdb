"""What is believed of a model that quotes: an item whose quote is the user's word, and says what the item says."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from nanobot_memory_plugins.consolidation.extraction.answer import Answer, Candidate
from nanobot_memory_plugins.consolidation.extraction.dates import expiry_of, with_its_day
from nanobot_memory_plugins.consolidation.extraction.endings import is_ended
from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate
from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.prompt import KNOWN, known_entries, listed
from nanobot_memory_plugins.consolidation.extraction.small_talk import is_small_talk
from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, new_id
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.templates import EXTRACTION
from nanobot_memory_plugins.core import Language, Origin, Prompts, language_of, logger, run_in_daemon_thread
from nanobot_memory_plugins.core.text import Act, Clause, Objection, QuotedConversation, Support, dated, is_pleasantry

# Why an item is not believed although its quotes are the user's word: it says more than they do, or something else.
_SAYS_ELSE = frozenset({Objection.WORDS, Objection.NAME, Objection.NUMBER, Objection.NEGATION, Objection.PERSON})
# "She can't have shellfish" says of nobody what it says, by itself.
_OF_WHOM = re.compile(r"\W*(?:s?he|they|it|this|that)(?:['’]?s\b|\b)|\W*[她他它]", re.IGNORECASE)


def quoting_prompt(prompts: Prompts, question: Question, conversation: str, language: Language) -> list[dict[str, str]]:
    """Return the chat messages that ask for items with quotes. ``conversation`` is written out and fits."""
    known = known_entries(question.entries, conversation)
    values = {
        "day": dated(question.day, language),
        "known": listed(KNOWN[language], known),
        "conversation": conversation,
    }
    return prompts.rendered(EXTRACTION, language, values)


def is_quoted(answer: Answer, question: Question) -> bool:
    """Return whether a model has quoted: at least half of its items rest on words that stand in the conversation."""
    conversation = QuotedConversation(question.messages)
    standing = sum(bool(conversation.passages(one.said)) for one in answer.candidates)
    return 2 * standing >= len(answer.candidates) > 0


async def believed_by_quotes(
    answer: Answer, question: Question, times: Sequence[datetime], known: Mapping[str, Entry], matcher: Matcher
) -> list[BelievedCandidate]:
    """Return the items whose quotes support them, matched with the known entries.

    What says more than its quotes do, or something else, is kept in the user's own words: there is something to learn.
    """
    # What has ended or is archived was not shown, and is no answer to what was.
    shown = {id_ for id_, entry in known.items() if entry.section is Section.ACTIVE and not entry.superseded_by}

    def believe() -> list[Candidate]:
        users = [entry.content for entry in known.values() if entry.origin is Origin.USER]
        conversation = QuotedConversation(question.messages)
        support = Support(conversation, users)
        believed = []
        for one in answer.candidates:
            objection = support.objection(one.content, one.said)
            if objection is None and not is_small_talk(one.content):
                believed.append(one)
            elif objection in _SAYS_ELSE and (own := _own_words(one, conversation)):
                # What turns its quote round tells nothing of what is over, or said again.
                acts = objection is Objection.WORDS
                believed.append(own if acts else own.model_copy(update={"ends": (), "reinforces": ""}))
            else:
                logger.debug("an item of the model's is not believed: {}", (objection or Objection.NOT_STATED).value)
        return believed

    told = await run_in_daemon_thread(believe)
    repeats = await matcher.repeats([one.content for one in told])
    told = [one for one, again in zip(told, repeats, strict=True) if not again or one.ends]
    matches = await matcher.same([one.content for one in told], known)

    def settle() -> list[BelievedCandidate]:
        conversation = QuotedConversation(question.messages)
        findings: list[BelievedCandidate] = []
        for one, match in zip(told, matches, strict=True):
            passages = conversation.passages(one.said)
            ends = [id_ for id_ in one.ends if id_ in shown and is_ended(known[id_], one.content, passages)]
            same = match.entry_id if match else _confirmed(one, known)
            same = "" if same in ends else same
            last = passages[-1]
            time = times[last.turn]
            quote = " ".join(one.said)
            around = [message.text for message in question.messages[max(0, last.turn - 2) : last.turn + 1]]
            content = with_its_day(one, time.date())
            expires = expiry_of(one, quote, time, around=around)
            finding = BelievedCandidate(content, new_id(known), same, ends[0] if ends else "", expires)
            findings.append(finding)
            findings += [BelievedCandidate(content, finding.id, same, id_, expires) for id_ in ends[1:]]
        return findings

    return await run_in_daemon_thread(settle)


def _own_words(candidate: Candidate, conversation: QuotedConversation) -> Candidate | None:
    """Return a candidate with what the user states in its quotes as its content, or None where they state nothing."""
    passages = [one for one in conversation.passages(candidate.said) if one.by_user and one.counts]
    telling = [one for one in passages if any(map(_states, one.clauses)) and not _OF_WHOM.match(one.text)]
    said = " ".join(dict.fromkeys(one.text.strip() for one in telling))
    if not said or is_pleasantry(said):
        return None
    before = "用户说：" if language_of(said) == "zh" else "The user said: "
    return candidate.model_copy(update={"content": before + said})


def _states(clause: Clause) -> bool:
    return clause.act is Act.STATES


def _confirmed(candidate: Candidate, known: Mapping[str, Entry]) -> str:
    """Return the entry that the model says is confirmed, when the two have a word in common."""
    entry = known.get(candidate.reinforces)
    if entry is None or not wording(candidate.content).terms.keys() & wording(entry.content).terms.keys():
        return ""
    return entry.id
