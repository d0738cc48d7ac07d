"""Chinese for what records say in English: what findings expect and have found, and why a run or an archive failed.

Records keep their English words, so that they are the same bytes for every reader; only what is shown is translated.
In a phrase `<n>` stands for a number, `<q>` for a quotation, `<w>` for words of the data, `<l>` for a list of
such words, and `<p>` for another phrase.
"""

from __future__ import annotations

import re
from functools import cache

_PLACES = {
    "<n>": r"([-+]?\d[\d.,]*(?:e[-+]?\d+)?…?)",
    "<q>": r"(['\"].*)",
    "<w>": r"(.+?)",
    "<p>": r"(?P<phrase{}>.+?)",
    "<l>": r"(?P<list{}>.+)",
}
_PLACE = re.compile("|".join(_PLACES))

PHRASES: dict[str, str] = {
    "interrupted": "被中断",
    "another run has taken over while the database was away: <w>": "数据库中断期间，另一次运行已接手：{0}",
    "an error has ended the run": "因错误终止",
    "judge <w> was paused: <n> of <n> replies are invalid": "评审 {0} 已暂停：{2} 条回复中有 {1} 条无效",
    "<n> of <n> replies are invalid": "{1} 条回复中有 {0} 条无效",
    "the budget of <n> <p> is reached: <n> spent": "已达预算上限 {0}（{1}），已用 {2}",
    "money": "金额",
    "tokens": "token",
    "calls": "请求数",
    "the process that keeps the limits of the run was lost": "掌管运行限额的进程已丢失",
    "the command that leads the run is gone": "主导运行的命令已退出",
}
"""Phrases in English, and the same in Chinese with what stands in their places in braces."""


def in_chinese(text: str) -> str:
    """Return a phrase in Chinese; what is not in the wording stays as it is.

    >>> in_chinese("words that stand in 'q1' (nfkc)")
    "'q1' 中的原文（nfkc）"
    >>> in_chinese("alder-1")
    'alder-1'
    """
    if text in PHRASES:
        return PHRASES[text]
    for pattern, chinese in _patterns():
        if match := pattern.fullmatch(text):
            kinds = {place: name for name, place in pattern.groupindex.items()}
            return chinese.format(
                *(_filled(each, kinds.get(place, "")) for place, each in enumerate(match.groups(), 1))
            )
    return text


def _filled(text: str, kind: str) -> str:
    if kind.startswith("phrase"):
        return in_chinese(text)
    return text.replace(", ", "、") if kind.startswith("list") else text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    # The longest first: a short phrase may be the beginning or the end of a longer one.
    with_places = sorted(filter(_PLACE.search, PHRASES), key=len, reverse=True)
    return tuple((re.compile(_expression(phrase), re.DOTALL), PHRASES[phrase]) for phrase in with_places)


def _expression(phrase: str) -> str:
    places = iter(_PLACE.findall(phrase))
    between = map(re.escape, _PLACE.split(phrase))
    parts = [next(between)]
    for number, rest in enumerate(between):
        parts += [_PLACES[next(places)].format(number), rest]
    return "".join(parts)
