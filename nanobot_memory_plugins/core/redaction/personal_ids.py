"""Numbers that name a person to a hospital, an insurer or a border, behind the words that say what they are."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction.rows import Row, RowRules
from nanobot_memory_plugins.core.redaction.rules import ID_NUMBER, RANK_PERSONAL

_LINK = (
    r"[\"')]{0,2}[- ]{0,2}\(?(?:number|nummer|n[uú]m[ée]ro|no\.?|nr\.?|num\.?|n[º°]\.?|\#|id|号码?|號碼?|番号"
    r"|번호)?(?:['’]s)?[\"')]{0,2}[ ]{0,3}(?:[:=#是为為は]|is|was|—|-)?[ ]{0,3}[\"'(]?"
)
_END = r"(?![A-Za-z0-9]|[.-][0-9])"
_MIXED = r"(?P<secret>(?=[A-Z0-9 -]{0,14}[0-9])[A-Z0-9]+(?:-[A-Z0-9]+){0,4})"


def _is_number(found: str) -> bool:
    """Tell whether ``found`` has the digits that such a number has, and is no date."""
    digits = sum(char.isdigit() for char in found)
    plain = re.sub(r"[ .-]", "", found)
    return 5 <= len(plain) <= 16 and digits >= 3 and not re.fullmatch(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}", found)


def _is_passport(found: str) -> bool:
    plain = found.replace(" ", "")
    return 6 <= len(plain) <= 10 and sum(char.isdigit() for char in plain) >= 2 and plain.upper() == plain


IDS = RowRules(
    "id_number",
    (
        Row(
            ("mrn", "medical record", "patient", "chart n", "hospital n", "health record", "case n"),
            rf"(?<![a-z])(?:mrn|medical[ ]record|(?:patient(?:en)?|hospital)[- ]?(?:id|number|nummer|nr"
            rf"|no\.?|file|record)"
            rf"|chart[ ](?:number|no\.?)"
            rf"|health[ ]record){_LINK}{_MIXED}{_END}",
            "MRN: «00482913», seen on Tuesday",
            "The patient number grew by 12 last year",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            (
                "病历",
                "病歷",
                "病案",
                "就诊",
                "就診",
                "住院号",
                "住院號",
                "门诊号",
                "医保",
                "醫保",
                "社保",
                "健保",
                "诊疗卡",
                "挂号",
            ),
            r"(?:病[历歷]|病案|就[诊診]卡?|住院|门诊|门急诊|[医醫]保卡?|社保卡?|健保卡?|诊疗卡|挂号)"
            r"(?:号码?|號碼?|编号|卡号)[ ]{0,2}(?:[:=是为為])?[ ]{0,2}"
            r"(?P<secret>[A-Z0-9](?:[ -]?[A-Z0-9]){4,19})(?![A-Za-z0-9])",
            "病历号：«0048291377»，周二复诊",
            "住院号要写 6 位",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            (
                "medicare",
                "medicaid",
                "mbi",
                "health card",
                "health insurance",
                "insurance id",
                "member id",
                "policy n",
                "ohip",
            ),
            r"(?<![a-z])(?:medicare|medicaid|mbi|ohip|health[ ](?:card|insurance)|(?:insurance|insurer|plan"
            r"|subscriber)[ ](?:id|member[ ]id)"
            r"|(?:insurance[ ]|health[ ]|my[ ])member[ ]id|insurance[ ]policy)"
            rf"(?:[ ](?:number|no\.?|id|card))?{_LINK}(?P<secret>[A-Z0-9]{{4}}-[A-Z0-9]{{3}}-[A-Z0-9]{{4}}"
            rf"|[0-9]{{4}}[ ][0-9]{{5}}[ ][0-9]"
            rf"|[0-9]{{4}}[ -][0-9]{{3}}[ -][0-9]{{3}}(?:[ -][A-Z]{{2}})?|(?=[A-Z0-9]{{0,12}}[0-9]{{3}})"
            rf"[A-Z0-9]{{8,14}})"
            rf"{_END}",
            "my Medicare number is «1EG4-TE5-MK73»",
            "Medicare covers 80 percent of 2025-01-01",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            (
                "kvnr",
                "krankenversich",
                "versicherten",
                "krankenkasse",
                "gesundheitskarte",
                "carte vitale",
                "tessera sanitaria",
                "sozialversicherung",
            ),
            r"(?<![a-z])(?:kvnr|krankenversicher(?:ung|ten)s?-?(?:nummer|nr\.?)|versicherten-?(?:nummer"
            r"|nr\.?|id)|krankenkassen-?(?:nummer|nr\.?)"
            r"|gesundheitskarte|carte[ ]vitale|tessera[ ]sanitaria|sozialversicherungs-?(?:nummer|nr\.?))"
            rf"{_LINK}(?:ist[ ]|lautet[ ])?(?P<secret>[A-Z][0-9]{{9}}"
            rf"|[0-9]{{2}}[ ]?[0-9]{{6}}[ ]?[A-Z][ ]?[0-9]{{3}}|[12][0-9 ]{{12,20}}[0-9]|[0-9]{{10,16}}"
            rf"|[0-9]{{4}}[ ][0-9]{{6}}){_END}",
            "KVNR: «A123456780», gesetzlich",
            "Die Krankenversicherung kostet 2025 mehr",
            None,
            ID_NUMBER,
        ),
        Row(
            (
                "passport",
                "passnummer",
                "pass-nr",
                "reisepass",
                "passeport",
                "pasaporte",
                "passaporte",
                "passaporto",
                "护照",
                "護照",
                "旅券",
                "パスポート",
                "여권",
                "паспорт",
            ),
            r"(?<![a-z])(?:passport|passnummer|pass-?nr\.?|reisepass|passeport|pasaporte|passaport[eo]|护照|護照|旅券"
            r"|パスポート|여권|паспорт)"
            rf"{_LINK}(?:ist[ ]|lautet[ ]|est[ ]|es[ ])?(?-i:(?P<secret>[A-Z0-9]{{1,3}}[ ]?[A-Z0-9]{{5,8}})){_END}",
            "Passport No.: «C01X2ZYLT»",
            "passport renewal in 2026",
            _is_passport,
            ID_NUMBER,
        ),
        Row(
            ("licen", "führerschein", "permis de conduire", "驾驶证", "驾照", "駕照", "運転免許"),
            r"(?<![a-z])(?:driver['’]?s?[ ]licen[cs]e|driving[ ]licen[cs]e|führerschein|permis[ ]de[ ]conduire"
            r"|驾驶证|驾照|駕照|運転免許証?)"
            rf"{_LINK}(?-i:(?P<secret>(?=[A-Z0-9 -]{{0,10}}[0-9]{{2}})[A-Z0-9]{{2,}}(?:[ -]?[A-Z0-9]+){{0,4}})){_END}",
            "driver's license number: «D1234567»",
            "my driving license expires in 2031",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            (
                "bsn",
                "ssn",
                "nino",
                "dni",
                "nif",
                "nie",
                "cpf",
                "pesel",
                "tfn",
                "ahv",
                "curp",
                "personnummer",
                "steuer-id",
            ),
            r"(?<![a-z])(?:bsn|ssn|nino|dni|nif|nie|cpf|pesel|tfn|ahv|curp|personnummer|steuer-id)[ ](?:van|of"
            r"|for|de|du|von"
            rf"|für|del|da|do|di|av)(?:[ ][^\W\d_]{{1,20}}){{1,2}}[ ]?[:=][ ]?{_MIXED}{_END}",
            "BSN van Joris: «462357983» (school)",
            "BSN van Joris: komt later",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            ("nric", "fin no", "fin:"),
            r"(?<![a-z])(?:nric(?:[ ]?/[ ]?fin)?|fin)(?:[ ]no\.?)?[ ]?[:=#][ ]?(?P<secret>[STFGM][0-9]{7}[A-Z])"
            r"(?![A-Za-z0-9])",
            "NRIC/FIN: «S0918545C»",
            "FIN: 12 pages",
            None,
            ID_NUMBER,
        ),
        Row(
            ("sin for", "sin of", "sin is"),
            r"(?<![a-z])sin(?:[ ](?:for|of)[^\n]{1,30}?)?[ ]is[ ](?P<secret>[0-9]{3}([ -]?)[0-9]{3}\2[0-9]{3})"
            r"(?![0-9-])",
            "SIN for the T4 slip is «534 078 688» and the address changed",
            "the sin of 2024 is pride",
            None,
            ID_NUMBER,
        ),
        Row(
            ("doc_", "document_", "doctype", "documenttype"),
            r"\"doc(?:ument)?_?type\"[ ]?:[ ]?\"(?:passport|id_?card|driv[a-z_]{2,16}|residence_permit)\"[^{}\n]{0,80}?"
            r"\"(?:doc(?:ument)?_?)?(?:no|num|number|id)\"[ ]?:[ ]?\"(?P<secret>[A-Z0-9-]{5,20})\"",
            '{"doc_type":"passport","country":"CHN","doc_no":"«EJ9267348»"}',
            '{"doc_type":"invoice","doc_no":"EJ9267348"}',
            _is_number,
            ID_NUMBER,
        ),
        # An account number by its label alone is long; beside a bank's name it may be short.
        Row(
            ("账", "帐", "帳", "賬"),
            r"[账帐帳賬][号號户戶](?:号码?|號碼?|号)?[ ]{0,2}[:=是为為]?[ ]{0,2}"
            r"(?P<secret>[0-9](?:[ -]?[0-9]){12,20})(?![A-Za-z0-9]|-[0-9])",
            "账号 «4000535517439734662»，备注写合同号",
            "账号 10 位以上才有效",
            None,
            ID_NUMBER,
        ),
        Row(
            (
                "银行",
                "銀行",
                "支行",
                "分行",
                "开户",
                "開戶",
                "对公",
                "對公",
                "转账",
                "轉帳",
                "汇款",
                "匯款",
                "信用社",
                "邮储",
                "打款",
            ),
            r"(?:银行|銀行|支行|分行|开户|開戶|[对對]公|[转轉][账帳]|[汇匯]款|信用社|邮储|打款)"
            r"(?>[^\n]{0,40}?(?:[账帐帳賬][号號户戶])(?:号码?|號碼?|号)?[ ]{0,2}[:=是为為]?[ ]{0,2}(?=[0-9]))"
            r"(?P<secret>[0-9](?:[ -]?[0-9]){7,20})(?![A-Za-z0-9]|-[0-9])",
            "玉山銀行帳號 «0123-456-789012»，戶名小陳",
            "银行账号 12 位",
            None,
            ID_NUMBER,
        ),
    ),
    rank=RANK_PERSONAL,
)
