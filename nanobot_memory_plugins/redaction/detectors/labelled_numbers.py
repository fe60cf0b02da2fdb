"""Numbers of documents, insurances, patients and accounts: a word for what they belong to, and a number's shape.

The words are composed, so that no list has to name every pair of them: ``residence permit no. YA1234567``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import ID_NUMBER, RANK_PERSONAL, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words

# What a number belongs to.
_ENGLISH = (
    r"passport|visa|residence[ ](?:permit|card|title)|work[ ]permit|green[ ]card|travel[ ]document"
    r"|alien[ ]registration"
    r"|(?:national|citizen|personal)[ ](?:id(?:entity|entification)?|number)(?:[ ]card)?|identity[ ](?:card|document)"
    r"|id[ ]card|driv(?:er['’]?s?|ing)[ ]licen[cs]e|driver[ ]licen[cs]e|pilot[ ]licen[cs]e|birth[ ]certificate"
    r"|social[ ](?:security|insurance)|national[ ]insurance|tax(?:payer)?(?:[ ](?:id|identification|file|reference))?"
    r"|pension(?:[ ]insurance)?|(?:[a-z]{2,12}[ ])?insurance(?:[ ](?:card|policy|member|certificate))?|policy"
    r"|policyholder"
    r"|subscriber|patient|hospital|chart|medical(?:[ ](?:record|card|file|aid))?|mrn|health[ ](?:card|record|id|plan)"
    r"|medicare|medicaid|(?:bank|giro|checking|savings|brokerage|current|salary|payroll)[ ]account|account|acct"
    r"|routing|aba|a/c"
    r"|voter"
    r"|military[ ]id|service[ ]number|veteran|benefit|claimant|student|immigration|uscis|case[ ]receipt|beneficiary"
    r"|(?:credit|debit|gift|loyalty|library|membership)[ ]card|ssn|sin|nin|nino|tin|itin|ein|utr|nhs|nric|fin|ic|hkid"
    r"|bsn|dni|nie|nif|cif|cpf|rg|curp|rfc|pesel|cnp|oib|egn|aadhaar|pan|tfn|abn|ahv|svnr|kvnr|siret|rut|cuil|cnic"
    r"|iqama"
    r"|emirates[ ]id|personnummer|fodselsnummer|henkil\u00f6tunnus|codice[ ]fiscale|n\u00famero[ ]de[ ](?:pasaporte"
    r"|cuenta|afiliaci\u00f3n)"
    r"|num[\u00e9e]ro[ ](?:de[ ])?(?:s[\u00e9e]cu(?:rit[\u00e9e][ ]sociale)?|passeport|permis|compte|carte)"
    r"|s[\u00e9e]cu|tessera[ ]sanitaria"
    r"|carte[ ]vitale|seguridad[ ]social"
    r"|[a-z\u00e4\u00f6\u00fc\u00df]{0,16}(?:ausweis|versicherungs?|versicherten|f\u00fchrerschein|reisepass"
    r"|aufenthaltstitel|patienten|renten"
    r"|steuer|konto|mitglieds|krankenkassen?|rekening|polis)-?(?:nummer|nr\.?|id(?:entnummer)?|nr)?"
)
_LABEL = lazy_re(
    rf"(?i)(?<![a-z\u00e4\u00f6\u00fc])(?:{_ENGLISH})(?![a-z\u00e4\u00f6\u00fc])"
    r"(?P<called>[ _]?(?:id|number|num|no\.?|nr\.?|nummer|n[\u00ba\u00b0]|\#|card|code|ref(?:erence)?|identifier"
    r"|registration)(?![a-z])\.?"
    r"(?:[ ](?:number|no\.?|nr\.?))?)?"
    r"(?P<of>(?:[ ](?:of|for|von|van|de|du|f\u00fcr|del)(?:[ ][^\W\d_](?:[^\W\d_]"
    r"|-){0,14}){1,3})?(?:[ ]?\([^()\n]{1,24}\))?)"
    r"[\"'*]{0,3}(?P<link>[ ]{0,3}(?:[:=]|->|→|—|–|-|is|ist|lautet|est|es|was|now|['’]s)[ ]{0,3}"
    r"|[ ]{1,4})[\"'(*#]{0,2}"
)
_CHINESE_FIRST = lazy_re(r"[身护居台回通驾行社医健就诊病住门学军士户统签外纳税保公银储信借账准老残出工]")
_CHINESE_LABEL = lazy_re(
    r"(?i)(?:身[份分]证|护照|居留[证权]|居住证|台胞证|回乡证|通行证|驾驶?证|驾照|行驶证|社保卡?|医保卡?|健保卡?"
    r"|就诊卡?|诊疗卡|病[历案]|住院"
    r"|门诊|学籍|军官证|士兵证|户口本?|统一(?:证|编)|签证|外国人|纳税人|税务?|保单|保险单?|公积金|银行卡|储蓄卡"
    r"|信用卡|借记卡|银行账[号户]|账[号户]|准考证|老年证|残疾证|出生证|工卡)"
    r"(?P<called>(?:的)?(?:识别|登记|证件|受理|持卡)?(?:字?号码?|编号|编码|号|码|卡号))?(?P<of>)[\"'*]{0,3}"
    r"(?P<link>[ ]{0,2}(?:[:=]|是|为)?[ ]{0,2}(?:[\u4e00-\u9fff]{2,8}(?:银行|信用社|支行|分行)[ ]?)?)[\"'(]?"
)
_SHAPE = lazy_re(
    r"(?<![A-Za-z0-9])(?<![0-9]-)(?P<secret>[A-Z]{0,5}[0-9](?:[ ./-]?[0-9]){3,20}(?:[ .-]?[A-Z0-9](?![a-z])){0,6}"
    r"|(?=[A-Z0-9-]{0,18}[0-9][A-Z0-9-]{0,16}[0-9])"
    r"[A-Z0-9]{2,20}(?:-[A-Z0-9]{1,12}){0,4}"
    r"|[A-Z]{2}[ ][0-9]{2}[ ][0-9]{2}[ ][0-9]{2}[ ][A-Z])(?![A-Za-z0-9*\u2022\u25cf]|[.,:/-][0-9]|%)"
)
# A bank's account by its groups, on a line that speaks of paying into it.
_GROUPED_ACCOUNT = lazy_re(r"(?<![0-9A-Za-z-])[0-9]{3,4}(?:-[0-9]{2,6}){2,3}(?![0-9A-Za-z-])")
_PAYS = lazy_re(r"转账|转到|轉到|轉帳|户口|戶口|账户|帳戶|汇款|匯款|收款|打款|wire|transfer|deposit[ ]to")
_FEWEST_GROUPED = 11
_DATE = lazy_re(
    r"(?:19|20)[0-9]{2}[-./ ][0-9]{1,2}(?:[-./ ][0-9]{1,2})?|[0-9]{1,2}[-./][0-9]{1,2}[-./](?:19|20)?[0-9]{2}"
)
NUMBER_CUES = KeywordIndex(
    words(
        "passport visa permit licen certificate security insurance tax pension policy subscriber patient hospital"
        " chart"
        " medical mrn health medicare medicaid account acct a/c routing voter military veteran benefit claimant"
        " student"
        " immigration"
        " uscis receipt beneficiary card ssn sin nin nino tin itin ein utr nhs nric fin hkid bsn dni nie nif cif cpf"
        " curp rfc pesel cnp oib egn aadhaar pan tfn abn ahv svnr kvnr siret rut cuil cnic iqama emirates"
        " personnummer"
        " fodselsnummer henkil\u00f6tunnus codice n\u00famero num\u00e9ro s\u00e9cu tessera vitale seguridad"
        " ausweis versicher f\u00fchrerschein"
        " reisepass aufenthaltstitel patienten renten steuer konto mitglied krankenkasse rekening polis"
        " 身份证 身分证 证 照 保 就诊 病历 病案 住院 门诊 学籍 户口 外国人 税 公积金 银行卡 储蓄卡 信用卡 账"
    )
    | {
        "national id",
        "wire",
        "transfer",
        "转账",
        "转到",
        "汇款",
        "收款",
        "打款",
        "citizen",
        "personal number",
        "identity",
        "id card",
        "green card",
        "travel document",
        "alien",
    }
)
"""Words of which one stands in every text that tells such a number."""
# Of which a short number, or one that stands without a word for a number, says nothing.
_LOOSE = lazy_re(
    r"(?i)(?:account|acct|policy|student|benefit|fin|sin|pan|tin|ein|ic|rg|rut|nie|cif|chart|hospital|patient|visa"
    r"|[a-z ]*insurance|tax|konto|steuer|[a-z]*card|pension|veteran|beneficiary|rfc|polis|voter)\Z"
)
_FEWEST_DIGITS, _FEWEST_LOOSE = 5, 8
_SHORTEST, _LONGEST = 6, 24


_WORD = lazy_re(r"[^\W\d_][^\W\d_'’]*(?:/c)?")
_FIRST_WORDS = words(
    "passport visa residence work green travel alien national citizen personal identity id driver drivers driving"
    " pilot"
    " birth social tax taxpayer pension insurance policy policyholder subscriber patient hospital chart medical mrn"
    " health"
    " medicare medicaid bank giro checking savings brokerage current salary payroll account acct a/c routing voter"
    " military"
    " service veteran benefit claimant student immigration uscis case beneficiary credit debit gift loyalty library"
    " membership ssn sin nin nino tin itin ein utr nhs nric fin ic hkid bsn dni nie nif cif cpf rg curp rfc pesel"
    " cnp oib"
    " egn aadhaar pan tfn abn ahv svnr kvnr siret rut cuil cnic iqama emirates personnummer fodselsnummer"
    " henkil\u00f6tunnus codice n\u00famero num\u00e9ro numero s\u00e9cu tessera carte seguridad driver's driver’s"
)
_COMPOUND = lazy_re(
    r"(?:ausweis|versicher|f\u00fchrerschein|reisepass|aufenthaltstitel|patienten|renten|steuer|konto|mitglieds"
    r"|krankenkasse"
    r"|rekening|polis)"
)
_FARTHEST = 72
_MOST_WORDS = 9


def find_labelled_numbers(text: str, lower: Lowered) -> Iterator[Span]:
    """Find numbers that name a person, behind what they belong to, in the folded ``text``; ``lower`` is the same."""
    if not NUMBER_CUES.meets(lower):
        return
    is_chinese = not text.isascii()
    at = 0
    for match in _SHAPE.finditer(text):
        start = match.start("secret")
        if start < at or (start and text[start - 1].isascii() and text[start - 1].isalnum()):
            continue
        label = _label_before(text, start, is_chinese=is_chinese)
        if label is not None and _is_labelled(text, label, match["secret"]):
            at = match.end()
            yield Span(*match.span("secret"), "id_number", ID_NUMBER, RANK_PERSONAL)
    if "-" in text:
        for match in _GROUPED_ACCOUNT.finditer(text):
            line = text[max(0, match.start() - 48) : match.start()]
            if sum(map(str.isdigit, match.group())) >= _FEWEST_GROUPED and _PAYS.search(line[line.rfind("\n") + 1 :]):
                yield Span(*match.span(), "id_number", ID_NUMBER, RANK_PERSONAL)


def _label_before(text: str, start: int, *, is_chinese: bool) -> re.Match[str] | None:
    """Give the label that ends where a number begins."""
    left = max(0, start - _FARTHEST)
    for word in list(_WORD.finditer(text, left, start))[: -_MOST_WORDS - 1 : -1]:
        low = word.group().lower()
        if low in _FIRST_WORDS or _COMPOUND.search(low):
            label = _LABEL.fullmatch(text, word.start(), start)
            if label is not None:
                return label
    if is_chinese:
        for word in _CHINESE_FIRST.finditer(text, max(0, start - 24), start):
            label = _CHINESE_LABEL.fullmatch(text, word.start(), start)
            if label is not None:
                return label
    return None


def _is_labelled(text: str, label: re.Match[str], found: str) -> bool:
    plain = re.sub(r"[ ./-]", "", found)
    digits = sum(map(str.isdigit, plain))
    if not _SHORTEST <= len(plain) <= _LONGEST or digits < _FEWEST_DIGITS - any(map(str.isalpha, plain)):
        return False
    if _DATE.fullmatch(found):
        return False
    is_named = bool(label["called"]) or label["link"].strip() in (":", "=")
    head = label.group()[: len(label.group()) - len(label["link"])].strip()
    return is_named or digits >= _FEWEST_LOOSE or not (plain.isdigit() or _LOOSE.match(head))
