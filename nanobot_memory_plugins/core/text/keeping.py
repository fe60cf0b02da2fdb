"""How people ask for something to be kept in memory, in English and Chinese: verbs, labels, and ways of asking.

Patterns see what those of `questions` see.
"""

from nanobot_memory_plugins.core.text.words import Word, Words


def with_typos(word: str) -> str:
    """Return a pattern for a word with one slip behind its first letter: one lost, doubled, wrong or out of place."""
    slips = {word}
    for at in range(1, len(word)):
        slips |= {word[:at] + word[at + 1 :], word[:at] + "[a-z]" + word[at:], word[:at] + "[a-z]" + word[at + 1 :]}
        slips.add(word[:at] + word[at : at + 2][::-1] + word[at + 2 :])
    return "(?:" + "|".join(sorted(slips, key=len, reverse=True)) + ")"


YOU = r"(?:you|u|ya|yourself)"
POINTER = (
    r"(?:(?:this|that|these|those)(?: (?:last|little|next|phone|email|quick))* (?:one|facts?|info|information"
    r"|preferences?|details?|message|numbers?|dates?"
    r"|address|bits?|things?|parts?|codes?|names?|recipe|combo|contact|tip|plate|extension|measurements?|sizes?)"
    r"|(?:one|a|another|some)(?: (?:more|quick|little|small|important))* (?:things?|facts?|details?)|something"
    r"|the above|the following"
    r"|all (?:of )?(?:this|that)|(?:the )?(?:last|previous) (?:message|part|thing)|this|that|it|these|those|them"
    r"|what i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|shared)(?: (?:before|earlier|above"
    r"|just now))?)"
)
_MEMORY = (
    r"(?:(?:your|ur|the) )?(?:own )?(?:long[- ]term |permanent |persistent )?(?:memory|memories|memory bank"
    r"|brain|(?<=your )(?:notes|records|files?|notebook|notepad|books)"
    r"|(?<=ur )notes|notes about me|knowledge base|records? about me|profile of me)(?: (?:of|about|on|for) me)?"
)
_REMEMBER = (
    rf"(?:(?!remembers\b|remembered\b){with_typos('remember')}|rember|rembr|rmbr|rmber|remebr|remmebr|rememer"
    rf"|remenber)"
)
_FORGET = rf"(?:(?!forgot\b|forges\b|forged?\b|forger\b|forgets\b){with_typos('forget')})"

SURE = Words(
    (
        Word(rf"{_REMEMBER}|remember(?:ed|ing)", "remember", "december"),
        Word(r"memori[sz](?:e|ed|ing)", "memorize", "memorial"),
        Word(
            rf"(?:keep|kept|keeping|bear|bearing|have|hold)(?: {POINTER})? in (?:mind|mnd|minf|mine(?= (?:that"
            rf"|i)\b))",
            "keep that in mind",
            "keep it in the house",
        ),
        Word(
            rf"(?:don'?t|do not|don t|dnt|never)(?: {YOU})?(?: ever| please)? {_FORGET}|(?:not to|to not) {_FORGET}",
            "don't forget",
            "i forget",
        ),
        Word(r"(?:don'?t|do not|never) let me forget", "don't let me forget", "let me forget"),
        Word(
            r"(?:make|made|take|keep|making|taking|keeping)(?: (?:yourself|me))? an? (?:mental |quick |small "
            r"|little |permanent )?"
            r"(?:note|record|memo)(?: (?:of|on|for me|for yourself|to yourself|to self)\b)*",
            "make a mental note of",
            "make a notebook",
        ),
        Word(
            r"mind (?:you )?(?:and )?(?:(?:that )?you )?(?:don'?t|no|not|dinna) forget|(?:be"
            r"|act as) my (?:memory|notebook|notepad)",
            "mind and no forget",
            "mind the gap",
        ),
        Word(
            r"(?:take|taking) note(?: of)?|noted(?= (?:that\b|on your"
            r"|in your))",
            "take note of",
            "take notes in class",
        ),
        Word(
            rf"commit(?:ting)?(?: {POINTER})? to (?:your |long[- ]term )?memory",
            "commit this to memory",
            "commit this to main",
        ),
        Word(
            rf"(?:save|store|add|put|keep|write|log|record|stick|pop|get|chuck|file|tuck|stash|saving|storing"
            rf"|adding|putting)(?: {POINTER})? (?:in|into|to|on) {_MEMORY}"
            rf"|(?:put|have|get|keep|place|leave|go)(?: {POINTER})? on (?:record|file)(?: with you)?",
            "add to your memory",
            "add to the list",
        ),
        Word(
            rf"updat(?:e|ing) {_MEMORY}(?: with (?:this|the following))?",
            "update your memory",
            "update your profile",
        ),
    )
)
"""What asks for no less than memory."""

LOOSE = Words(
    (
        Word(
            rf"(?:write|jot|note|put|take|get|scribble|writing|jotting|noting|putting)(?: {POINTER})? down",
            "jot that down",
            "sit down",
        ),
        Word(rf"fil(?:e|ing)(?: {POINTER})? away", "file this away", "far away"),
        Word(
            rf"(?:save|store|keep|record|log|note|retain|pin|stash|bank|park|tuck|stick|pop|saving|storing"
            rf"|recording|logging|noting|(?:hold|hang)(?:ing)? on ?to"
            rf"|keep(?:ing)? track of) {POINTER}(?: (?:safe|handy|away|somewhere safe|close))?",
            "save this",
            "save the file",
        ),
        Word(
            r"(?:remembered|noted|saved|kept|stored|recorded|retained|written down|noted down"
            r"|put on record)(?: (?:on|at|in) your (?:side|end|memory|notes|records))?",
            "noted on your side",
            "notes from the other side",
        ),
        Word(
            r"(?:keep|keeping) (?:a )?(?:track|record)(?: of)?(?= that\b|:)", "keep a record that", "keep track of it"
        ),
    )
)
"""What people ask of a pencil as well: it counts where what is to be kept is stated."""

LABELS = Words(
    (
        Word(
            r"(?:(?:a |quick |personal )*(?:note|memo|reminder) (?:to|for) (?:my)?self|self[- ]note"
            r"|memo(?: for you)?|(?:a )?note for (?:you|later|the future)"
            r"|reminder for you)",
            "note to self",
            "note to the editor",
        ),
        Word(
            r"(?:just )?for (?:(?:your |my )?future (?:reference|conversations?|chats?|sessions?)"
            r"|your (?:records?|notes|memory|reference)"
            r"|later reference|(?:the )?next times?|the future)",
            "for future reference",
            "for your information",
        ),
        Word(
            r"(?:fyi|(?:just )?so (?:that )?(?:you|u) know|just letting you know"
            r"|heads[- ]up),? (?:for (?:next time|the future|later|future reference"
            r"|future (?:conversations|chats))|going forward|in (?:the )?future)",
            "just so you know for next time",
            "just so you know",
        ),
        Word(
            r"(?:just |only )?(?:here(?:'s|s| is| are) )?(?:(?:one|an|another|some|a)(?: (?:more|few|couple of"
            r"|quick|little|small|important|last|other))* )?"
            r"(?:(?:things?|facts?|something|details?)(?: (?:for )?(?:you|u)(?: (?:should|must|need to|have to"
            r"|ought to|can))?(?: to)?| to| worth)|to)"
            r" (?:remember(?:ing)?|know|note|noting|keep in mind|memori[sz]e)(?:,? (?:about (?:me|us|my \w+)"
            r"|for (?:me|later|next time|the future|future reference)))?(?: (?:is|are)(?: that)?)?",
            "one thing to remember about me",
            "one thing leads to another",
        ),
        Word(
            rf"(?:so )?(?:i'm |im |i am )?(?:giving|telling|leaving|sending) {YOU} (?:this"
            rf"|it) so {YOU} (?:can )?(?:have|know|remember|keep) (?:it|this)(?: (?:when i (?:ask|need it)"
            rf"|for later|(?:for )?next time))?",
            "i'm giving you this so you have it",
            "i'm giving you a book",
        ),
        Word(
            r"(?:(?:it(?:'s| is) )?(?:worth|important to) (?:remember(?:ing)?|not(?:e|ing)|keep(?:ing)? in mind)"
            r"|to remember) about (?:me|us)",
            "worth remembering about me",
            "worth seeing",
        ),
    )
)
"""With which a line begins whose rest is to be kept."""

ASKED = Words(
    (
        Word(rf"(?:can|could|would|will|won't|can't|cud|wud) {YOU}", "could you", "could he"),
        Word(
            rf"(?:i|we)(?:'d| would|d)? (?:(?:really|just|also|very much) )*(?:want|need|like|love|prefer|ask"
            rf"|expect|wish|wanted|require) {YOU} to",
            "i'd like you to",
            "i'd like to",
        ),
        Word(
            rf"(?:i|we)(?:'d|'ll|d| would| will) (?:(?:really|be|very|so|much|most"
            rf"|greatly) )*(?:appreciate (?:it|that)|love it|grateful|glad|happy|thankful|obliged|pleased)"
            rf" if {YOU}(?: (?:can|could|would|will|'d|just))*",
            "i'd appreciate it if you could",
            "i'd appreciate it",
        ),
        Word(
            rf"(?:it|that)(?: would|'d|d|'s| is| will|'ll) be (?:\w+ )?(?:great|nice|good|helpful|useful|lovely"
            rf"|awesome|cool|ideal|best|wonderful|handy|amazing|super|kind)"
            rf" (?:if {YOU}(?: (?:can|could|would|will|just))*|for {YOU} to)",
            "it would be great if you could",
            "it would be great",
        ),
        Word(r"(?:would|do) (?:you|u) mind(?: please)?|mind(?= \w+ing\b)", "would you mind", "make up your mind"),
        Word(
            r"(?:(?:can|could|would|will) (?:you|u) )?do me (?:a|another|one) (?:\w+ )?fav(?:ou?|uo)r(?:,? and"
            r"|[,:]| by)?",
            "do me a favour and",
            "do me proud",
        ),
        Word(
            rf"{YOU}(?: (?:should|must|have to|need to|gotta|got to|better|ought to|might want to|may want to"
            rf"|can|could))(?: (?:now|then))?",
            "you should",
            "you are",
        ),
        Word(
            rf"{YOU}(?:'d| would|'ll| will) (?:want|need|have|do well) to|(?:it|that) (?:would|'d|will|'ll"
            rf"|might) (?:\w+ )?help (?:\w+ )?if {YOU}(?: could)?|let it be",
            "you'll want to",
            "you will see",
        ),
        Word(
            rf"(?:i'd like|i would like|i want|i need|let) {POINTER}(?: to be| be)?|(?:can|could|may|might|would"
            rf"|please let) {POINTER}(?: please| also| kindly)*(?: be|,? please be)",
            "could it be",
            "could it rain",
        ),
        Word(
            rf"{YOU}'d better|(?:please )?(?:make sure|be sure|try)(?: that)?(?: {YOU}(?: can)?| to)?",
            "make sure you",
            "be surely",
        ),
        Word(
            rf"(?:can|could|may|might) (?:i|we) (?:ask|get|trust|count on|have) {YOU} to|(?:i|we)(?:'m| am| was"
            rf"|'re| were)? (?:hop(?:e|ing)|wondering|asking)(?: (?:that|if|whether))? {YOU}"
            r"(?:'ll)?(?: (?:could|would|can|will|to))?",
            "could i ask you to",
            "could i ask you about it",
        ),
        Word(
            rf"(?:is it|would it be) (?:possible|ok|okay|alright)(?: (?:for {YOU}|if {YOU}(?: could)?))?(?: to)?"
            rf"|(?:it's|it is|its) (?:really |very )?(?:important|essential|crucial|vital)(?: that {YOU}"
            rf"| for {YOU} to| to)",
            "it's important that you",
            "it's important work",
        ),
        Word(
            r"(?:please )?(?:go ahead and|feel free to|be so kind (?:as )?to|kindly|(?:please )?do(?! not\b))",
            "go ahead and",
            "go ahead",
        ),
    )
)
"""With which a request begins."""

FILLED = r"(?:please|pls|plz|kindly|also|just|always|maybe|quickly|really|simply|perhaps|to|then)"
"""What may stand between the asking and the verb."""

CHINESE = Words(
    (
        Word(
            r"牢?牢?(?:记(?:住|祝|注|主|驻|柱|牢|稳|[先]?实先?|低先?|清楚|下来|起来|一下子?|一记|下|上(?!面|次|个|述)|一笔|着点?儿?|好(?!友|多|几)|死(?=了|,"
            r"|:))|[计纪几]住|牢记|谨记|铭记|切记"
            r"|记[到在进](?:你的?|您的?|自己的?)?(?:长期)?(?:记忆|脑子|脑海|心|小本本?|本子|备忘录?)(?:里|中|上|库)?(?:面|边)?)",
            "记住",
            "记者",
        ),
        Word("记(?:个|一个|件|一件|条|一条|点)小?(?:事儿|事情?|备忘|笔记|东西|信息|小事)", "记个事", "记个单词"),
        Word(
            "(?:存|保存|写|录|加|放|添加|记录|更新|录入|写入|存入|加入|记|收)[到进入在]?(?:一?下)?(?:你的?|您的?)?(?:长期)?(?:记忆|小本本|(?<=你)本子"
            "|(?<=你的)(?:本子|笔记|备忘录?)|脑子|脑海|心)(?:里|中|库|上)?(?:面|边)?(?:去)?",
            "存到记忆里",
            "存到文件里",
        ),
        Word("备忘(?!录)(?:一下)?", "备忘一下", "备忘录"),
        Word("(?:remember|note|mark|memo|save|jot)\\s?(?:一下|下)", "remember一下", "remember me"),
    )
)
"""What asks for no less than memory, in Chinese."""

LOOSE_CHINESE = Words(
    (
        Word(
            "(?:存|保存|记录|收藏|留存|登记|保留|收|留意并保留|予以保存)(?:一?下来?|起来|好|个档|住)?(?:一下)?",
            "存一下",
            "在存钱",
        ),
        Word("(?:备注|标注|标记|笔记)(?:一?下|一条|先)?", "备注一下", "备用"),
        Word(
            "(?:做|作|写|留|打|贴)(?:一?个|一?条|一?张|下|点)?(?:备忘|笔记|记录|备注|记号|底|便签|便条)(?!录|本)(?:一下)?|写下来|抄下来",
            "做个备忘",
            "做个蛋糕",
        ),
    )
)
"""What is asked of files and forms as well, in Chinese."""
