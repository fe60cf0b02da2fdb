"""How people ask for something to be kept in memory, in English and Chinese: verbs, idioms, labels.

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


_DETAIL = (
    r"(?:ones?|facts?|infos?|information|preferences?|details?|messages?|numbers?|dates?|address|bits?|bobs|things?"
    r"|parts?|codes?|names?|recipe|combo|contacts?|tips?|plate|extension|measurements?|sizes?|figures?|points?"
    r"|titbits?|nuggets?|pieces?|stuff|data|truth)"
)
POINTER = (
    rf"(?:(?:this|that|these|those|the following)(?: (?!in\b|to\b|on\b|i\b|my\b)[\w-]+){{0,2}}? {_DETAIL}"
    rf"(?: of (?:info|information|data|news))?"
    rf"|(?:one|a|another|some|a few|a couple of)(?: (?:more|quick|little|small|important|last))* {_DETAIL}"
    r"|something|the (?:above|following)|all (?:of )?(?:this|that)|the (?:last|previous) (?:message|part|thing)"
    r"|this|that|it|these|those|them|(?:his|her|their|its) (?:names?|numbers?|address|birthday)"
    r"|what i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|shared)(?: (?:before|earlier|above|just now))?)"
)
_YOURS = (
    r"(?:(?:the )?(?:back|front) of )?(?:(?:your|ur|yer|the|thy) )?(?:own )?(?:(?:long[- ]term|permanent|persistent"
    r"|internal|little) )*"
)
MEMORY = (
    rf"(?:{_YOURS}(?:(?<!the )memory|(?<=the )memory(?= bank| banks|\W*$|:)|memories|brain|(?<=your )(?:mind|head|heart"
    r"|soul|skull|notes|records?|files?|notebook|notepad|books|system|database|diary|profile|circuits|data)"
    r"|(?<=ur )(?:notes|head|brain|records)|(?<=my )(?:profile|file|record)|notes about me|knowledge base"
    r"|records? (?:about"
    r"|of|on) me|profile (?:of|for|on) me|(?:list of )?(?:the )?(?:things|facts|stuff) (?:that )?(?:you|u)(?:'ve"
    r"| have|ve)? "
    r"(?:know|got|have|stored|remember)\w*)"
    r"(?: banks?| file| notes)?"
    r"|(?:what(?:ever)?|everything|all) (?:it is )?(?:you|u)(?: have|'ve|ve)?(?: already)? (?:got|know|have|stored"
    r"|saved|recorded|noted|remember)(?: (?:stored|saved|down|noted|recorded))?"
    r"|(?:my|our) (?:profile|file|record)(?: with you)?)(?: (?:of|about|on|for) (?:me|us))?"
)
"""What an assistant keeps things in, or what it knows."""
_REMEMBER = (
    rf"(?:(?!remembers\b|remembered\b){with_typos('remember')}|rember|rembr|rmbr|rmber|remebr|remmebr|rememer"
    rf"|remenber)"
)
_FORGET = rf"(?:(?!forgot\b|forges\b|forged?\b|forger\b|forgets\b){with_typos('forget')})"
_NOT = r"(?:don'?t|do not|don t|dnt|dinnae|dinna|never|not|no)(?: (?:you|u|ever|please|to|go|and|dare|just))*"

SURE = Words(
    (
        Word(rf"{_REMEMBER}|remember(?:ed|ing)", "remember", "december"),
        Word(r"memori[sz](?:e|ed|ing)", "memorize", "memorial"),
        Word(
            rf"(?:keep|kept|keeping|bear|bearing|have|hold|holding)(?: {POINTER})? in (?:mind|mnd|minf|mine(?= (?:that"
            rf"|i)\b)|your (?:head|thoughts|mind))",
            "keep that in mind",
            "keep it in the house",
        ),
        Word(
            rf"(?:{_NOT} |(?:try |mind )?(?:not )?to not |(?:try )?not to ){_FORGET}"
            rf"|{_NOT} (?:let (?:me|yourself|us) {_FORGET}|let {POINTER} (?:slip(?: your mind)?|get lost|go missing)"
            rf"|(?:lose|misplace)(?: track of)? {POINTER})",
            "don't forget",
            "i forget",
        ),
        Word(
            r"(?:make|made|take|keep|making|taking|keeping)(?: (?:yourself|me))?(?: an?)? (?:(?:mental|quick|small"
            r"|little|permanent|proper) )*(?:note|record|memo)(?: (?:of|on|for me|for yourself|to yourself|to self"
            r"|down|somewhere)\b)*|noted(?= (?:that\b|on your|in your|down))"
            rf"|(?:keep|have|get|put) {POINTER} (?:noted|saved|recorded|written down|remembered)",
            "make a mental note of",
            "make a notebook",
        ),
        Word(
            rf"(?:commit|etch|burn|sear|engrave|engraved|lock|drill|carve|embed|brand)(?:ting|ing)?(?: {POINTER})?"
            rf" (?:in|into|to|on|onto) (?:memory|{MEMORY})",
            "commit this to memory",
            "commit this to main",
        ),
        Word(
            rf"(?!(?:is|are|was|be|been|look|search|delete|remove|write code|in|on|to|of|at|by|up|or|if|as"
            rf"|and|the)\b)[a-z]{{2,9}}"
            rf"(?: (?:down|away|safely|an? (?:note|memo|line)))?"
            rf"(?: {POINTER})?(?: (?:down|away|safely))? (?:in|into|to|on|onto|at) {MEMORY}",
            "stick it in your notes",
            "add to the list",
        ),
        Word(
            r"(?:put|have|get|got|keep|place|leave|go|stay|remain|kept|be)(?: "
            + POINTER
            + r")? (?:on (?:record|file|hand)|to hand)"
            r"(?: (?:with you|somewhere))?|let (?:the|your) records? (?:show|reflect|state|say)",
            "put it on record",
            "put it on the table",
        ),
        Word(rf"updat(?:e|ing) {MEMORY}(?: with (?:this|the following))?", "update your memory", "update your phone"),
        Word(
            r"mind(?= (?:that|i|my|we)\b)|(?:be|act as) my (?:memory|notebook|notepad)", "be my memory", "be my guest"
        ),
        Word(
            rf"(?:stay|stick|remain) (?:with|in) you|make {POINTER} stick|put a pin in {POINTER}|(?:take|let"
            rf"|get) {POINTER}(?: sink)? in|lock(?:ing)? {POINTER} in"
            rf"|lock in {POINTER}",
            "stay with you",
            "stay with us tonight",
        ),
    )
)
"""What asks for no less than memory."""

LOOSE = Words(
    (
        Word(
            rf"(?:write|jot|note|put|take|get|scribble|mark|pop|stick|set|writing|jotting|noting|putting|marking)"
            rf"(?: {POINTER})? down",
            "jot that down",
            "sit down",
        ),
        Word(
            rf"(?:fil(?:e|ing)|tuck(?:ing)?|stash(?:ing)?|squirrel(?:ling)?|pack|stor(?:e|ing)|sav(?:e|ing)"
            rf"|put(?:ting)?"
            rf"|hide|lock(?:ing)?|salt|stow(?:ing)?)(?: {POINTER})? away|file(?: {POINTER})? under [\w ]{{3,20}}(?=:)",
            "file this away",
            "far away",
        ),
        Word(
            rf"(?:sav(?:e|ing)|stor(?:e|ing)|keep(?:ing)?|kept|hold|record(?:ing)?|log(?:ging)?|not(?:e|ing)"
            rf"|retain(?:ing)?"
            rf"|pin|stash|bank|park|tuck|stick|pop|stow|capture|register|preserve|archive|hoard|write|file"
            rf"|add(?= (?:one|a|another) )"
            rf"|(?:hold|hang)(?:ing)? on(?:to| ?to)?|(?:keep(?:ing)?|kept) (?:track|hold|a note|note|a record"
            rf"|tabs) (?:of|on))"
            rf"(?: {POINTER}|(?= the fact that)|(?: (?:one|a|another)(?: more)? (?:fact|detail"
            rf"|thing))(?= about (?:me|us)))(?! (?:up|going|coming|out|off|in check|warm|simple|short|real"
            rf"|that way)\b)",
            "save this",
            "save the file",
        ),
        Word(
            r"(?:remembered|noted|saved|kept|stored|recorded|retained|logged|written down|put down|engraved|etched"
            r"|burned|burnt|put on record)(?: (?:on|at|in|for) your (?:side|end|memory|notes|records|heart|brain"
            r"|mind))?",
            "noted on your side",
            "notes from the other side",
        ),
        Word(
            r"(?:keep|keeping|kept) (?:a |an )?(?:track|record|note)(?: of)?(?: the fact)?(?= that\b|:| my\b)"
            r"|(?:log|record|note|register|store|save)(?= (?:the fact that|that|for (?:future|later)\b))"
            r"|(?:log|record|note|store|save|keep|remember|(?:hold|hang) on ?to)(?= my\b)",
            "keep a record that",
            "keep track of it",
        ),
    )
)
"""What people ask of a pencil as well: it counts where what is to be kept is stated."""

KNOW = Words(
    (
        Word(
            r"know|knew|be (?:aware|advised|informed)|understand|get it into your head|take into account"
            r"|(?:put|mark|have) me down(?= as\b)",
            "be aware",
            "knowledge",
        ),
    )
)
"""What an assistant is told to know: it counts where it is asked in so many words, and about the user."""

_KEEPING = (
    r"(?:remember(?:ed|ing)?|not(?:e|ed|ing)|keep(?:ing)? in mind|know(?:ing)?|bear(?:ing)? in mind|hold(?:ing)? on ?to"
    r"|hang(?:ing)? on ?to|memori[sz](?:e|ing)|stor(?:e|ing)|sav(?:e|ing)|keep(?:ing)?|retain(?:ing)?|forget"
    r"|stay with you|stick with you|fil(?:e|ing) away|jot(?:ting)? down|writ(?:e|ing) down)"
)
LABELS = Words(
    (
        Word(
            r"(?:(?:a |an |quick |personal |mental |little ){0,4}(?:notes?|memo|reminder|memory) (?:to|for)"
            r" (?:(?:my)?self|you)|self[- ]note"
            r"|(?:a )?(?:memo|note|reminder)(?: for (?:you|later|the future|next time))"
            r"|memo(?= ?[:-])|memory (?:note|update|entry|item)|new memory|(?:one|something|another) for (?:the"
            r"|your) (?:memory|memory bank"
            r"|records?|notes|files)|for your memory|personal (?:fact|detail|note)|(?:(?:fun|random|quick|another|new"
            r"|a|one|some|few|more) ){0,4}(?:facts?|things?|details?|bits?) (?:about|on) (?:me|us|myself)(?= ?[:-])"
            r"|add to memory|(?:long[- ]term )?memory(?: please)?(?= ?:)|to memory)",
            "note to self",
            "note to the editor",
        ),
        Word(
            r"(?:just |purely )?for (?:(?:your |my |the )?(?:future|later|next) (?:reference|conversations?|chats?"
            r"|sessions?|use|times?|answers|replies)(?: (?:you|u|we|i) [^:,]{1,40}(?=:))?"
            r"|(?:your|the) (?:records?|notes|memory|reference|files?)"
            r"|later|the future)",
            "for future reference",
            "for your information",
        ),
        Word(
            r"(?:fyi|(?:just )?so (?:that )?(?:you|u) know|just letting (?:you|u) know"
            r"|heads[- ]up),? (?:for (?:(?:the )?(?:future|later|next|other)(?: \w+)?)|going forward"
            r"|in (?:the )?future)",
            "just so you know for next time",
            "just so you know",
        ),
        Word(
            rf"(?:[\w',-]{{1,20}} ){{0,6}}?(?:things?|facts?|something|details?|points?|one|pieces? of information"
            rf"|info)"
            rf"(?: (?!but\b|and\b|let\b)[\w']{{1,20}}){{0,5}}?(?: (?:to|for|worth|you|should|must|please|want|need"
            rf"|never"
            rf"|not|only))"
            rf"(?: (?!but\b|and\b|let\b)[\w']{{1,20}}){{0,3}}? {_KEEPING}\b(?! if\b| when\b| who\b)(?: (?!that\b|is\b"
            rf"|the\b|to\b)[\w']{{1,20}}){{0,6}}(?: is(?: that)?\b| are\b)?",
            "one thing to remember about me",
            "one thing leads to another",
        ),
        Word(
            r"(?:so |i(?:'m| am|m) (?:giving|telling|leaving|sending) (?:you|u) (?:this|it) "
            r"|just )*so (?:that )?(?:you|u|it"
            r"|this)(?:'ve|'ll| can| will| do| always)* (?:(?:have|know|remember|keep|got)(?: (?:it"
            r"|this))?(?: (?:when i"
            r" (?:ask|need it)|for later|(?:for )?next time|(?:on|in) (?:record|file|your (?:notes|memory|records))))"
            r"|isn't lost|doesn't get lost|remember(?: (?:it|this))?)",
            "i'm giving you this so you have it when i ask",
            "i'm giving you a book",
        ),
        Word(
            rf"(?:this|that|here)(?: one)?(?:'s| is)(?: something)? worth {_KEEPING}"
            rf"|(?:this|that) one(?:'s| is) a keeper"
            r"|if (?:you|u) (?:only )?(?:remember|know|keep) (?:only )?(?:one"
            r"|a single) thing[\w ]{0,30},? (?:let it|make it|make sure it)(?: be| is)?"
            r"|(?:it(?:'s| is) )?(?:worth|important to) (?:remember(?:ing)?|not(?:e|ing)|keep(?:ing)? in mind"
            r"|know(?:ing)?)"
            r" about (?:me|us)|(?:in case|if) (?:it|this|that) (?:ever |should )?(?:comes?|matters?"
            r"|crops?) (?:up )?(?:later|again)?",
            "worth remembering about me",
            "worth seeing",
        ),
    )
)
"""With which a line begins whose rest is to be kept."""

_MEMORY_ZH = (
    "(?:(?:你|您)(?:的|自己的?)?)?(?:长期)?(?:记忆库?|档案(?!馆|袋)|小本[本子]?|(?<=你)本子|(?<=你的)(?:本子|笔记"
    "|备忘录?|记录|资料|档案|后台"
    "|系统|资料库?|数据库)"
    "|脑子|脑海|脑袋瓜?子?|脑门|心坎?|(?:dna|DNA)|骨子|骨头|硬盘|芯片|备忘录?(?=[里中])|对我的(?:了解|认识|印象|记忆)|(?<=你)记(?:着|住)?的(?:信息|资料|东西|内容|情况))"
)
_INTO = f"(?:死|牢|好|一条|一笔|个)*(?:[到在进入上往]|进到|在了)?{_MEMORY_ZH}(?:里|中|上|库)?(?:面|边|头)?(?:去|了)?"
CHINESE = Words(
    (
        Word(
            "牢?牢?(?:记(?:住(?:记住)*|祝|注|主|驻|柱|牢|稳|[先]?实先?|低先?|清楚|下来|起来|一下子?|一记|下"
            "|上(?!面|次|个"
            "|述)|一[笔条]|着点儿?|着|好(?!友|多|几)"
            "|死(?=了|,|:))|[计纪几]住|[计纪]一?下(?=我[不是对有在住叫喜怕家])|记到(?:起|哈|咯)|牢记(?!得)|谨记|铭记|切记(?:切记)?|记录在案|(?<![忘笔日标登])记(?=我|:)|(?<=[要得该请你您我替帮给来快都,])记+(?=[,!~]|$))",
            "记住",
            "记者",
        ),
        Word(
            "记(?:个|一个|件|一件|条|一条|点)小?(?:事儿|事情?|备忘|笔记|东西|信息|小事|数|位置|号码?|时间|地址"
            "|日子|账|重点|要点)|记账(?=:)",
            "记个事",
            "记个单词",
        ),
        Word(
            f"(?:存|保存|写|录|加|放|添加?|记录|更新|录入|写入|存入|加入|记|收|装|刻|焊|印|烙|钉|植入?|锁|塞|揣"
            f"|输入?)(?:一?下|一条)?{_INTO}"
            f"|(?:存|记|放|留|搁)(?:[到在进])?[你您][这那](?:里|儿|边|头)?"
            f"|[往在给]?{_MEMORY_ZH}(?:里|中|上|库)?(?:面|边|头)?(?:请|你|[给帮替][我他她]|也|再|都|可|得|要"
            f"|先)*(?:记|添|加|写|存|录|装|放|揣|补)"
            f"(?:上|着|好|下|进)?(?:一?[条笔个])?|更新(?:一下)?{_MEMORY_ZH}",
            "存到记忆里",
            "存到文件里",
        ),
        Word("(?:remember|note|mark|memo|save|jot)\\s?(?:一下|下)", "remember一下", "remember me"),
        Word(
            "惦记(?:着|点儿?|住)*|挂记着?|放(?:在)?心(?:上|里)|长(?:点儿?|个|些)?记性|上点?心(?=[,:]|$)|(?:心里|心中|脑子里"
            "|脑海里)?(?:可|得|要|也|都"
            "|应该|必须|该)*有(?:个|点)?(?:印象|数|底)(?!据|字|量|学|码|[^,:!了啊哦吧就哈呀喔]{2})"
            "|(?:心里|心中)",
            "心里有数",
            "有数据",
        ),
    )
)
"""What asks for no less than memory, in Chinese."""

NOT_FORGOTTEN = Words(
    (
        Word(
            "(?:不要|别|可别|不能|不许|勿|请勿|切勿|唔好|咪|不可以?|不准)(?:再|给我|让我|转头就|又|轻易|全"
            "|都)*(?:(?:搞|整|弄)?忘(?:记|纪|计|却|掉|光)?了?|唔记得|弄?丢了?)"
            "|勿忘(?!我)|牢?牢?记得|记着(?!呢)",
            "别忘",
            "我忘",
        ),
    )
)
"""The same by its opposite; 别忘了带伞 is a task."""

LOOSE_CHINESE = Words(
    (
        Word(
            "(?:存|记|录|留|登记|备份)(?:一?个|一?条|一下|下)(?:信息|资讯|号码?|地址|资料)(?=[,:\\s]|$)|(?:做|作"
            "|写|留|打|贴|存|备|归|建|加|添)(?:一?个|一?条|一?张|一?份|下|点)?(?:备忘|笔记|记录|纪录|备注|记号"
            "|底|档|案|便签|便条)(?!录|本|案)(?:一下)?|写下来|抄下来|留着(?=以后|回头|备用|[这那:])",
            "做个备忘",
            "做个蛋糕",
        ),
        Word("(?:备注|标注|标记|笔记)(?:一?下|一条|先|上)?|备忘(?!录)", "备注一下", "备用"),
        Word(
            "(?:[存录写加收]进去|存|保存|记录|纪录|收藏|留存|登记|保留|收|留意并保留|保管|录入|录|入库|收录|锁定|寄存"
            "|备案)(?:一?下来?|起来|好|住|着|妥|在案|并保[留存])*(?:一下)?",
            "存一下",
            "在存钱",
        ),
    )
)
"""What is asked of files and forms as well, in Chinese."""

KNOW_CHINESE = Words((Word("知道|清楚|晓得|了解|明白|知悉|想着|上心", "清楚", "清晨"),))
"""What an assistant is told to know, in Chinese: it counts where it is asked in so many words."""
