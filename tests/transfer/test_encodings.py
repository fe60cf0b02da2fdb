"""Notes in old encodings of Europe are read in the letters that their writers typed."""

import pytest

from nanobot_memory_plugins.core.transfer.formats.encodings import decoded
from tests.support.each import each

CENTRAL = [
    "Spotkanie w Łodzi: zdecydowaliśmy, że wdrożenie będzie w piątek, a serwer stoi w piwnicy.",
    "Schůzka v Brně: příští týden přijede Jiří, klíče jsou u Žofie.",
    "Az értekezlet Győrben lesz, a kulcsok a konyhában vannak, őszibarack kell.",
    "Întâlnirea este mâine după-amiază, ştiţi că maşina e în faţă.",
    "Sastanak je sutra u Šibeniku, ključevi su kod Đure i Željka.",
    "Schôdza je v Košiciach, kľúče má Ľubica, vlak ide o šiestej.",
    "Łukasz lubi herbatę.",
]
WESTERN = [
    "A reunião é amanhã à tarde, não há café na cozinha. Opções e decisões.",
    "Réunion à Genève: l'équipe a décidé de déménager en août, c'est déjà signé.",
    "Die Schlüssel für das Büro liegen in der Küche, größere Pakete im Keller.",
    "El niño nació en España. ¿Qué? ¡Sí!",
    "Mötet är på måndag i Göteborg, kaffet är gratis.",
    "Perché è già così: più caffè, ma giovedì no.",
    "Møtet er på søndag, Åse får nøkkelen.",
    "Sõber tuleb õhtul, võta jäätist ja küünlad.",
    "Fundurinn er á föstudaginn, það þarf að kaupa mjólk og brauð.",
    "10 m³ of water at 30 °C cost £5 – naïve café",
    "El año",
]


@each("text", CENTRAL)
@each("encoding", ["cp1250", "iso8859_2"])
def test_central_european_notes_keep_their_letters(text: str, encoding: str) -> None:
    page = f"# Notes\n\n{text}\n"
    assert decoded(page.encode(encoding))[0] == page


@each("text", WESTERN)
def test_western_notes_are_not_taken_for_central_european_ones(text: str) -> None:
    page = f"# Notes\n\n{text}\n"
    assert decoded(page.encode("cp1252")) == (page, "Latin-1 (Windows-1252)")


@pytest.mark.parametrize(
    "text",
    [
        "10 m² of floor, 38 €; café next door: naïve façade, 38 €",
        "Ma sœur a un bœuf bourguignon au cœur, 12 € l'été.",
        "Größe 42 kostet 38 €.",
        "Un café, 3 €",
        "Õhtul on žürii, šokolaad maksab 3 €.",
    ],
)
def test_western_notes_of_unix_keep_the_sign_of_the_euro_and_joined_letters(text: str) -> None:
    page = f"# Notes\n\n{text}\n"
    assert decoded(page.encode("iso8859_15")) == (page, "Latin-9 (ISO 8859-15)")


@pytest.mark.parametrize(
    "text", ["1½ tasse de crème fraîche, ¼ de thé", "3¾ Pfund Äpfel", "Le prix: 38 € et c'est déjà payé"]
)
def test_fractions_and_the_euro_of_windows_are_no_letters_of_unix(text: str) -> None:
    page = f"# Notes\n\n{text}\n"
    assert decoded(page.encode("cp1252")) == (page, "Latin-1 (Windows-1252)")


def test_the_name_of_the_encoding_says_where_it_is_written() -> None:
    assert decoded(CENTRAL[1].encode("cp1250"))[1] == "Windows-1250 (Central European)"


def test_russian_is_not_taken_for_european() -> None:
    page = "Встреча в пятницу, ключи у Ивана на кухне.\n"
    assert decoded(page.encode("cp1251"))[0] == page
