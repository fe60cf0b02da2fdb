import string
from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from tests.redaction.shapes import cn_id, iban, luhn, pick
from tests.support.each import each


@each(
    "address",
    [
        "ann@example.org",
        "zhang_san88@mail.acme-labs.io",
        "o.k+tag@univ.edu.cn",
        "x%y@a-b.co",
        "first.last@sub.dom.museum",
    ],
)
def test_an_address_is_hidden(address):
    assert redact_text(f"From: {address}\nSubject: x") == "From: [EMAIL]\nSubject: x"
    assert redact_text(f"(see <{address}>, please)") == "(see <[EMAIL]>, please)"
    assert redact_text(f"write to {address}.") == "write to [EMAIL]."


@each(
    "number",
    [
        "13912345678",
        "139-1234-5678",
        "+86 139 1234 5678",
        "+1 415 555 2671",
        "+14155552671",
        "(415) 555-2671",
        "415-555-2671",
        "+44 20 7946 0958",
        "+49 (0)30 901820",
    ],
)
def test_a_telephone_number_is_hidden(number):
    assert redact_text(f"call {number} today") == "call [PHONE] today"


def test_a_landline_is_hidden_beside_its_word():
    assert redact_text("电话：010-12345678") == "电话：[PHONE]"
    assert redact_text("tel: 0171 9876543") == "tel: [PHONE]"


def test_cards_need_the_check_digit():
    random = Random(1)
    for start, size in (("4", 16), ("55", 16), ("2221", 16), ("37", 15), ("6011", 16), ("6222", 16), ("6217", 19)):
        card = luhn(start + pick(random, string.digits, size - 1 - len(start)))
        wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
        assert redact_text(f"paid by card {card} on Monday") == "paid by card [CARD] on Monday"
        assert redact_text(f"paid by reference {wrong} on Monday") == f"paid by reference {wrong} on Monday"
    grouped = luhn("4" + pick(random, string.digits, 14))
    spaced = " ".join(grouped[i : i + 4] for i in range(0, 16, 4))
    assert redact_text(f"card {spaced} exp 12/29") == "card [CARD] exp 12/29"


def test_chinese_identity_numbers_need_date_and_check_digit():
    random = Random(2)
    for _ in range(20):
        number = cn_id(random)
        assert redact_text(f"身份证号:{number}") == "身份证号:[ID_NUMBER]"
        assert redact_text(f"见{number}。") == "见[ID_NUMBER]。"
        wrong = number[:17] + ("1" if number[17] != "1" else "2")
        assert redact_text(f"no {wrong} there") == f"no {wrong} there"


def test_ibans_need_the_check_digits():
    random = Random(3)
    number = iban(random)
    spaced = " ".join(number[i : i + 4] for i in range(0, len(number), 4))
    assert redact_text(f"IBAN {number} BIC DEUTDEFF") == "IBAN [IBAN] BIC DEUTDEFF"
    assert redact_text(f"IBAN {spaced} BIC DEUTDEFF") == "IBAN [IBAN] BIC DEUTDEFF"
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert redact_text(f"ref {wrong} x") == f"ref {wrong} x"


def test_other_identity_numbers_are_hidden_beside_their_words():
    assert redact_text("SSN: 380-57-1218 (verified)") == "SSN: [ID_NUMBER] (verified)"
    assert redact_text("passport number: E12345678") == "passport number: [ID_NUMBER]"
    assert redact_text("护照号：E12345678，有效") == "护照号：[ID_NUMBER]，有效"
    assert "000-57-1218" in redact_text("part 000-57-1218")


@each(
    ("name", "number"),
    [
        ("香港身份證 ", "E428816(9)"),
        ("身分證：", "I281615255"),
        ("個人番号（マイナンバー）は ", "301602133370"),
        ("주민번호 ", "791217-1673963"),
        ('{"rrn": "', "720928-2332816"),
        ('{"sin": "', "491-026-977"),
        ("Tax File Number: ", "493 233 744"),
        ("NIR ", "1 75 11 51 881 205 61"),
        ("Steueridentifikationsnummer ", "29748025813"),
        ("NI no ", "WW 99 86 55 A"),
        ("PAN card ", "WYAPH9608Z"),
        ("aadhaar no ", "7497 2325 0071"),
        ("NIF/DNI del solicitante: ", "84490491Z"),
        ("CURP ", "GOMC850101HDFLRN08"),
        ("RUT: ", "12.345.678-K"),
        ("CUIL ", "20-12345678-6"),
        ("codice fiscale ", "RSSMRA85T10A562S"),
        ("personnummer ", "850709-9805"),
        ("AHV-Nr. ", "756.9217.0769.85"),
        ("TC kimlik no ", "10000000146"),
        ("СНИЛС ", "112-233-445 95"),
        ("паспорт ", "45 08 123456"),
        ("MyKad ", "850709-14-5123"),
        ("Emirates ID ", "784-1985-1234567-1"),
    ],
)
def test_the_number_that_a_state_gives_a_person_is_hidden_behind_its_name(name, number):
    assert redact_text(f"{name}{number} verified") == f"{name}[ID_NUMBER] verified"
    assert redact_text(f"ticket {number} verified") == f"ticket {number} verified"


def test_an_address_in_a_url_gives_way_to_the_password_in_it():
    text = "smtp://bob:" + "Quiet7harbor" + "@mail.example.com:587"
    assert redact_text(text) == "smtp://bob:[REDACTED]@mail.example.com:587"
    assert [finding.kind for finding in Redactor().findings(text)] == ["url_password"]


@each(
    "text",
    [
        "Apple Support: 1-800-275-2273, open 8am to 8pm.",
        "招商银行信用卡客服热线 400-820-5555，24小时人工服务。",
        "our service line 0800 330 1000 is free, 客服專線 0800-023-123",
        "UID:c0f9d0eb-f495-4921-8c8f-74a02f23f361@calendar.acme-labs.io",
        "write to support@tools.acme-labs.io or noreply@acme-labs.io",
    ],
)
def test_numbers_and_addresses_of_services_are_nobodys_own(text):
    assert redact_text(text) == text


@each(
    ("text", "address"),
    [
        ("First name: Hannah\nStreet: {}\nCity: Freiburg", "Lindenstraße 48"),
        ('{{"address": {{"street": "{}", "city": "Rio"}}}}', "Rua Voluntários da Pátria 310, ap 902"),
        ("ADR;TYPE=HOME:;;{};København;;2200;Denmark", "Nørrebrogade 112, 3. tv"),
        ("Ship to\nNicole Fraser\n{}\nPayment: card", "88 W Burton Pl Unit 17C\nChicago, IL 60610"),
        ("send it to Ingrid Halloran, {}. She's home", "27 Tanyard Lane, Alresford, Hampshire SO24 9JD"),
        ("月餅寄到這裡：{} ，中秋前要到", "台中市北屯區崇德路二段 318 巷 7 號 5 樓之 2"),
        ("生日禮物寄到這：{}，收件人陳小姐", "台北市大安區和平東路二段106號5樓之3"),
    ],
)
def test_the_street_of_a_form_a_card_or_an_answer_is_hidden(text, address):
    assert redact_text(text.format(address)) == text.format("[ADDRESS]")
    assert redact_text("Street: a long one\nAddress: 10.0.0.1\naddress: 0x7f31 free") == (
        "Street: a long one\nAddress: 10.0.0.1\naddress: 0x7f31 free"
    )


@each(
    "number",
    ["0152 338 71 904", "029 2018 4467", "021 884 6130", "04931 55 8206", "oh seven seven double oh four one six"],
)
def test_a_number_that_begins_with_the_zero_of_its_area_is_hidden(number):
    assert redact_text(f"her mobile: {number}, after lunch") == "her mobile: [PHONE], after lunch"
    assert redact_text("order 04931 55 8206 came") == "order 04931 55 8206 came"
