"""Quotes that say where they stand: in the output or in a material, and nowhere else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from valid_replies import DRIFT_SAMPLE, JUDGE, SAMPLE, as_json, sample_reply
from venire.domain.judgement import EvidenceLevel, Judgement
from venire.domain.material import Material, MaterialKind
from venire.domain.protocol import EvalProtocol, MaterialPolicy
from venire.domain.sample import Sample
from venire.shapes.check import Checker

DOCUMENT, REFERENCE, TURN = MaterialKind.DOCUMENT, MaterialKind.REFERENCE, MaterialKind.TURN
MATERIALS = (
    Material("doc-1", DOCUMENT, "The warehouse holds 10² boxes.\nIt closes at six."),
    Material("doc-2", DOCUMENT, "Deliveries arrive on Monday."),
    Material("ref", REFERENCE, "An expected answer."),
    Material("turn-1", TURN, "When does it close?", "user"),
)
GIVEN = msgspec.structs.replace(SAMPLE, materials=MATERIALS)


def under(**policy: Any) -> EvalProtocol:
    given = {"shown": (DOCUMENT, REFERENCE), "quoted": (DOCUMENT,), **policy}
    return msgspec.structs.replace(DRIFT_SAMPLE, id="with-materials", materials=MaterialPolicy(**given))


def quoting(quote: str, source: str | None, protocol: EvalProtocol | None = None, sample: Sample = GIVEN) -> Judgement:
    """Return the judgement of a reply whose first quote is this one, said to stand in this source."""
    reply = sample_reply()
    reply["evidence"][0] |= {"quote": quote} if source is None else {"quote": quote, "source": source}
    return Checker(protocol or under()).check(as_json(reply), sample, judge=JUDGE)


def rules(judgement: Judgement) -> list[str]:
    return [finding.rule for finding in judgement.findings]


@pytest.mark.parametrize(
    ("quote", "source", "level"),
    [
        ("It closes at six.", "doc-1", EvidenceLevel.EXACT),
        ("boxes. It closes", "doc-1", EvidenceLevel.WHITESPACE),
        ("Deliveries arrive", "doc-2", EvidenceLevel.EXACT),
    ],
)
def test_a_quote_is_looked_up_in_the_material_that_it_names(quote: str, source: str, level: EvidenceLevel) -> None:
    judgement = quoting(quote, source)
    assert judgement.valid
    found = judgement.evidence[0]
    assert (found.source, found.level) == (source, level)
    text = next(each.text for each in MATERIALS if each.id == source)
    assert " ".join(text[found.start : found.end].split()) == quote


@pytest.mark.parametrize("source", [None, "output", ""])
def test_a_quote_without_a_source_or_with_output_stands_in_the_output(source: str | None) -> None:
    judgement = quoting("collect the data", source)
    assert judgement.valid
    assert judgement.evidence[0].source == ""


@pytest.mark.parametrize(
    ("quote", "source", "stands_in"),
    [
        ("It closes at six.", "doc-2", "doc-1"),
        ("It closes at six.", "output", "doc-1"),
        ("collect the data", "doc-1", "output"),
        ("An expected answer.", "output", "ref"),
    ],
)
def test_a_quote_that_stands_only_elsewhere_is_misplaced(quote: str, source: str, stands_in: str) -> None:
    judgement = quoting(quote, source)
    assert not judgement.valid
    assert rules(judgement) == ["evidence.not-verbatim"]
    assert f"misplaced: it is from {stands_in!r}" in judgement.findings[0].found


@pytest.mark.parametrize("source", ["doc-3", "ref", "turn-1", "Doc-1"])
def test_a_source_that_is_not_there_or_may_not_be_quoted_is_a_violation(source: str) -> None:
    judgement = quoting("It closes at six.", source)
    assert rules(judgement) == ["evidence.unknown-source"]
    assert "doc-1" in judgement.findings[0].expected
    assert "ref" not in judgement.findings[0].expected
    assert judgement.findings[0].pointer == "/evidence/0/source"


def test_a_number_that_folding_changes_is_no_quote_of_a_document_either() -> None:
    assert quoting("10² boxes", "doc-1").valid
    assert not quoting("102 boxes", "doc-1").valid


def test_a_kind_that_must_be_quoted_must_be_quoted_for_every_dimension() -> None:
    protocol = under(must_quote=(DOCUMENT,))
    reply = sample_reply()
    for item in reply["evidence"]:
        item |= {"quote": "It closes at six.", "source": "doc-1"}
    assert Checker(protocol).check(as_json(reply), GIVEN, judge=JUDGE).valid
    reply["evidence"][2] |= {"quote": "collect the data", "source": "output"}
    judgement = Checker(protocol).check(as_json(reply), GIVEN, judge=JUDGE)
    assert rules(judgement) == ["evidence.missing"]
    assert DRIFT_SAMPLE.dimension_ids[2] in judgement.findings[0].expected
    bare = msgspec.structs.replace(GIVEN, materials=MATERIALS[2:])
    assert quoting("collect the data", "output", protocol, bare).valid  # No document: none can be quoted.


def test_a_protocol_without_materials_knows_no_sources() -> None:
    judgement = quoting("collect the data", "output", DRIFT_SAMPLE)
    assert rules(judgement) == ["contract.unknown-field"]
    seed = Checker(DRIFT_SAMPLE, profile="seed")
    reply = sample_reply()
    reply["evidence"][0]["source"] = "doc-1"
    judgement = seed.check(as_json(reply), GIVEN, judge=JUDGE)
    assert judgement.valid
    assert judgement.evidence[0].source == ""


def test_the_schema_offers_a_source_only_where_materials_may_be_quoted() -> None:
    def offers(protocol: EvalProtocol) -> bool:
        return "source" in Checker(protocol).schema()["properties"]["evidence"]["items"]["properties"]

    assert offers(under())
    assert not offers(under(quoted=()))
    assert not offers(DRIFT_SAMPLE)


def test_a_reply_checked_the_fast_way_and_the_thorough_way_is_judged_alike() -> None:
    fast = quoting("It closes at six.", "doc-1")
    reply = sample_reply()
    reply["evidence"][0] |= {"quote": "It closes at six.", "source": "doc-1"}
    padded = b" " + as_json(reply).replace(b'"notes"', b'"\\u006eotes"')  # An escape is left to the thorough way.
    thorough = Checker(under()).check(padded, GIVEN, judge=JUDGE)
    assert msgspec.structs.replace(thorough, reply_sha256=fast.reply_sha256) == fast
