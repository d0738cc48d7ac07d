"""Valid replies that something has happened to: none makes the checker fall over, none gets a score it does not hold.

`VENIRE_MUTATIONS` says how many are tried, `VENIRE_SEED` which.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from valid_replies import CASES, JUDGE, as_json
from venire.domain.canonical import canonical_json
from venire.domain.judgement import Judgement, Status

MUTATIONS = int(os.environ.get("VENIRE_MUTATIONS", "3000"))
SEED = int(os.environ.get("VENIRE_SEED", "1"))

ODDITIES = [
    *'{}[]:,"\\',
    *("NaN", "-Infinity", "1e400", "-0", "01", "2.0", "1e0", "2.5", "9" * 400, "true", "null", '""', "[]", "{}"),
    *('"\\ud800"', '"\\u0000"', "\\", "\\u", "/**/", "```json\n", "\n```", "<think>", "Overall: 7", "[" * 80, "]" * 80),
    *(
        "\x00",
        "\x1b[2J",
        "\u202e",
        "\u200b",
        "\u00ad",
        "\ufeff",
        "\ufffd",
        "\u0301" * 50,
        "２",
        "٣",
        "²",
        "“",
        "：",
        "，",
    ),
    *("\U0001f468\u200d\U0001f469", "\U000e0041", "\u2028", "\u00a0", "ﬁ", "İ", "\ufdfa"),
]
RAW_ODDITIES = [
    *(text.encode() for text in ODDITIES),
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe4",
]
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9.]+|[{}\[\]:,]|[a-z]+')
NUMBER = re.compile(rb"(?<=: )-?[0-9.]+")

Mutation = Callable[[bytes, random.Random], bytes]


def flip_a_bit(raw: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(raw))
    return raw[:place] + bytes([raw[place] ^ 1 << chance.randrange(8)]) + raw[place + 1 :]


def cut_off(raw: bytes, chance: random.Random) -> bytes:
    return raw[: chance.randrange(len(raw))]


def drop_a_part(raw: bytes, chance: random.Random) -> bytes:
    start, end = a_part(raw, chance)
    return raw[:start] + raw[end:]


def repeat_a_part(raw: bytes, chance: random.Random) -> bytes:
    start, end = a_part(raw, chance)
    return raw[:end] + raw[start:]


def repeat_all(raw: bytes, chance: random.Random) -> bytes:
    return raw + chance.choice([b"", b"\n", b",", b" and "]) + raw


def a_part(raw: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(raw))
    return start, min(len(raw), start + chance.choice([1, 2, 10, 100]))


def swap_tokens(raw: bytes, chance: random.Random) -> bytes:
    tokens = list(TOKEN.finditer(raw))
    if len(tokens) < 2:
        return raw
    one, other = sorted(chance.sample(range(len(tokens)), 2))
    (a, b), (c, d) = tokens[one].span(), tokens[other].span()
    return raw[:a] + raw[c:d] + raw[b:c] + raw[a:b] + raw[d:]


def put_an_oddity(raw: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(raw) + 1)
    return raw[:place] + chance.choice(RAW_ODDITIES) + raw[place:]


def replace_a_token(raw: bytes, chance: random.Random) -> bytes:
    return replace_one(TOKEN, raw, chance.choice(RAW_ODDITIES), chance)


def change_a_number(raw: bytes, chance: random.Random) -> bytes:
    new = chance.choice([b"0", b"1", b"2", b"2.0", b"1e0", b"3", b"4.5", b"10", b"-1", b"0.1e1", b'"1"'])
    return replace_one(NUMBER, raw, new, chance)


def replace_one(pattern: re.Pattern[bytes], raw: bytes, new: bytes, chance: random.Random) -> bytes:
    found = list(pattern.finditer(raw))
    if not found:
        return raw
    start, end = chance.choice(found).span()
    return raw[:start] + new + raw[end:]


def wrap(raw: bytes, chance: random.Random) -> bytes:
    before, after = chance.choice(
        [
            (b"```json\n", b"\n```"),
            (b"Here it is:\n", b""),
            (b"", b"\nI hope it helps."),
            (b"\xef\xbb\xbf", b""),
            (b"[", b"]"),
        ]
    )
    return before + raw + after


WAYS: list[Mutation] = [
    *(flip_a_bit, cut_off, drop_a_part, repeat_a_part, repeat_all, swap_tokens, put_an_oddity, replace_a_token),
    *(change_a_number, change_a_number, wrap),
]


def mutate(raw: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 3])):
        raw = chance.choice(WAYS)(raw, chance) if raw else raw
    return raw


def unsupported(raw: bytes, judgement: Judgement) -> str:
    """Return what a judgement that counts says and its reply does not, by a reading of its own; empty if nothing."""
    if judgement.status is Status.INVALID:
        return ""
    if judgement.status is Status.RECOVERED:
        written = {float(number) for number in re.findall(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", raw)}
        stated = {*judgement.scores.values(), *([] if judgement.scores else [judgement.overall])}
        return "" if stated <= written else f"recovered {stated - written}"
    try:
        value = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=without_duplicates)
    except ValueError as error:
        return f"valid, but {error}"
    if "claims" in value:
        supported = [each["finding"] == "supported" for each in value["claims"]]
        share = sum(supported) / len(supported) if supported else None
        return "" if judgement.overall == share else f"overall {judgement.overall} for {share}"
    pairs = zip(judgement.entries, value["per_file_scores"], strict=True) if judgement.entries else [(judgement, value)]
    for judged, given in pairs:
        if judged.scores != {name: score_in(given["scores"][name]) for name in judged.scores}:
            return f"scores {judged.scores} for {given['scores']}"
        if not judged.scores and judged.overall != given["overall_score"]:
            return f"overall {judged.overall}"
    return ""


def score_in(given: Any) -> Any:
    return given["score"] if isinstance(given, dict) else given


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("it has a duplicate key")
    return dict(pairs)


def test_no_mutated_reply_raises_or_gets_a_score_that_it_does_not_hold(figures) -> None:
    outcomes: Counter[str] = Counter()
    replies = [as_json(reply) for _, _, reply in CASES]
    for number in range(MUTATIONS):
        chance = random.Random(f"{SEED} {number}")
        checker, subject, _ = CASES[number % len(CASES)]
        raw = mutate(replies[number % len(CASES)], chance)

        try:
            judgement = checker.check(raw, subject, judge=JUDGE)
            canonical_json(judgement)
        except Exception as error:
            pytest.fail(f"reply {number} of seed {SEED}: {error!r} for {raw!r}")
        problem = unsupported(raw, judgement)

        assert not problem, f"reply {number} of seed {SEED}: {problem} in {raw!r}"
        outcomes[judgement.status] += 1
    counts = {status.value: outcomes[status] for status in Status}
    figures("mutated replies", replies=MUTATIONS, **counts, exceptions=0, scores_not_in_the_reply=0)
    assert all(counts.values()), counts
