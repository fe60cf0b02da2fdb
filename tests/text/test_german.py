"""German, by its file alone: orders, dates, negation and small talk, and how much recall a message gets."""

from datetime import date, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.commands.orders import Command, OrderKind, commands_in
from nanobot_memory_plugins.core.text import clauses_of, dated_phrases, days_ahead, is_pleasantry
from nanobot_memory_plugins.core.text.days import DaySpan
from nanobot_memory_plugins.core.text.negation import negations
from nanobot_memory_plugins.core.text.relative_dates import relative_spans
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier, is_small_talk
from tests.support.each import each

pytestmark = pytest.mark.leaving

ORDERS = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parents[1] / "data" / "german_orders.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
LOOK_ALIKES = [said for said, kept in ORDERS if kept == "-"]
# Look-alikes that may be mistaken.
MOST_MISTAKEN = 1


@each(("said", "kept"), [one for one in ORDERS if one[1] != "-"])
def test_what_is_said_to_be_remembered_is_kept(said: str, kept: str):
    assert commands_in(said) == [Command(OrderKind.REMEMBER, kept)]


def test_hardly_anything_that_looks_like_an_order_is_mistaken_for_one():
    assert len(LOOK_ALIKES) >= 60
    mistaken = [said for said in LOOK_ALIKES if commands_in(said)]
    assert len(mistaken) <= MOST_MISTAKEN, mistaken


@each(
    ("said", "order"),
    [
        ("Ich wohne jetzt in Bremen. Merk dir das bitte!", Command(OrderKind.REMEMBER, "Ich wohne jetzt in Bremen")),
        ("Merk dir das bitte für später!", Command(OrderKind.REMEMBER)),
        (
            "Merk dir: Ich esse kein Fleisch. Fisch geht aber. Schreib mir jetzt einen Einkaufszettel.",
            Command(OrderKind.REMEMBER, "Ich esse kein Fleisch. Fisch geht aber"),
        ),
        (
            "Merk dir, dass Anna am 12. Oktober Geburtstag hat.",
            Command(OrderKind.REMEMBER, "Anna am 12. Oktober Geburtstag hat"),
        ),
        ("Vergiss bitte, dass ich in Köln wohne.", Command(OrderKind.FORGET, "ich in Köln wohne")),
        ("Vergiss meine alte Adresse.", Command(OrderKind.FORGET, "meine alte Adresse")),
    ],
)
def test_what_an_order_means(said: str, order: Command):
    assert commands_in(said) == [order]


@pytest.mark.parametrize("said", ["Vergiss alles.", "Vergiss bitte alles über mich.", "Vergiss es."])
def test_nothing_is_forgotten_by_what_means_too_much(said: str):
    assert commands_in(said) == []


# Thursday, the last day of a year; the Monday before is 28 December, that of the next week 4 January.
NEW_YEARS_EVE = date(2026, 12, 31)
# Friday, the first day of a year.
NEW_YEAR = date(2027, 1, 1)


def days(first: str, last: str = "") -> DaySpan:
    return DaySpan(date.fromisoformat(first), date.fromisoformat(last or first))


@each(
    ("said", "today", "span"),
    [
        ("Heute war ich in Ulm.", NEW_YEAR, days("2027-01-01")),
        ("Gestern war ich in Ulm.", NEW_YEAR, days("2026-12-31")),
        ("Gestern Abend war ich in Ulm.", date(2028, 3, 1), days("2028-02-29")),
        ("Vorgestern war ich in Ulm.", NEW_YEAR, days("2026-12-30")),
        ("Vor drei Tagen war ich in Ulm.", NEW_YEAR, days("2026-12-29")),
        ("Vor 14 Tagen war ich in Ulm.", NEW_YEAR, days("2026-12-18")),
        ("Vor einer Woche war ich in Ulm.", NEW_YEAR, days("2026-12-22", "2026-12-28")),
        ("Letzte Woche war ich in Ulm.", NEW_YEAR, days("2026-12-21", "2026-12-27")),
        ("Vorletzte Woche war ich in Ulm.", NEW_YEAR, days("2026-12-14", "2026-12-20")),
        ("Diese Woche war ich in Ulm.", NEW_YEAR, days("2026-12-28", "2027-01-03")),
        ("Letztes Wochenende war ich in Ulm.", NEW_YEAR, days("2026-12-26", "2026-12-27")),
        ("Letzten Monat war ich in Ulm.", NEW_YEAR, days("2026-12-01", "2026-12-31")),
        ("Letztes Jahr war ich in Ulm.", NEW_YEAR, days("2026-01-01", "2026-12-31")),
        ("Letzten Freitag war ich in Ulm.", NEW_YEAR, days("2026-12-25")),
        ("Am Mittwoch war ich in Ulm.", NEW_YEAR, days("2026-12-30")),
        ("Letzte Woche Freitag war ich in Ulm.", NEW_YEAR, days("2026-12-25")),
        ("Freitag letzter Woche war ich in Ulm.", NEW_YEAR, days("2026-12-25")),
        ("Die letzten 2 Wochen war ich in Ulm.", NEW_YEAR, days("2026-12-18", "2027-01-01")),
        ("Diesen Montag war ich in Ulm.", NEW_YEAR, days("2026-12-28")),
        ("In den letzten drei Tagen war ich in Ulm.", NEW_YEAR, days("2026-12-29", "2027-01-01")),
    ],
)
def test_days_that_are_past(said: str, today: date, span: DaySpan):
    assert relative_spans(said, datetime(today.year, today.month, today.day, 12)) == (span,)


@each(
    ("said", "today", "span"),
    [
        ("Morgen muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-01")),
        ("Morgen früh muss ich nach Ulm.", date(2028, 2, 28), days("2028-02-29")),
        ("Übermorgen muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-02")),
        ("Uebermorgen muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-02")),
        ("In zwei Wochen muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-14")),
        ("In einem Monat muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-31")),
        ("In drei Tagen muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-03")),
        ("Nächste Woche muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-04", "2027-01-10")),
        ("Übernächste Woche muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-11", "2027-01-17")),
        ("Nächsten Monat muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-01", "2027-01-31")),
        ("Nächstes Jahr muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-01", "2027-12-31")),
        ("Kommenden Freitag muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-01")),
        ("Naechsten Freitag muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-08")),
        ("Übernächsten Freitag muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-15")),
        ("Freitag nächster Woche muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-08")),
        ("Nächste Woche am Freitag muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-08")),
        ("Nächstes Wochenende muss ich nach Ulm.", NEW_YEARS_EVE, days("2027-01-09", "2027-01-10")),
    ],
)
def test_days_to_come(said: str, today: date, span: DaySpan):
    (found,) = days_ahead(said, today)
    assert (found.first, found.day) == (span.start, span.end)
    assert relative_spans(said, datetime(today.year, today.month, today.day, 12)) == ()


@each(
    "said",
    [
        "Guten Morgen, wie war das nochmal mit Ulm?",
        "Ich bin am Morgen meist müde.",
        "Ich habe das in drei Wochen gelernt.",
        "Das steht in der Tageszeitung von Ulm.",
        "Der Freitag ist mein liebster Tag.",
        "Jeden letzten Dienstag des Monats ist Stammtisch.",
    ],
)
def test_what_names_no_day(said: str):
    assert days_ahead(said, NEW_YEAR) == ()
    assert relative_spans(said, datetime(2027, 1, 1, 12)) == ()


def test_a_phrase_is_shown_with_the_day_that_it_meant():
    (phrase,) = dated_phrases("Gestern war ich beim Arzt.", NEW_YEAR)
    assert (phrase.phrase, phrase.first, phrase.last) == ("gestern", date(2026, 12, 31), date(2026, 12, 31))


@each(
    ("said", "is_denied"),
    [
        ("Ich esse kein Fleisch", True),
        ("Ich trinke nicht", True),
        ("Ich war noch nie in Rom", True),
        ("Ich habe keine Geschwister", True),
        ("Niemand von uns raucht", True),
        ("Ich trinke Kaffee ohne Zucker", True),
        ("Wir haben weder Hund noch Katze", True),
        ("Ich hasse Koriander", True),
        ("Ich habe aufgehört zu rauchen", True),
        ("Ich esse Fleisch", False),
        ("Meine Nichte trinkt Tee", False),
        ("Ich mag nicht nur Tee", False),
        ("Das ist doch toll, nicht wahr", False),
        ("Kein Problem, ich warte", False),
        ("Ich war schon in Rom", False),
    ],
)
def test_a_clause_that_denies_is_told(said: str, is_denied: bool):
    (clause,) = clauses_of(said)
    assert clause.denies is is_denied


def test_german_and_english_denials_are_told_in_their_order():
    said = "Ich esse kein Fleisch, never, und trinke nicht"
    assert [found[0].lower() for found in negations(said)] == ["kein", "never", "nicht"]


@each(
    "said",
    [
        "Hallo!",
        "Danke dir!",
        "Guten Morgen",
        "Ok, alles klar, danke.",
        "Vielen Dank, bis morgen!",
        "Ja, genau.",
        "Super, danke schön!",
    ],
)
def test_small_talk_needs_no_memory_and_teaches_nothing(said: str):
    assert is_pleasantry(said)
    assert is_small_talk(said, RecallOptions())


@pytest.mark.parametrize("said", ["Danke, ich heiße Frida.", "Guten Morgen, ich fliege nach Rom.", "Ja, mit Zucker."])
def test_what_says_something_beside_small_talk_is_none(said: str):
    assert not is_pleasantry(said)
    assert not is_small_talk(said, RecallOptions())


@each(
    ("said", "tier"),
    [
        ("Weißt du noch, wo ich parke?", RecallTier.HEAVY),
        ("Was habe ich dir über Anna erzählt?", RecallTier.HEAVY),
        ("Erinnerst du dich an das Rezept?", RecallTier.HEAVY),
        ("Was weißt du über mich?", RecallTier.HEAVY),
        ("Wie heißt meine Schwester?", RecallTier.LIGHT),
        ("Wann hat Anna Geburtstag?", RecallTier.LIGHT),
        ("Wie hoch ist der Eiffelturm?", RecallTier.PROBE),
    ],
)
def test_how_much_recall_a_message_gets(said: str, tier: RecallTier):
    assert decide_tier(said, [], RecallOptions()).tier is tier


def test_who_turns_the_words_of_a_tier_off_turns_them_off_in_each_language():
    options = RecallOptions(explicit_anchors=(), implicit_signals=(), small_talk=())
    assert decide_tier("Weißt du noch, wo das Rezept ist?", [], options).tier is RecallTier.PROBE
    assert not is_small_talk("Danke dir!", options)


def test_a_day_of_a_month_and_a_short_word_end_no_sentence():
    assert sentences_of("Anna hat am 12. Oktober Geburtstag. Ich bzw. Paul kauft z.B. Blumen.") == [
        "Anna hat am 12. Oktober Geburtstag.",
        "Ich bzw. Paul kauft z.B. Blumen.",
    ]
