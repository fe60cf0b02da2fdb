"""Letters that look like Latin ones, and those, place by place.

Made by ``python -m release.look_alikes`` from the confusables of Unicode, as confusable-homoglyphs 3.3.1 (MIT) has
them, and the names of characters; not to be edited by hand.
"""

ALIKE = (
    "×ØøĐđĦħıŁłŦŧƀƁƂƃƄƅƇƈƊƋƌƍƑƒƓƖƗƘƙƚƝƞƟƤƥƦƫƬƭƮƲƳƴƵƶƽǀǤ"
    "ǥǾǿȠȡȤȥȴȵȶȷȺȻȼȽȾȿɀɃɆɇɈɉɋɌɍɎɏɑɓɕɖɗɟɠɡɢɣɦɨɩɪɫɬɭɯɱɲɳɴ"
    "ɵɼɽɾʀʂʄʈʋʏʐʑʙʜʝʟʠͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβγεζηικμνορστυχωϒ"
    "ϜϝϱϲϳϹϺϻЅІЈАВГЕКМНОПРСТУХЬавгекмнопрстухьѕіјѡѴѵҮүһ"
    "ҽӀӏԁԌԍԛԜԝՍՏՕագզհոռստցքօ۱۵۷०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ყჿሀዐᎠᎡᎢᎥᎩ"
    "ᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴᏻᏼᐯᑌᑭᑯᑲᒍᒪᕁᕼᕽᖇᖯᖴᗅᗞᗪᗰᗷ᙭ᚷᛁᛕᛖᴀᴄ"
    "ᴅᴇᴊᴋᴍᴏᴑᴘᴛᴜᴠᴡᴢᴦᵬᵭᵮᵯᵰᵱᵲᵳᵴᵵᵶᵽᶀᶁᶂᶃᶄᶅᶆᶇᶈᶉᶊᶌᶍᶎᶏᶑᶒᶖᶙẝỾỿι℮"
    "ℽ∣∨∪⊤⋁⋃⋿⍳⍴⍺⏽╳⟙⤫⤬⨯ⱠⱡⱢⱣⱤⱥⱦⱧⱨⱩⱪⱫⱬⱮⱱⱲⱳⱴⱸⱺⱾⱿⲅⲎⲏⲒⲓⲔⲕⲘⲙⲚⲛ"
    "ⲞⲟⲢⲣⲤⲥⲦⲧⲨⲩⲬⲭⳐⳑⴸⴹⵏⵔⵕⵝ〇ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴꙇꛟꜰ"
    "ꜱꝀꝁꝂꝃꝄꝅꝈꝉꝊꝋꝌꝍꝐꝑꝒꝓꝔꝕꝖꝗꝘꝙꝞꝟꞎꞐꞑꞒꞓꞔꞕꞖꞗꞘꞙꞟꞠꞡꞢꞣꞤꞥꞦꞧꞨꞩꞪꞬꞭ"
    "ꞯꞲꞳꞴꞵꞸꞹꟄꟅꟆꟇꟈꟉꟊꬲꬴꬵꬶꬷꬸꬹꬺꬻꬽꭇꭈꭉꭋꭌꭎꭒꭓꭖꭗꭘꭙꭚꭰꭱꭲꭵꭹꭺꭻꭼꮁꮃꮇꮋꮍ"
    "ꮐꮒꮓꮟꮢꮤꮥꮩꮪꮮꮯꮲꮶꮷ￨𐊂𐊆𐊇𐊊𐊐𐊒𐊕𐊖𐊗𐊠𐊡𐊢𐊥𐊫𐊰𐊱𐊲𐊴𐋏𐋵𐌁𐌂𐌉𐌑𐌕𐌗𐌠𐌢𐐄𐐕𐐛𐐠𐐬𐐽𐑃"
    "𐑈𐒴𐓂𐓎𐓜𐓪𐓶𐔓𐔖𐔘𐔜𐔝𐔥𐔦𐔧𑓐𑜀𑜆𑜊𑜎𑜏𑢠𑢢𑢣𑢤𑢦𑢩𑢮𑢲𑢵𑢸𑢼𑣀𑣁𑣂𑣃𑣄𑣆𑣈𑣉𑣎𑣒𑣕𑣗𑣘𑣜𑣠𑣣𑣥𑣦"
    "𑣩𑣬𑣯𑣲𖼈𖼊𖼖𖼨𖼵𖼺𖽀𖽂𖽃𝈍𝈓𝈖𝈪𝚤𝚨𝚩𝚬𝚭𝚮𝚰𝚱𝚳𝚴𝚶𝚸𝚻𝚼𝚾𝛂𝛄𝛊𝛎𝛐𝛒𝛔𝛖𝛠𝛢𝛣𝛦𝛧𝛨𝛪𝛫𝛭𝛮"
    "𝛰𝛲𝛵𝛶𝛸𝛼𝛾𝜄𝜈𝜊𝜌𝜎𝜐𝜚𝜜𝜝𝜠𝜡𝜢𝜤𝜥𝜧𝜨𝜪𝜬𝜯𝜰𝜲𝜶𝜸𝜾𝝂𝝄𝝆𝝈𝝊𝝔𝝖𝝗𝝚𝝛𝝜𝝞𝝟𝝡𝝢𝝤𝝦𝝩𝝪"
    "𝝬𝝰𝝲𝝸𝝼𝝾𝞀𝞂𝞄𝞎𝞐𝞑𝞔𝞕𝞖𝞘𝞙𝞛𝞜𝞞𝞠𝞣𝞤𝞦𝞪𝞬𝞲𝞶𝞸𝞺𝞼𝞾𝟈𝟊𝼉𝼑𝼓𝼖𝼚𝼛𝼝𝼞🅐🅑🅒🅓🅔🅕🅖🅗"
    "🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉🆊🇦🇧🇨🇩🇪"
    "🇫🇬🇭🇮🇯🇰🇱🇲🇳🇴🇵🇶🇷🇸🇹🇺🇻🇼🇽🇾🇿🝌🝨"
)
LATIN = (
    "xOoDdHhiLlTtbBBbbbCcDDdgFfGlIKklNnOPpRtTtTVYyZzslG"
    "gOoNdZzlntjACcLTszBEeJjqRrYyabcddjgggyhiiilllwmnnn"
    "orrrrsjtvyzzbhjlqJABEZHlKMNOPTYXabyeznikmvopotuxwY"
    "FfpcjCMmSlJABREKMHONPCTYXbabrekmhonpctyxbsijwVvYyh"
    "elidGgqWwUSOwqqhnnusgfoloVoOooOOoooooooooyoUODRTiY"
    "AJEWMHYGhZbRWSVSLCPKdGBgbVUPdbJLxHxRbFADDMBXXlKMac"
    "dejkmooptuvwzrbdfmnprrstzpbdfgklmnprsvxzadeiufYyie"
    "ylvUTvUEipalXTxxxLlLPRatHhKkZzMvWwveoSZrHhllKkMmNn"
    "OoPpCcTtYyXxLlVElOQXOBPdDTGKJCZFMNLSRVHWXYAElOUiVf"
    "sKkKkKkLlOoOoPpPpPpQqQqVvlNnCcchBbFfuGgKkNnRrSsHGL"
    "qJXBbUuCSZDdSseefglllmnorrrrruuxxxxxydrtiyajerwmhy"
    "ghzbrwsvslcpkdlBEFlXOPSTABCFOMTYXHZBClMTXlXOCLSocl"
    "sROUrouNOKCVFLXOmvwwwVFLYEZELOUTvsFizeozeloouyOmZW"
    "CXWCVTLlRSAUYVFRLiABEZHlKMNOPTYXayivopoupABEZHlKMN"
    "OPTYXayivopoupABEZHlKMNOPTYXayivopoupABEZHlKMNOPTY"
    "XayivopoupABEZHlKMNOPTYXayivopoupFtllriocsabcdefgh"
    "ijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzpabcde"
    "fghijklmnopqrstuvwxyzCT"
)
