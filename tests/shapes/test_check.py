"""What holds for every reply: nothing raises, nothing changes, it can be recorded, and the fast way is the same."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from valid_replies import (
    BUNDLE,
    CASES,
    DRIFT_BUNDLE,
    DRIFT_SAMPLE,
    JUDGE,
    QUALITY,
    QUALITY_SAMPLE,
    SAMPLE,
    as_json,
    bundle_reply,
    quality_reply,
    sample_reply,
)
from venire.domain.canonical import canonical_json
from venire.domain.flag import Finding
from venire.domain.judgement import Judgement
from venire.shapes.bundle_reader import BundleReader
from venire.shapes.check import Checker, check, check_all
from venire.shapes.criteria import CriteriaReader
from venire.shapes.sample_reader import SampleReader
from venire.validation.compiled import CompiledContract
from venire.validation.contract import Node
from venire.validation.strict_json import read_strictly
from venire.validation.terms import Terms

FIELDS = (
    "meta scores verdict flags evidence notes per_file_scores aggregates avg_total file bundle_meta total "
    "overall_score quote dimension score accuracy"
)
KEYS = st.sampled_from([*FIELDS.split(), *DRIFT_BUNDLE.dimension_ids])
NUMBERS = st.one_of(st.integers(), st.integers(10**300, 10**301), st.floats(), st.sampled_from([0, 1, 2, 1e308, -0.0]))
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(), st.sampled_from(["...", "\ud800", "q3 long implicit.pdf"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(KEYS, st.text()), inner, max_size=6)
    ),
    max_leaves=12,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in a value with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in [(value, key), *places(item)]]


@st.composite
def near_valid(draw: st.DrawFn, reply: dict[str, Any]) -> Any:
    """Draw a valid reply with up to three places changed, dropped or added to."""
    changed = copy.deepcopy(reply)
    for _ in range(draw(st.integers(0, 3))):
        spots = places(changed)
        if not spots:
            break
        holder, key = draw(st.sampled_from(spots))
        action = draw(st.sampled_from(["put", "drop", "add"]))
        if action == "put":
            holder[key] = draw(JSON_VALUES)
        elif action == "drop":
            del holder[key]
        elif isinstance(holder, dict):
            holder[draw(st.one_of(KEYS, st.text()))] = draw(JSON_VALUES)
        else:
            holder.insert(key, draw(JSON_VALUES))
    return changed


def raw_json(value: Any, *, escape: bool) -> bytes:
    text = json.dumps(value, ensure_ascii=escape)
    return text.encode("utf-8", "surrogatepass")


def must_be_a_record(judgement: Judgement) -> None:
    encoded = canonical_json(judgement)
    assert msgspec.convert(json.loads(encoded), Judgement) == judgement
    assert len(judgement.digest) == 64


@settings(max_examples=draws(150), deadline=None)
@given(st.sampled_from(CASES), JSON_VALUES, st.booleans())
def test_any_json_value_as_a_reply_gives_a_judgement(case: Any, value: Any, escape: bool) -> None:
    checker, subject, _ = case
    must_be_a_record(checker.check(raw_json(value, escape=escape), subject, judge=JUDGE))


@settings(max_examples=draws(150), deadline=None)
@given(st.sampled_from(CASES), st.one_of(st.text(), st.text('{}[]":,\\ue0123456789.-truefalsn NaI'), st.binary()))
def test_any_text_and_any_bytes_as_a_reply_give_a_judgement(case: Any, reply: str | bytes) -> None:
    checker, subject, _ = case
    must_be_a_record(checker.check(reply, subject, judge=JUDGE))


@settings(max_examples=draws(300), deadline=None)
@given(st.data(), st.sampled_from(CASES), st.booleans())
def test_a_reply_that_is_nearly_valid_gives_a_judgement(data: st.DataObject, case: Any, escape: bool) -> None:
    checker, subject, reply = case
    raw = raw_json(data.draw(near_valid(reply)), escape=escape)
    judgement = checker.check(raw, subject, judge=JUDGE)
    must_be_a_record(judgement)
    assert checker.check(raw, subject, judge=JUDGE) == judgement


@settings(max_examples=draws(300), deadline=None)
@given(st.data(), st.sampled_from(CASES))
def test_a_reply_written_with_escapes_gives_the_same_judgement(data: st.DataObject, case: Any) -> None:
    # Escapes lead past every shortcut for replies that are as they should be.
    checker, subject, reply = case
    value = data.draw(near_valid(reply))
    plain, escaped = raw_json(value, escape=False), raw_json(value, escape=True).replace(b" ", b"\n", 1)
    try:
        plain.decode()
    except UnicodeDecodeError:
        return  # a lone surrogate can only be written as an escape
    one, other = (checker.check(raw, subject, judge=JUDGE) for raw in (plain, escaped))
    assert without_reply_digest(one) == without_reply_digest(other)


def without_reply_digest(judgement: Judgement) -> Judgement:
    entries = tuple(without_reply_digest(entry) for entry in judgement.entries)
    return msgspec.structs.replace(judgement, reply_sha256="", entries=entries)


@pytest.mark.parametrize(
    ("protocol", "subject", "reply"),
    [
        (DRIFT_SAMPLE, SAMPLE, sample_reply()),
        (DRIFT_BUNDLE, BUNDLE, bundle_reply()),
        (QUALITY, QUALITY_SAMPLE, quality_reply()),
    ],
    ids=["drift-sample", "drift-bundle", "quality"],
)
def test_checking_is_a_pure_function_of_its_arguments(protocol: Any, subject: Any, reply: dict[str, Any]) -> None:
    raw, before = as_json(reply), msgspec.json.encode(subject)
    first = check(raw, subject, protocol)
    assert check(raw, subject, protocol) == first
    assert check(raw.decode(), subject, protocol, evidence="nfkc") == first
    assert list(check_all([(raw, subject), (raw, subject)], protocol)) == [first, first]
    assert msgspec.json.encode(subject) == before


def test_a_judgement_is_the_same_in_every_process() -> None:
    program = (
        "from venire.shapes.check import check\nfrom venire.protocols.catalogue import find_protocol\n"
        "extra = ','.join(f'\"k{n}\": 1' for n in range(30))\n"
        "print(check('{' + extra + '}', None, find_protocol('drift-sample')).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def terms(checker: Checker) -> Terms:
    return checker.terms


BUNDLE_TERMS = terms(Checker(DRIFT_BUNDLE))
assert DRIFT_BUNDLE.design is not None
CONTRACTS: list[tuple[Node, dict[str, Any]]] = [
    (SampleReader(terms(Checker(DRIFT_SAMPLE))).contract(), sample_reply()),
    (SampleReader(terms(Checker(DRIFT_SAMPLE, blind=True))).contract(), sample_reply()),
    (BundleReader(BUNDLE_TERMS).contract(), bundle_reply()),
    (CriteriaReader(terms(Checker(QUALITY))).contract(QUALITY.categories[0]), quality_reply()),
    (CriteriaReader(terms(Checker(QUALITY, scale="0-10"))).contract(QUALITY.categories[0]), quality_reply()),
]
COMPILED = [(CompiledContract(node), node, reply) for node, reply in CONTRACTS]


def slow_value(raw: bytes, node: Node) -> dict[str, Any] | None:
    """Return what the thorough way reads, if it has nothing to say about it."""
    reply = read_strictly(raw)
    if reply.value is None or reply.findings:
        return None
    findings: list[Finding] = []
    node.check(reply.value, (), findings)
    return None if findings else reply.value


def has_long_integer(value: Any) -> bool:
    return any(type(holder[key]) is int and abs(holder[key]) >= 2**63 for holder, key in places(value))


def is_nested(value: Any) -> bool:
    """Tell whether the freely chosen parts of a blind judge's meta hold objects or arrays."""
    meta = value.get("meta") if isinstance(value, dict) else None
    return isinstance(meta, dict) and any(isinstance(item, (dict, list)) for item in meta.values())


@settings(max_examples=draws(400), deadline=None)
@given(st.data(), st.sampled_from(COMPILED))
def test_the_fast_way_reads_exactly_what_the_thorough_way_accepts(data: st.DataObject, case: Any) -> None:
    compiled, node, reply = case
    value = data.draw(near_valid(reply))
    raw = raw_json(value, escape=False)
    fast, slow = compiled.read(raw), slow_value(raw, node)
    if fast is not None:
        assert fast == slow
    elif slow is not None:
        # Left to the thorough way on purpose: escapes, integers that overflow, and free values with depth.
        assert b"\\u" in raw or has_long_integer(value) or is_nested(value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"notes": ""', '"notes": "", "notes": ""'),
        ('"notes": ""', '"notes": "", "extra": 1'),
        ('"notes": ""', '"notes": "\t"'),
        ('"COMPLETENESS": 1', '"COMPLETENESS": 1.5'),
        ('"COMPLETENESS": 1', '"COMPLETENESS": true'),
        ('"COMPLETENESS": 1', '"COMPLETENESS": 01'),
        ('"overall_score": 6', '"overall_score": 1e999'),
        ('"overall_score": 6', '"overall_score": ' + "6" * 400),
        ('"overall_score": 6', '"overall_score": 6, "overall_score": 6'),
    ],
)
def test_the_fast_way_is_as_strict_as_the_thorough_one(old: str, new: str) -> None:
    text = as_json(sample_reply()).decode()
    assert text.count(old) == 1
    compiled, node, _ = COMPILED[0]
    assert compiled.read(text.encode()) == sample_reply()
    spoilt = text.replace(old, new).encode()
    assert compiled.read(spoilt) is None
    assert slow_value(spoilt, node) is None


@pytest.mark.parametrize("around", ["\ufeff{}", "{} x", "x {}", "[{}]", "{}\x00", "{}{}"])
def test_the_fast_way_accepts_nothing_around_the_object(around: str) -> None:
    text = around.replace("{}", as_json(sample_reply()).decode())
    assert COMPILED[0][0].read(text.encode()) is None
