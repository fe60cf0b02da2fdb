"""English words of asking: what may stand before a word of keeping, behind it, and in what is kept."""

from nanobot_memory_plugins.core.text import LazyPattern

YOU = frozenset("you u ya ye yer y'all ye'd ye'll you'd you'll you've yourself youd yous thou".split())  # noqa: SIM905
MODAL = frozenset(
    """
    can could would will cud wud can't won't couldn't wouldn't should must shall need needs want wants wanted like
    love prefer ask trouble bother beg count rely trust expect wish hope hoping better best had gotta got ought well
    have mind sure try let make require appreciate favour favor favuor please pls plz kindly
    """.split()  # noqa: SIM905
)
APPRAISES = frozenset(
    """
    great good nice lovely helpful useful handy brilliant awesome ideal essential important crucial vital cool
    wonderful amazing super kind grateful glad happy thankful obliged pleased delighted appreciate help helps love
    wish best chuffed brill fab dear like prefer worth
    """.split()  # noqa: SIM905
)
ASKING = (
    YOU
    | MODAL
    | APPRAISES
    | frozenset(
        """
        and but so also then now ok okay well hey hi hello oh yo oi right yes yeah yep no alright actually btw just
        maybe perhaps possibly simply really very so much ever extremely enormously immensely massively hugely super
        quite rather too most highly always still once again more quickly quick one thing things something first
        finally lastly important importantly fyi sorry thanks thank thx cheers great perfect mate man dude bro pal
        bot nanobot assistant claude hereby request let's chatgpt buddy friend i i'd i'm i'll id im we we'd we're
        we'll me us our it it'd it's its that that'd this these those them all is was be been being to of for if a
        an the do does in on at as by with ask asking going would'd go ahead feel free whatever happens happen
        possible able while about day time times next last there there's here here's later today people dear sir
        madam kids folks gently politely wondering was were might may get getting having take moment second sec
        minute memory part your end side job task please can't get hold somehow anyway anyways hmm um uh lol haha ta
        permanently forever carefully safely firmly properly definitely absolutely ooh aw ah aha eek psst whoa oops argh
        yikes 请 麻烦 帮我 对了 顺便
        """.split()  # noqa: SIM905
    )
)
# Who has one of these before the word is not asked, or not now.
NO_LEAD = frozenset(
    """
    he she they him her his their who what where when why how which did didn't doesn't don't not never none nobody
    cannot said says say tell told asked remembers forgot because since unless until before after than without
    people everyone someone anybody students kids has had've is isn't are aren't wasn't ain't write app browser
    you're
    """.split()  # noqa: SIM905
) - frozenset("is had people kids".split())  # noqa: SIM905
PERSONS = YOU | frozenset(
    """
    i we i'd i'm i'll i've we'd we'll we've it it's it'd it'll its this that that's that'd
    """.split()  # noqa: SIM905
)
WANTING = frozenset("want need like love i'd we'd get have".split())  # noqa: SIM905
# Asides that are as long as a clause.
TALKING = LazyPattern(
    r"\b(?:(?:the )?(?:next|every|each) time (?:we|i|you) (?:talk|speak|chat|ask|meet|come back|write)"
    r"|whatever (?:happens"
    r"|you do|else)|while (?:you're|ur|you are|we're) at it|when(?:ever)? (?:you (?:get|have) a (?:sec|second"
    r"|chance|moment|minute)|you can)"
    r"|from (?:now|here) on(?:wards?)?|going forward"
    r"|if (?:you|u) (?:can|could|would|please|don't mind|wouldn't mind|have a (?:sec|minute|moment)"
    r"|get a chance)(?=[,\s]+\w)|if (?:it's )?possible"
    r"|before i (?:forget|lose it))\b(?! (?:remember|keep|note|bear|jot|save|store|log|make|hold|hang|put|add"
    r"|record|be|commit|retain))"
)
REQUESTING = LazyPattern(
    r"\b(?:be (?:sure|so kind as|so good as|an? (?:\w+ )?(?:dear|love|pal|angel|star|sweetheart|legend|mate|doll"
    r"|gem)|careful|certain)(?: to| and)?"
    r"|(?:make|making) (?:sure|certain)(?: that)?|do me (?:a|another|one) (?:\w+ )?fav(?:ou?|uo)r(?: and)?"
    r"|(?:could|can|may|might|would) (?:i|we) (?:\w+ )?(?:ask|get|trust|count on|have|trouble|bother|rely on|beg"
    r"|request)"
    r"|(?:i|we)(?:'d|'m| am| was|'re| were)? (?:would )?(?:really )?(?:hop(?:e|ing)|wondering|asking|begging"
    r"|counting on|relying on)(?: (?:that|if|whether))?"
    r"(?= (?:you|u)\b)|don't suppose|won't(?= you)|can't(?= you)|why don't(?= you)|see to it that|the (?:following"
    r"|fact))\b"
)
FILLS = (
    r"(?:[\s,]*\b(?:please|pls|plz|for (?:me|us|later|next time|the future|future(?: reference| use)?"
    r"|when i need it|good|now)|forever|later|soon"
    r"|always|too|also|as well|ok|okay|alright|yeah|now|down|away|safe|handy|somewhere(?: safe)?|(?:in|for"
    r"|over) (?:the )?(?:future|long run"
    r"|long term)|thanks?(?: (?:you|u|a lot|so much))?|thx|ta|cheers|mate|lol|haha|from now on|from here on"
    r"|going forward|will (?:you|u)|would (?:you|u)(?: mind)?"
    r"|could (?:you|u)"
    r"|can (?:you|u)|wouldja|if (?:you|u) (?:can|could|would|please|don't mind|have one)|about me"
    r"|when you get a (?:sec|chance)"
    r"|this time|next time|again|first|carefully|properly|well|forevermore|permanently|once and for all"
    r"|on your (?:side|end)|at your end|for the record|(?:in|to|on) (?:your )?(?:memory|notes|records?|file|profile)"
    r"|i beg you|i mean it)\b(?!['’])"
    r"|\s*[哈啊哦吧呀嘛])*+"
)
SUBJECT = (
    r"(?:i|i'm|i've|i'll|i'd|im|my|mine|we|we're|we've|our|the|a|an|he|she|they|it|it's|you|your|his|her|their|its"
    r"|there"
    r"|this|these|all|every|everyone|no|nobody|never|always|when|whenever|if|on|in|at|for|today|tomorrow|next|from"
    r"|ive|id|were|weve|[\w.-]*\d[\w.-]*)"
)
"""Who or what a statement begins with; a bare noun does not tell a statement from a story."""
SAYS = (
    r"(?:is|are|was|were|am|isn't|aren't|has|have|had|will|won't|can|can't|cannot|should|must|likes?|loves?|hates?"
    r"|prefers?"
    r"|uses?|lives?|works?|needs?|wants?|means?|starts?|ends?|goes|runs?|costs?|don't|doesn't|do not|does not"
    r"|never|always"
    r"|i'm|im|ive|dont|doesnt|cant|wont|isnt|arent|got|gets?|takes?|drinks?|eats?|drives?|sleeps?|owns?|owes?"
    r"|wears?|speaks?|studies"
    r"|study|moved|changed|switched|bought|quit|sold|born|belongs?|expires?|closes?|opens?|leaves?|arrives?|parks?"
    r"|parked"
    r"|stays?|keeps?|reads?|write|play|plays|teach|teaches|pay|pays|call|calls|go|do|does|did|may|might|would"
    r"|could|paid|left|started|told|hold|put)"
)
TOLD = LazyPattern(
    r"\b(?:said|says?|tells?|told|wrote|writes?|texts?|texted|asked|asks|translate|sings?|lyrics|quotes?|sign"
    r"|titled?|called"
    r"|named|reads|posted|slogan|motto|e-?mail (?:him|her|them|that)|reply|respond|message|remind (?:him|her|them)"
    r"|story|poem"
    r"|song|script|speech|post|letter|always (?:forgets?|remembers?))\b|[\"“]"
)
"""What makes a text or somebody else's words of what follows."""
