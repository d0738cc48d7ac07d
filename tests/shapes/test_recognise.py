"""Which protocol a reply was given to is told by what it declares, or else by its form and its dimensions."""

import json

import pytest

from valid_replies import (
    DRIFT_BUNDLE,
    DRIFT_SAMPLE,
    GROUNDED,
    QUALITY,
    as_json,
    bundle_reply,
    grounded_reply,
    quality_reply,
    sample_reply,
)
from venire.shapes.recognise import form_of, other_form, recognise

KNOWN = (DRIFT_SAMPLE, DRIFT_BUNDLE, QUALITY, GROUNDED)


@pytest.mark.parametrize(
    ("reply", "protocol"),
    [
        (sample_reply(), DRIFT_SAMPLE),
        (bundle_reply(), DRIFT_BUNDLE),
        (quality_reply(), QUALITY),
        (grounded_reply(), GROUNDED),
    ],
)
def test_a_reply_is_recognised_by_its_structure(reply, protocol):
    assert recognise(as_json(reply), KNOWN) is protocol
    assert form_of(reply).id == protocol.shape
    assert other_form(as_json(reply), protocol) is None


def test_what_a_reply_declares_counts_more_than_its_structure():
    assert recognise(json.dumps({"protocol": "quality", "per_file_scores": []}).encode(), KNOWN) is QUALITY
    assert recognise(as_json({**sample_reply(), "protocol_id": DRIFT_BUNDLE.digest}), KNOWN) is DRIFT_BUNDLE


@pytest.mark.parametrize("raw", [b"", b"no JSON", b"{}", b'{"scores": {"a": 1}}', b'{"per_file_scores": []}'])
def test_what_cannot_be_told_is_not_guessed(raw):
    assert recognise(raw, KNOWN) is None


def test_fewer_than_half_of_the_dimensions_do_not_make_it_this_protocol():
    scores = {DRIFT_SAMPLE.dimension_ids[0]: 1, "x": 1, "y": 1}
    assert recognise(json.dumps({"verdict": "PASS", "scores": scores}).encode(), KNOWN) is None


def test_a_reply_of_another_form_is_one_finding_that_names_both_forms():
    finding = other_form(as_json(bundle_reply()), DRIFT_SAMPLE)
    assert (finding.rule, finding.expected, finding.found) == (
        "reply.other-protocol",
        "a reply on one sample",
        "a reply on a whole bundle",
    )
