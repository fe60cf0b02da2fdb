"""Durations that are a rule and no date: "Acme pays within 14 days", "in 30 days of purchase", 客户十四天内付款.

"In" and 后 name a day of a plan unless something speaks for a rule, "within" and 内 only where somebody has to act.
"""

import re

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.relative_dates.ahead_chinese import CHINESE
from nanobot_memory_plugins.core.text.relative_dates.ahead_english import ENGLISH
from nanobot_memory_plugins.core.text.requests import VERB
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

_LONGEST = 500
_SENTENCE = re.compile("[.;!?。\n]")
_CLAUSE = re.compile("[,.;:!?。\n]")

# ---- English

_FROM_NOW = LazyPattern(r"\bthe next\b|' ?s? time$")
_RELATED = LazyPattern(
    r" (?:of|from|following|since|upon|prior to"
    r"|(?:after|before)(?! (?:work|lunch|dinner|breakfast|school|class|that|this|then)\b))"
    r" (?!now\b|today\b|tomorrow\b)"
)
_MODAL = r"(?:must|have to|has to|needs? to|should|ought to)"
_TERM_VERB = (
    "(?:pay|repay|refund|reimburse|settle|ship|deliver|dispatch|answer|reply|respond|react|process|handle|resolve|approve"
    "|accept|credit|clear|heal|dry|reset|expire|lapse|renew|rotate|back up|delete|restock|invoice|bill)"
)
_TERM_VERB_S = (
    "(?:pays|repays|refunds|reimburses|settles|ships|delivers|dispatches|answers|replies|responds|reacts|processes|handles"
    "|resolves|approves|accepts|credits|clears|heals|dries|resets|rotates|deletes|restocks|invoices|bills|takes back)"
)
_NO_BARE_PLURAL = (
    r"(?!(?:the|this|that|these|those|my|our|your|his|her|their|its|i|we|he|she|it|there|yes|two|three|both)\b|\w+'s)"
)
# Somebody or something of a kind, not one that is known: "invoices are ...", "an invoice must ...", "you can ...".
_OF_A_KIND = Words(
    (
        Word(
            rf"^{_NO_BARE_PLURAL}(?:[\w-]+ ){{0,2}}[\w-]+s "
            rf"(?:are (?!in\b|within\b|\w+ing\b)|get (?!in\b)|(?:can|may)\b|{_MODAL}\b)",
            "invoices are due",
            "the invoices are due",
        ),
        Word(
            rf"^(?:{_NO_BARE_PLURAL}(?:[\w-]+ )?[\w-]+s|they|we)(?: (?:all|both|do|don't))? {_TERM_VERB}\b"
            r"(?! (?:the|this|my|our|him|her)\b)",
            "customers pay late",
            "my customers pay late",
        ),
        Word(
            rf"^(?:an?|any|no) (?:[\w-]+ )?[\w-]+ (?:is|can|may|{_MODAL})\b",
            "an invoice must be paid",
            "the invoice must be paid",
        ),
        Word(
            rf"\b(?:you|one|people|staff|everybody|everyone|anybody) (?:can|may)\b|^(?:staff|people|one) {_MODAL}\b",
            "you can return it",
            "we can return it",
        ),
        Word(
            r"^(?:payment|delivery|shipping|cancellation|notice|returning|repayment"
            r"|reimbursement) (?:is|must|has to|takes place)\b",
            "payment is due",
            "the payment is due",
        ),
    )
)
_HABIT = Words(
    (
        Word(
            r"\b(?:usually|always|normally|generally|typically|mostly|often|on average|as a rule|by default"
            r"|automatically|every|each|whenever|per)\b",
            "they usually pay",
            "the usual payment",
        ),
        Word(
            rf"每(?:[次个位笔单月年天]|{CHINESE_WEEK})|通常|一般(?!般)|平均|总是|往往|向来|凡是?|任何|一律|默认|逢|自动|按规定|按合同|规定|政策",
            "一般三天后发货",
            "一起三天后发货",
        ),
    )
)
_PLAN = Words(
    (
        Word(
            r"\b(?:will|won't|shall|going to|gonna|about to|due|booked|scheduled|appointment|remind|deadline)\b|'ll\b"
            rf"|\b{_MODAL}\b|\b(?:plans?|planning|hopes?|wants?|intends?|promised|promises|agreed|expects?) to\b",
            "he will pay",
            "he paid",
        ),
        Word(
            r"(?:\b(?:am|is|are|be)|'m|'re|'s) (?:not |now |\w+ly )?(?!during|nothing)\w{2,}ing\b",
            "she is coming",
            "she is in",
        ),
        Word(r"\bi\b", "i pay", "it pays"),
        Word(
            rf"^(?:please |to |then |and |also |remember to |don't forget to )*(?:{VERB}|pay|file|submit|renew|return"
            r"|repay|register|visit|ship|deliver|collect|pick|hand|clean|water|fix|refill|apply)\b"
            r"(?! (?:is|are|takes?|within|in)\b)",
            "pay the rent",
            "payment of the rent",
        ),
    )
)
_THIRD_PERSON_TERM = LazyPattern(rf"^(?!i\b).+?\b{_TERM_VERB_S}\b(?!.*\b(?:me|us)\b)|^no one\b")

# ---- Chinese

_RECKONED_FROM_NOW = LazyPattern("(?:未来|接下来|今后|往后|[再还][有过]?)的?$")
_LOOKS_BACK = LazyPattern("(?:最近|过去|近|此前|之前|前|头)的?$")
_EVENT = LazyPattern(
    "(?:(?:日|天|时|刻|月)?起算?|之?后|以后|完|收到[^,]{1,8}"
    "|(?:付款|下单|收货|到货|发货|签收|购买|入职|离职|签约|签字|签合同|毕业|提交|申请|注册|开票|交货|交付|出院|入院|手术|验收|合格|激活"
    "|拆封|开封|出生|产|确诊|发布|上线|受理|立案|结婚|退房|入住|预订|订阅|试用|解约|领取|开通|审核通过|播种|接种|到期|生效|成交|转正))的?$"
)
_ROLE = (
    "(?:客户|顾客|买家|卖家|商家|员工|供应商|房客|租客|租户|学员"
    "|会员|乘客|旅客|读者|消费者|申请人|投保人|乙方|甲方|承租人|出租人)们?"
)
_OF_A_KIND_ZH = Words((Word(rf"(?<![这那该位名]){_ROLE}(?!关系)", "客户付款", "这位客户付款"),))
_SERVICE_ZH = LazyPattern("付款|结账|结算|回款|打款|发货|到账|到货|退款|退货|退换|回复|答复|送达|报销|扣款|失效|作废")
_ALLOWED_ZH = Words(
    (
        Word(
            "可以|[均皆即方]?可(?![能是怜爱靠])|(?<![可功性只])能(?!力)|允许|支持|无理由|包[退换]|免费|有效|保[修质]|逾期|不得|应当|享受?|退[货换]",
            "可以退货",
            "可能涨价",
        ),
    )
)
_FIRST_PERSON_ZH = LazyPattern("[我咱俺](?!们?(?:的|公司|店|家|厂|单位|行|司))")
_PLAN_ZH = Words(
    (
        Word(
            "[要得会将须](?!求)|必须|需要?|应该|务必|打算|计划|准备|提醒|记得|别忘|争取|尽量|保证|答应|预计|把|完成|搞定|弄[好完]|还清|截止",
            "要交报告",
            "要求很高",
        ),
    )
)
_TASK_ZH = LazyPattern(
    "(?:去|先|给|跟|向|找|回(?![复款])|交(?![货付])|还|续|办(?![结理])|买|订|打(?!款)|写|寄|提交|报名|联系|查|检查|取|缴|搬|修|看|学|读|签)"
)


def is_standing_term(folded: str, start: int, end: int) -> bool:
    """Return whether a counted duration in a folded text is a rule, or counts from something else than now."""
    if folded.isascii() or folded[start] in "iw":
        return _is_english_term(folded, start, end)
    return _is_chinese_term(folded, start, end)


def names_standing_term(text: str) -> bool:
    """Return whether a text names a duration that is a rule. Of a longer one the first 500 characters are read."""
    folded = fold(text[:_LONGEST])
    return any(
        is_standing_term(folded, found.start(), found.end())
        for rules in ((ENGLISH,) if folded.isascii() else (ENGLISH, CHINESE))
        for found in rules.matches("in", folded)
    )


def tells_of_a_kind(folded: str, start: int, end: int) -> bool:
    """Return whether the clause around a day tells what holds of a kind: "releases are cut on Tuesday"."""
    before, after = _around(_CLAUSE, folded, start, end)
    return _OF_A_KIND.search(f"{before}{folded[start:end]}{after}") is not None


def _is_english_term(folded: str, start: int, end: int) -> bool:
    phrase, (before, after) = folded[start:end], _around(_CLAUSE, folded, start, end)
    if not f"{before}{after}".strip() or _FROM_NOW.search(phrase):
        return False
    if _RELATED.match(after):
        return True
    if _HABIT.search("".join(_around(_SENTENCE, folded, start, end))):
        return True
    clause = f"{before}{phrase}{after}"
    is_of_a_kind = _OF_A_KIND.search(clause) is not None
    if phrase.startswith("within"):
        return is_of_a_kind or not _PLAN.search(clause)
    return is_of_a_kind or (_THIRD_PERSON_TERM.search(before) is not None and not _PLAN.search(clause))


def _is_chinese_term(folded: str, start: int, end: int) -> bool:
    phrase, (before, after) = folded[start:end], _around(_CLAUSE, folded, start, end)
    if not f"{before}{after}".strip() or phrase.startswith(("再", "过")) or _RECKONED_FROM_NOW.search(before):
        return False
    if _LOOKS_BACK.search(before) or _EVENT.search(before):
        return True
    clause = f"{before}{phrase}{after}"
    if _HABIT.search(clause):
        return True
    is_of_a_kind = _OF_A_KIND_ZH.search(clause) is not None
    if not phrase.endswith("内"):
        return is_of_a_kind and _SERVICE_ZH.search(after) is not None
    if _FIRST_PERSON_ZH.search(clause):
        return False
    if is_of_a_kind or _ALLOWED_ZH.search(clause):
        return True
    return not (_PLAN_ZH.search(clause) or (not before and _TASK_ZH.match(after)))


def _around(border: re.Pattern[str], folded: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and behind a phrase in its clause or sentence."""
    borders = [found.end() for found in border.finditer(folded, 0, start)]
    ends = border.search(folded, end)
    return folded[borders[-1] if borders else 0 : start].lstrip(), folded[end : ends.start() if ends else len(folded)]
