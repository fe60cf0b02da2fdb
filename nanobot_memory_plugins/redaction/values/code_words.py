"""The words that tell codes from other numbers. What they mean together, ``code_contexts`` says."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.word_lists import words

SURE = words(
    "passcode passcodes keycode keycodes puk puk1 puk2 otp cvv cvv2 cvc cvc2 csc pincode combo accessnumber"
    " geheimzahl"
    " zugangscode t\u00fcrcode sicherheitscode best\u00e4tigungscode freischaltcode entsperrcode torcode alarmcode"
    " c\u00f3digo"
    " digicode"
)
"""Names of codes that nothing else has."""
SURE_IN_CAPITALS = frozenset({"PIN", "PINs", "Pin", "TAN", "PIN1", "PIN2"})
OPEN_TO_DOUBT = words("code codes pin pins combination tan")
"""Names of codes that many other things have, too."""
LOCKS = words(
    "door doors gate gates garage lobby lock lockbox keybox keysafe keypad locker safe vault alarm padlock suitcase"
    " luggage"
    " briefcase intercom elevator lift barrier cabinet drawer shed cellar panel unlock lockscreen turnstile buzzer"
    " voicemail entry text sms message texted"
)
"""What opens by a number, or says one, and needs no other word for it."""
MOST_DIGITS_OF_LOCK = 8
"""A longer number beside a lock, which nothing calls a code, is whom to telephone."""
SURE_LOCKS = words("lockbox keybox keysafe keypad padlock unlock lockscreen safe buzzer intercom voicemail")
"""Of those, what a number may follow at once: it numbers no door and no lift."""
DEVICES = words("bike tablet ipad iphone phone telly tv printer copier entrance wardrobe laptop car app clinic scooter")
"""What asks for a number beside other things that it does."""
OPENERS = (
    LOCKS
    | DEVICES
    | words(
        "entry strongbox gun gym parking boom pool storage ebike apartment flat airbnb cabin cottage courtyard"
        " mailbox"
        " letterbox burglar cupboard closet basement attic toilet restroom bathroom roof terrace dorm nursery"
        " kindergarten stable barn marina dock office warehouse sim card visa mastercard bank banking atm debit"
        " credit"
        " girocard maestro cell mobile android macbook screen watch parental kid kids profile answering wallet ledger"
        " trezor yubikey smartcard eid van truck tesla dashcam verification confirmation setup homekit personal"
        " identification security access unlocking"
        " disarm"
        " login log sign signin signup auth authentication authenticator authorization authorisation 2fa mfa factor"
        " step"
        " sms text texted whatsapp signal telegram wechat pairing recovery reset activation pass guest checkin pickup"
        " collection parcel package delivery dropoff release host meeting conference dialin webinar participant"
        " bluetooth"
        " router wifi wi scanner staff crew night side front back rear upstairs downstairs box transaction payment"
        " transfer withdrawal checkout account my our one porte"
        " portail puerta haust\u00fcr t\u00fcr tor porta cancello deur poort"
        " immeuble alarme coffre cofre tresor spind keller allarme"
    )
)
"""What opens by a code, has one, or sends one: beside one of them a bare "code" lets somebody in."""
HARMLESS_BEFORE = words(
    "error status exit return source zip postal post area country dress product promo promotion discount qr bar color"
    " colour hex http https response airport currency language unit sample python java javascript typescript js ts"
    " rust"
    " go c sql html css dead legacy class morse item order sort branch swift bic tax course cost reason region"
    " referral"
    " invite job event batch lot model diagnosis icd cpt hs sic naics dialing dialling machine byte op char unicode"
    " style"
    " ascii test example demo git genetic penal civil criminal commercial labor labour tariff commodity fault trouble"
    " engine diagnostic flash stop fare flight iata icao station stock share ticker fund part sku serial warning"
    " result"
    " reply gpio header connector usb hdmi cpu safety hair clothes rolling bowling drawing push tie lapel map"
    " pinned bobby"
    " regulation data project budget department reference ref booking tracking ral pantone of any no some new write"
    " written more this winning rare building"
)
"""Before the word they make another thing of it: an error's code, a country's."""
HARMLESS_BEHIND = words(
    "review base block style snippet path quality coverage freeze page generation completion editor smell sample"
    " samples"
    " example examples line lines comment comments change changes signing interpreter red blue orange black name"
    " names"
    " point points switch conduct that which numpy pandas header assignment diagram board cushion map out down up"
    " hole"
    " length format policy rules rule generator reader scanner golf talker camp"
)
"""Behind the word they make another thing of it: a review of code."""
LINKS = words(
    "is was are be it's its that's to with use using enter type dial press punch now still again please read reads"
    " say"
    " says number no remains stays becomes equals ist lautet est es \u00e8 \u00e9 as got me"
    " think maybe probably c'est needs wants takes"
    " accepts likes"
    " expects gets nummer"
)
"""Right before a number they say that it is what was named."""
CLOSE_LINKS = words("is was it's that's now still lautet ist est es c'est")
TYPED = words("enter use type dial press punch key tap input text send reply confirm verify in with back the code pin")
TYPING = words("enter use type dial press punch key tap input text send reply confirm verify")
"""What somebody does with a code."""
ACTIONS = tuple(
    words(
        "verif confirm login signin log sign unlock open disarm authenticat authoris authoriz access door gate"
        " alarm garage"
        " safe keypad panel lock star hash approv payment transfer entrance badge app prompt device pairing"
    )
)
"""How the words begin for which one types it."""
LOCK_VERBS = words(
    "needs wants takes accepts likes expects opens unlocks arm disarm responds works type punch press enter dial"
    " tap hit"
    " chose picked use used set put reads read shows show gets asks asked says said me for with by using to then in"
    " has key reset"
    " changed switched open unlock unlocked opened"
)
"""What somebody does to a lock, or it does itself, right before its number."""
MONEY = words("paid pay pays cost costs spent saved owe owes owed earn earns earned price budget worth won lost rent")
NUMBERED = words(
    "room order line lines page version floor chapter year in since until till by at over about around nearly"
    " almost than"
    " least most up part step level size port model series bus tram train flight route highway track unit apt"
    " apartment"
    " suite ticket invoice case issue pr bug section article paragraph figure table item sku ext extension zone"
    " block house"
    " from between after before roughly approximately only every per another first last next of and or the a an on"
    " for"
    " minimum maximum max min have has had are rfc iso din error status http id january february march april may"
    " june july"
    " august september october november december"
)
"""Right before a number they number something else, or say when or how much."""
NOT_COUNTED = words(
    "is was as this its has does yes plus unless always thanks whereas opens unlocks works lets gets turns disarms"
    " closes"
    " expires sometimes gives press pass minus perhaps class still across less hers ours yours theirs his us"
)
"""Words in s behind a code that are nothing which it would count."""
COUNTED = words(
    "percent px ms kb mb gb tb kg mg g km cm mm m ml cl l w kw kwh v hz mhz ghz mah mbit ft lb lbs oz k x edition"
    " model"
    " version sqm am pm o'clock uhr euro eur usd gbp chf dollar pound kcal step bit byte digit char word people of"
)
"""Behind a number they say what it counts."""
JOINED = words("lockbox keybox keysafe keypad lockscreen passcode keycode padlock accessnumber pincode")
"""Names that are written in one word or two."""
