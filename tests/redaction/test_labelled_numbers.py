"""Numbers of documents, insurances, patients and accounts are known by what they belong to, in sentences and tables."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

TOLD = (
    "passport number of my daughter «C4J5T1K9L»",
    "Personalausweis Nr. «T220001293»",
    "Rentenversicherungsnummer: «65 170839 J 003»",
    "Insurance policy no. «HV-2291-88301»",
    "tax number «21/815/08150», Finanzamt Nord",
    "residence permit «YA1234567» until 2027",
    "visa number «F01234567»",
    "routing «021000021» account «000123456789»",
    "台胞證號 «01234567»",
    "就诊号 «10023948»，周二",
    "| 姓名 | 身份证号 |\n|---|---|\n| 王芳 | «F12345678901» |",
    "| 同事 | 身分證字號 |\n|---|---|\n| 林怡君 | «B247485409» |",
    "| Guest | Passport no. | Room |\n|---|---|---|\n| Ana | «XR4471920» | 201 |",
    "name,patient id,ward\nMeyer,«PT-449120»,3\nKoch,«PT-449121»,4",
    '{"columns": ["name", "passport_no"], "rows": [["Ana", "«XR4471920»"]]}',
    "<table><tr><th>Guest</th><th>Passport no.</th></tr><tr><td>Ana</td><td>«XR4471920»</td></tr></table>",
    "病历号：«0048291377»，周二复诊",
    "my Medicare number is «1EG4-TE5-MK73»",
    "KVNR: «A123456780», gesetzlich",
    "driver's license number: «D1234567»",
    "BSN van Joris: «462357983» (school)",
    "NRIC/FIN: «S0918545C»",
    "账号 «4000535517439734662»，备注写合同号",
    "玉山銀行帳號 «0123-456-789012»，戶名小陳",
    "passport for check-in: «C01X7K4N2», valid till 2031",
    "Routing (ABA): «026061379»\nReference: Invoice 5512",
    "錢轉到這個戶口就可以：恒生 «024-388-417265-882»，收款人是陳小姐",
    "扣款帳號：台新銀行 «2019-10-0048317-2»",
    "INSERT INTO `patients` (`id`,`name`,`kvnr`) VALUES (71,'Gerda','«T482910373»');",
)
OTHER_NUMBERS = (
    "the visa application takes 3000 words",
    "passport renewal on 2026-03-14",
    "card 4 of 12, library card 20 euros",
    "身份证号：330106********2417（已核验）",
    "Medicare covers 80 percent since 2025-01-01",
    "my bank account grew by 12000 in 2024",
    "| Policy | Version |\n|---|---|\n| retention | 12 |",
    "住院号要写 6 位",
    "Medicare covers 80 percent of 2025-01-01",
    "Die Krankenversicherung kostet 2025 mehr",
    "my driving license expires in 2031",
    "BSN van Joris: komt later",
    "FIN: 12 pages",
    "账号 10 位以上才有效",
    "银行账号 12 位",
    "PO 7100239846, drawing 118-44-0093 rev C, delivery week 23",
)


@each("text", TOLD)
def test_a_number_behind_what_it_belongs_to_goes(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[ID_NUMBER]", text) or (
        redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)
    )


@each("text", OTHER_NUMBERS)
def test_another_number_stays(text):
    assert redact_text(text) == text
