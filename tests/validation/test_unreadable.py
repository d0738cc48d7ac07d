"""A reply without any JSON object is invalid, and an evasion if it says nothing or only words."""

import pytest

from valid_replies import DRIFT_SAMPLE, SAMPLE
from venire.domain.judgement import EvidenceLevel, Status
from venire.validation.evidence import PreparedSample
from venire.validation.strict_json import read_strictly
from venire.validation.terms import Terms
from venire.validation.unreadable import unreadable

TERMS = Terms(DRIFT_SAMPLE, DRIFT_SAMPLE.scale())


@pytest.mark.parametrize(
    ("raw", "rules"),
    [
        (b"", ["json.empty", "judge.no-scores"]),
        (b"I will not.", ["json.syntax", "judge.no-scores"]),
        (b"{", ["json.syntax"]),
    ],
)
def test_what_has_no_object_is_invalid(raw, rules):
    judgement = unreadable(TERMS, read_strictly(raw), "digest", PreparedSample(SAMPLE))
    assert (judgement.status, judgement.evidence_level) == (Status.INVALID, EvidenceLevel.OFF)
    assert [finding.rule for finding in judgement.findings] == rules
    assert (judgement.sample, judgement.reply_sha256) == (SAMPLE.output_id, "digest")
