"""The words that tell codes from other numbers. What they mean together, `codes` says."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.word_lists import words

SURE = words(
    "passcode passcodes keycode keycodes puk puk1 puk2 otp cvv cvv2 cvc cvc2 csc pincode combo accessnumber geheimzahl"
    " zugangscode türcode sicherheitscode bestätigungscode freischaltcode entsperrcode torcode alarmcode código"
    " digicode"
)
"""Names of codes that nothing else has."""
DOUBTFUL = words("code codes pin pins combination tan")
"""Names of codes that many other things have, too."""
LOCKS = words(
    "door doors gate gates garage lobby lock lockbox keybox keysafe keypad locker safe vault alarm padlock suitcase"
    " luggage"
    " briefcase intercom elevator lift barrier cabinet drawer shed cellar panel unlock lockscreen turnstile buzzer"
    " voicemail"
    " entry text sms texted"
)
"""What opens by a number, or says one, and needs no other word for it."""
SURE_LOCKS = words("lockbox keybox keysafe keypad padlock unlock lockscreen safe buzzer intercom voicemail")
"""Of those, what a number may follow at once: it numbers no door and no lift."""
DEVICES = words("bike tablet ipad iphone phone telly tv printer copier entrance wardrobe laptop car app clinic scooter")
"""What asks for a number beside other things that it does."""
OPENERS = (
    LOCKS
    | DEVICES
    | words(
        "strongbox gun gym parking boom pool storage ebike apartment flat airbnb cabin cottage courtyard mailbox"
        " letterbox"
        " burglar cupboard closet basement attic toilet restroom roof terrace dorm barn dock office warehouse sim"
        " card visa"
        " mastercard bank banking atm debit credit girocard maestro cell mobile android macbook screen watch"
        " parental kids"
        " profile wallet ledger trezor yubikey smartcard van truck tesla verification confirmation setup homekit"
        " identification security access login log sign signin signup auth authentication authenticator"
        " authorization 2fa"
        " mfa factor step whatsapp signal telegram wechat pairing recovery reset activation pass guest checkin pickup"
        " collection parcel package delivery release host meeting conference webinar participant bluetooth router"
        " wifi wi"
        " scanner staff side front back rear upstairs downstairs box transaction payment transfer withdrawal checkout"
        " account my our one portail puerta tür tor deur coffre tresor"
    )
)
"""What opens by a code, has one, or sends one: beside one of them a bare "code" lets somebody in."""
HARMLESS_BEFORE = words(
    "error status exit return source zip postal post area country dress product promo promotion discount qr bar color"
    " colour hex http response airport currency language unit sample python java javascript js ts rust go c sql"
    " html css"
    " dead legacy class morse item order sort branch swift bic tax course cost reason region referral invite job event"
    " batch lot model diagnosis icd cpt hs dialing dialling machine byte op char unicode style ascii test example"
    " demo git"
    " genetic penal civil criminal tariff commodity fault trouble engine stop fare flight iata station stock share"
    " ticker"
    " part sku serial warning result reply gpio header connector usb cpu safety hair bowling drawing push lapel map"
    " pinned"
    " regulation project budget department reference ref booking tracking of any no some new write written more this"
    " winning building"
)
"""Before the word they make another thing of it: an error's code, a country's."""
HARMLESS_BEHIND = words(
    "review base block style snippet path quality coverage freeze page generation completion editor smell sample"
    " samples"
    " example examples line lines comment change changes signing name names point points switch conduct that which"
    " header"
    " assignment diagram board map out down up hole length format policy rules rule generator reader scanner the a"
    " an it"
    " this them version to on at your"
)
"""Behind the word they make another thing of it: a review of code, a pin on a map."""
LINKS = words(
    "is was are be been it's its that's to with use using enter type dial press punch now still again please reads"
    " say says"
    " number no remains becomes equals ist lautet est es as got me think maybe probably c'est needs wants takes accepts"
    " likes expects gets"
)
"""Right before a number they say that it is what was named."""
LOCK_VERBS = LINKS | words(
    "opens unlocks arm disarm responds works tap hit chose picked used set put read show shows asks asked said for"
    " by then"
    " in has key reset changed switched open unlock unlocked opened"
)
"""The same, where what stands before is a lock."""
CLOSE_LINKS = words("is was it's that's now still lautet ist est es c'est")
ACTIONS = tuple(
    words(
        "verif confirm login signin log sign unlock open disarm authenticat authoriz access door gate alarm garage safe"
        " keypad lock approv payment transfer entrance badge prompt pairing get"
    )
)
"""How the words begin for which one types a code, or that it opens."""
NUMBERED = words(
    "room order line lines page version floor chapter year since until till over about around nearly almost than"
    " least most"
    " up part step level size port model series bus tram train flight route highway track unit apt apartment suite"
    " ticket"
    " invoice case issue pr bug section article paragraph figure table item sku ext extension zone block house from"
    " between"
    " after before roughly only every per another first last next of and or the a an minimum maximum max min have"
    " are rfc"
    " iso din error status http id january february march april may june july august september october november"
    " december"
    " paid pay pays cost costs spent owe owes earn price worth won rent"
)
"""Right before a number they number something else, or say when or how much."""
COUNTED = words(
    "percent px ms kb mb gb tb kg mg g km cm mm m ml cl l w kw kwh v hz mhz ghz mah ft lb oz k x edition model"
    " version sqm am"
    " pm o'clock uhr euro eur usd gbp chf dollar pound kcal step bit byte digit char word people of"
)
"""Behind a number they say what it counts."""
NOT_COUNTED = words(
    "is was as this its has does yes plus unless always thanks opens unlocks works lets gets turns disarms closes"
    " expires"
    " press pass minus class across hers ours yours theirs his us"
)
"""Words in s behind a code that are nothing which it would count."""
