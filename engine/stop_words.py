"""Words that carry no question of their own, one named list a language, folded (lower case, no accents).

German words that mean something in English ("die", "war", "man", "hat") are left out: one tokeniser serves both.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """a about am an and any are as at be because been being but by can could did do does doing done for from get gets got had has have having
    he her hers him his how i if in into is it its just let me my of on or our ours out please shall she should so some such than that the their
    theirs them then there these they this those to too us was we were what when where which while who whom whose why will with would you your yours
    s t d m ll re ve don doesn didn isn aren wasn""".split()
)
GERMAN = frozenset(
    """aber als auf aus bei beim bis da dann das dass dein dem der dich dir doch dort du durch ein eine einem einen einer eines er es
    fur gegen habe haben hatte ich ihm ihn ihr ihre im ins ist ja kann kein keine konnen mein mich mit mir muss nach nein nicht noch nur ob oder
    ohne sehr sein seine sich sie sind soll sollen uber um und uns unser unter vom von vor wann warum was weil wenn wer werden wie wird wir wo zu zum
    zur""".split()
)
CHINESE = frozenset(
    """的 了 吗 呢 吧 啊 是 在 和 与 或 及 我 你 您 他 她 它 们 这 那 有 就 也 都 很 请
    怎么 什么 如何 为什么 怎样 哪里 哪个 我们 你们 他们 怎么办""".split()
)

STOP_LISTS = {"english": ENGLISH, "german": GERMAN, "chinese": CHINESE}
LISTS_OF = {word: tuple(name for name, words in STOP_LISTS.items() if word in words) for words in STOP_LISTS.values() for word in words}
