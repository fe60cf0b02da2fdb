"""What a text means: what is known of any text, whoever wrote it, in English and Chinese."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.text.acknowledgements import is_acknowledgement
    from nanobot_memory_plugins.core.text.acts import Act, Clause, clauses_of, ends_as_question
    from nanobot_memory_plugins.core.text.attribution import UserAttribution
    from nanobot_memory_plugins.core.text.pasted import authored_text, text_to_assistant
    from nanobot_memory_plugins.core.text.calendar import (
        AMBIGUOUS_MONTHS,
        CHINESE_WEEK,
        CHINESE_WEEKDAY,
        CHINESE_WEEKDAY_NAME,
        CHINESE_WEEKDAYS,
        FULL_WEEKDAY,
        MONTH_NAME,
        MONTH_NUMBERS,
        MONTHS,
        SHORT_MONTH,
        SHORT_WEEKDAY,
        WEEKDAY_NUMBERS,
        WEEKDAYS,
    )
    from nanobot_memory_plugins.core.text.changes import tells_change
    from nanobot_memory_plugins.core.text.clauses import fold, phrases_of, without_quoted
    from nanobot_memory_plugins.core.text.constraints import (
        ConstraintTopic,
        is_own_constraint,
        tells_constraint,
        topic_of,
    )
    from nanobot_memory_plugins.core.text.conversation import (
        GAP,
        as_spoken,
        dated,
        dominant_language,
        excerpt,
        message_time,
        own_words,
        render,
        said,
    )
    from nanobot_memory_plugins.core.text.empty_templates import is_empty_template
    from nanobot_memory_plugins.core.text.evidence import Evidence, is_refusal, says_nothing, terms, without_thoughts
    from nanobot_memory_plugins.core.text.general_questions import is_general_question
    from nanobot_memory_plugins.core.text.imagined import apart_from_conditions
    from nanobot_memory_plugins.core.text.inventions import asks_to_invent
    from nanobot_memory_plugins.core.text.languages import LanguageRules, OrderRule, languages_of
    from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean, clean_markdown, one_line
    from nanobot_memory_plugins.core.text.names import names_in, share_a_name
    from nanobot_memory_plugins.core.text.negation import denies, negations, without_negations
    from nanobot_memory_plugins.core.text.non_answers import knows_nothing, tells_besides
    from nanobot_memory_plugins.core.text.numbers import ENGLISH_NUMBERS, chinese_number
    from nanobot_memory_plugins.core.text.off_record import takes_back
    from nanobot_memory_plugins.core.text.opposites import ANOTHER_IN, RELATION_ZH, RELATIVES
    from nanobot_memory_plugins.core.text.overviews import overview_subject
    from nanobot_memory_plugins.core.text.period_questions import PeriodQuestion, Speaker, named_period, period_question
    from nanobot_memory_plugins.core.text.pleasantries import is_pleasantry
    from nanobot_memory_plugins.core.text.profile import profile_text
    from nanobot_memory_plugins.core.text.questions import CLOSING, asks_by_a_word
    from nanobot_memory_plugins.core.text.quotations import QuotedConversation, QuotePlace
    from nanobot_memory_plugins.core.text.reading import Reading, ReadSentence, message_reading, reading_of
    from nanobot_memory_plugins.core.text.relative_dates.ahead import DayAhead, days_ahead
    from nanobot_memory_plugins.core.text.relative_dates.calendar import DaySpan
    from nanobot_memory_plugins.core.text.relative_dates.phrases import dated_phrases
    from nanobot_memory_plugins.core.text.relative_dates.standing_terms import names_standing_term
    from nanobot_memory_plugins.core.text.requests import VERB
    from nanobot_memory_plugins.core.text.sentences import sentence_ends, sentence_marks, sentence_spans, sentences_of
    from nanobot_memory_plugins.core.text.statement_terms import terms_of
    from nanobot_memory_plugins.core.text.stems import stem
    from nanobot_memory_plugins.core.text.support import Objection, Support
    from nanobot_memory_plugins.core.text.telling import only_asks, only_jokes, only_requests, only_supposes
    from nanobot_memory_plugins.core.text.time_bounds import bound_of, local_moment, moment_of
    from nanobot_memory_plugins.core.text.warm_up import WARM_UP_MESSAGES
    from nanobot_memory_plugins.core.text.wishes import asks_for_advice, holds_wish, wants_advice
    from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words, any_of
    from nanobot_memory_plugins.core.text.worked_on import without_worked_on

__getattr__ = lazy_names(
    __name__,
    {
        "acknowledgements": ("is_acknowledgement",),
        "acts": ("Act", "Clause", "clauses_of", "ends_as_question"),
        "attribution": ("UserAttribution",),
        "authored": ("authored_text", "text_to_assistant"),
        "calendar": (
            "AMBIGUOUS_MONTHS",
            "CHINESE_WEEK",
            "CHINESE_WEEKDAY",
            "CHINESE_WEEKDAY_NAME",
            "CHINESE_WEEKDAYS",
            "FULL_WEEKDAY",
            "MONTHS",
            "MONTH_NAME",
            "MONTH_NUMBERS",
            "SHORT_MONTH",
            "SHORT_WEEKDAY",
            "WEEKDAYS",
            "WEEKDAY_NUMBERS",
        ),
        "changes": ("tells_change",),
        "clauses": ("fold", "phrases_of", "without_quoted"),
        "constraints": ("ConstraintTopic", "is_own_constraint", "tells_constraint", "topic_of"),
        "conversation": (
            "GAP",
            "as_spoken",
            "dated",
            "dominant_language",
            "excerpt",
            "message_time",
            "own_words",
            "render",
            "said",
        ),
        "empty_templates": ("is_empty_template",),
        "evidence": ("Evidence", "is_refusal", "says_nothing", "terms", "without_thoughts"),
        "general_questions": ("is_general_question",),
        "inventions": ("asks_to_invent",),
        "languages": ("LanguageRules", "OrderRule", "languages_of"),
        "markdown": ("LINE_BREAKS", "clean", "clean_markdown", "one_line"),
        "off_record": ("takes_back",),
        "overviews": ("overview_subject",),
        "period_questions": ("PeriodQuestion", "Speaker", "period_question", "named_period"),
        "names": ("names_in", "share_a_name"),
        "negation": ("denies", "negations", "without_negations"),
        "non_answers": ("knows_nothing", "tells_besides"),
        "numbers": ("ENGLISH_NUMBERS", "chinese_number"),
        "pleasantries": ("is_pleasantry",),
        "profile": ("profile_text",),
        "telling": ("only_asks", "only_jokes", "only_requests", "only_supposes"),
        "opposites": ("ANOTHER_IN", "RELATION_ZH", "RELATIVES"),
        "imagined": ("apart_from_conditions",),
        "quotations": ("QuotePlace", "QuotedConversation"),
        "questions": ("CLOSING", "asks_by_a_word"),
        "reading": ("Reading", "ReadSentence", "message_reading", "reading_of"),
        "warm_up": ("WARM_UP_MESSAGES",),
        "relative_dates.ahead": ("DayAhead", "days_ahead"),
        "relative_dates.calendar": ("DaySpan",),
        "relative_dates.phrases": ("dated_phrases",),
        "relative_dates.standing_terms": ("names_standing_term",),
        "requests": ("VERB",),
        "sentences": ("sentence_ends", "sentence_marks", "sentence_spans", "sentences_of"),
        "statement_terms": ("terms_of",),
        "stems": ("stem",),
        "support": ("Objection", "Support"),
        "time_bounds": ("bound_of", "local_moment", "moment_of"),
        "wishes": ("asks_for_advice", "holds_wish", "wants_advice"),
        "words": ("LazyPattern", "Word", "Words", "any_of"),
        "worked_on": ("without_worked_on",),
    },
)

__all__ = [
    "AMBIGUOUS_MONTHS",
    "ANOTHER_IN",
    "CHINESE_WEEK",
    "CHINESE_WEEKDAY",
    "CHINESE_WEEKDAYS",
    "CHINESE_WEEKDAY_NAME",
    "CLOSING",
    "ENGLISH_NUMBERS",
    "FULL_WEEKDAY",
    "GAP",
    "LINE_BREAKS",
    "MONTHS",
    "MONTH_NAME",
    "MONTH_NUMBERS",
    "RELATION_ZH",
    "RELATIVES",
    "SHORT_MONTH",
    "SHORT_WEEKDAY",
    "VERB",
    "WARM_UP_MESSAGES",
    "WEEKDAYS",
    "WEEKDAY_NUMBERS",
    "Act",
    "Clause",
    "ConstraintTopic",
    "DayAhead",
    "DaySpan",
    "Evidence",
    "LanguageRules",
    "LazyPattern",
    "Objection",
    "OrderRule",
    "PeriodQuestion",
    "QuotePlace",
    "QuotedConversation",
    "ReadSentence",
    "Reading",
    "Speaker",
    "Support",
    "UserAttribution",
    "Word",
    "Words",
    "any_of",
    "apart_from_conditions",
    "as_spoken",
    "asks_by_a_word",
    "asks_for_advice",
    "asks_to_invent",
    "authored_text",
    "bound_of",
    "chinese_number",
    "clauses_of",
    "clean",
    "clean_markdown",
    "dated",
    "dated_phrases",
    "days_ahead",
    "denies",
    "dominant_language",
    "ends_as_question",
    "excerpt",
    "fold",
    "holds_wish",
    "is_acknowledgement",
    "is_empty_template",
    "is_general_question",
    "is_own_constraint",
    "is_pleasantry",
    "is_refusal",
    "knows_nothing",
    "languages_of",
    "local_moment",
    "message_reading",
    "message_time",
    "moment_of",
    "named_period",
    "names_in",
    "names_standing_term",
    "negations",
    "one_line",
    "only_asks",
    "only_jokes",
    "only_requests",
    "only_supposes",
    "overview_subject",
    "own_words",
    "period_question",
    "phrases_of",
    "profile_text",
    "reading_of",
    "render",
    "said",
    "says_nothing",
    "sentence_ends",
    "sentence_marks",
    "sentence_spans",
    "sentences_of",
    "share_a_name",
    "stem",
    "takes_back",
    "tells_besides",
    "tells_change",
    "tells_constraint",
    "terms",
    "terms_of",
    "text_to_assistant",
    "topic_of",
    "wants_advice",
    "without_negations",
    "without_quoted",
    "without_thoughts",
    "without_worked_on",
]
