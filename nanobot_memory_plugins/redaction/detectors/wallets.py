"""What opens a wallet or an authenticator, or is money itself: seed words, setup keys, links, codes of gift cards."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.rules.rule import API_KEY
from nanobot_memory_plugins.redaction.rules.word_lists import words

# A group of four letters of which no word is made.
_NO_WORD = lazy_re(r"(?i)(?<![a-z0-9])(?![aeiouy])[a-z](?![aeiouy])[a-z](?![aeiouy])[a-z]")
# A code of gift cards, of capitals and digits: in groups, or long.
_GIFT_CODE = r"(?-i:(?P<secret>[A-Z0-9]{3,8}(?:[ -][A-Z0-9]{3,8}){1,5}|[A-Z0-9]{10,24}))(?![A-Za-z0-9]|-[A-Z0-9])"
_PROMOTION = lazy_re(r"[A-Z]{3,}[0-9]{0,4}")


def _is_setup_key(found: str) -> bool:
    return any(char.isdigit() for char in found) or found.isupper() or bool(_NO_WORD.search(found))


def _is_gift_code(found: str) -> bool:
    return any(char.isdigit() for char in found) and not _PROMOTION.fullmatch(found)


# Common words that no list of seed words holds.
_PROSE = words("the and are for with from was were not but its this that you your they have has had into")

_SEED_WORDS = (
    r"(?:seed(?:[ ](?:words?|phrase))?|mnemonic(?:[ ](?:words?|phrase))?|(?:recovery|backup|secret"
    r"|wallet)[ ](?:recovery[ ])?(?:words?|phrase)"
    r"|助记词|助記詞|恢复短语|(?:12|15|18|21|24|twelve|twenty-four)[ ]words)"
)

WALLETS = RowRules(
    "recovery_secret",
    (
        Row(
            ("seed", "mnemonic", "phrase", "words", "助记词", "助記詞", "恢复短语"),
            rf"(?<![a-z]){_SEED_WORDS}[^\n]{{0,60}}?[:：\s]\s{{0,4}}(?P<secret>1[.):]?[ \t]{{0,3}}[a-z]{{3,8}}"
            r"(?:[\s,;|]{1,6}[0-9]{1,2}[.):]?[ \t]{0,3}[a-z]{3,8}){10,23})(?![a-z])",
            "Seed words:\n«1. ridge\n2. oven\n3. tide\n4. velvet\n5. lamp\n6. cargo\n7. mule\n8. frost\n9."
            " pepper\n10. elbow\n11. stay\n12. gown»",
            "seed words: 1. what they are 2. how they work",
        ),
        # The words on several lines, without numbers
        Row(
            ("seed", "mnemonic", "phrase", "words", "助记词", "助記詞", "恢复短语"),
            rf"(?<![a-z]){_SEED_WORDS}[^\n.!?]{{0,40}}?[:：]?(?:[ \t]*\n){{1,3}}[ \t>*-]{{0,6}}(?P<secret>(?-i:"
            rf"[a-z]{{3,8}}"
            rf"(?:[ \t,]{{0,3}}"
            r"\n[ \t>*-]{0,6}|[ ,]{1,3})){11,23}(?-i:[a-z]{3,8}))(?=[ \t]*(?:\n|\Z|[.]))",
            "recovery phrase\n«ridge oven tide velvet\nlamp cargo mule frost\npepper elbow stay gown»",
            "recovery phrase\nkeep it safe and never type it into any site that asks",
            lambda found: not _PROSE.intersection(found.split()),
        ),
        Row(
            ("seed", "mnemonic", "phrase", "words", "助记词", "助記詞"),
            rf"(?<![a-z]){_SEED_WORDS}[^\n:：.]{{0,30}}?[:： ][ ]?(?P<secret>[a-z]{{3,8}}(?:,"
            rf"[ ]?[a-z]{{3,8}}){{11,23}})(?![a-z])",
            "I wrote the twelve words down as «loan, monster, change, oxygen, grocery, eagle, shiver, puppy,"
            " eight, coyote, steel, session»",
            "the twelve words of the song are easy",
        ),
        Row(
            ("助记词", "助記詞", "恢复短语", "恢復短語"),
            r"(?:助记词|助記詞|恢复短语|恢復短語)[^\n:：]{0,30}[:：是为為 ][ ]?(?P<secret>[\u4e00-\u9fff](?:"
            r"[ 、,，]{1,2}[\u4e00-\u9fff]){11,23})"
            r"(?![\u4e00-\u9fff])",
            "钱包助记词：«则 业 采 报 很 广 部 二 作 大 百 一»",
            "助记词：抄 在 纸 上",
        ),
        Row(
            ("totp", "2fa", "mfa", "authenticator", "otp"),
            r"(?<![a-z])(?:totp|2fa|mfa|otp|authenticator)[ ](?:app[ ])?(?:seed|secret|key|code)[ ]?(?:[:=]"
            r"|is)?[ ]{1,2}"
            r"(?-i:(?P<secret>[A-Z2-7]{16,64}))(?![A-Za-z0-9])",
            "TOTP seed «KRSXG5CTMVRXEZLUOJSXK43U»",
            "TOTP seed handling is documented",
        ),
        Row(
            ("otpauth-migration",),
            r"otpauth-migration://[a-z]{1,12}\?data=(?P<secret>[A-Za-z0-9%+/=_-]{8,8000})",
            "otpauth-migration://offline?data=«CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU»",
            "links of otpauth-migration://offline move accounts",
            None,
            API_KEY,
        ),
        Row(
            ("key", "secret", "code", "manual", "authenticator", "2fa", "totp", "密钥", "密鑰"),
            r"(?<![a-z])(?:set-?up[ ](?:key|code)|secret[ ]key|manual[ ](?:entry|key"
            r"|code)(?:[ ]key)?|(?:authenticator|2fa|totp|mfa|otp)"
            r"(?:[ ](?:app|setup|secret|key|code|manual)){0,3}|安全密钥|设置密钥|手动输入密钥|密[钥鑰])"
            r"[\"')]{0,2}(?:[ ](?:for|of|on|in|into|by|manually|instead|below|there"
            r"|here)(?:[ ][a-z0-9.'-]{1,16}){0,3})?[ ]{0,2}(?:"
            r"[:=是为]|is|—|-"
            r"|(?=[ ]))[ ]{0,2}[\"']?"
            r"(?P<secret>(?-i:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
            r"|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15})(?:[ -][A-Za-z2-7]{1,3})?)(?![A-Za-z0-9])",
            "setup key: «XAAE P5XG 7QK2 LMNO»",
            "the setup key: four more plus many",
            _is_setup_key,
        ),
        Row(
            (
                "claim code",
                "redemption code",
                "redeem code",
                "redeem",
                "gift code",
                "card code",
                "voucher",
                "prepaid code",
            ),
            r"(?<![a-z])(?:(?:claim|redemption|redeem|gift(?:[ -]?card)?|card|voucher|prepaid|top-?up|wallet)[ ]"
            rf"(?:code|number|no\.?|pin)|redeem(?:[ ]with)?)(?:[ ]?[:=#]"
            rf"|[ ]is)?[ \n]{{1,3}}[\"'*]{{0,2}}{_GIFT_CODE}",
            "Claim code: «7QAR-C8K3ET-BK93»\nno expiry date",
            "Voucher code: SUMMER2025",
            _is_gift_code,
        ),
        Row(
            (
                "gift card",
                "paysafe",
                "google play",
                "itunes",
                "playstation",
                "nintendo",
                "xbox",
                "steam",
                "app store",
                "geschenkkarte",
                "carte cadeau",
                "giftcard",
                "gift voucher",
                "礼品卡",
                "禮品卡",
                "购物卡",
                "e卡",
                "充值卡",
                "点卡",
                "兑换码",
                "兌換碼",
                "卡密",
            ),
            r"(?:gift[ -]?card|paysafe(?:card)?|google[ ]play|itunes|playstation|nintendo|xbox|steam|app[ ]store"
            r"|geschenkkarte|carte[ ]cadeau|gift[ ]voucher|礼品卡|禮品卡|购物卡|e卡|充值卡|点卡"
            r"|兑换码|兌換碼|卡密)"
            r"(?>[^\ue000]{0,80}?(?:code|number|no\.|pin|卡号|卡密|兑换码|兌換碼|密码|密碼|(?=[:：]))"
            r"[ ]?(?:[:=是为]|is)?[ ]{0,2}"
            rf"[\"'*]{{0,2}}(?=(?-i:[A-Z0-9]{{3,8}}[ -][A-Z0-9]{{3,8}}|[A-Z0-9]{{10}}))){_GIFT_CODE}",
            "Your gift card from Ana:\n50 EUR, code «7QAR-C8K3ET-BK93»",
            "Your gift card from Ana:\n50 EUR, order number 7",
            _is_gift_code,
        ),
    ),
)
