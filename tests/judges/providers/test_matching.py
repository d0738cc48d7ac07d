"""The judge without a model writes replies that are valid whatever they are worth."""

import asyncio

import pytest

from valid_replies import CITING, DRIFT_SAMPLE, GROUNDED, GROUNDED_SAMPLE
from venire.domain.claim import ClaimFinding
from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider
from venire.shapes.check import Checker


def ask(protocol, subject):
    request = Request(
        model="", system="", user="", decoding=Decoding(), reply_schema={}, protocol=protocol, subject=subject
    )
    return asyncio.run(create_provider("matching", {}).ask(request))


@pytest.mark.parametrize("protocol", [GROUNDED, CITING], ids=["words", "sentences"])
def test_its_reply_is_valid_and_names_both_sides(protocol):
    judgement = Checker(protocol).check(ask(protocol, GROUNDED_SAMPLE).text, GROUNDED_SAMPLE)
    assert judgement.findings == ()
    assert [claim.finding for claim in judgement.claims] == [
        ClaimFinding.CONTRADICTED,
        ClaimFinding.SUPPORTED,
        ClaimFinding.ABSENT,
    ]


def test_a_protocol_that_asks_for_scores_is_refused():
    reply = ask(DRIFT_SAMPLE, GROUNDED_SAMPLE)
    assert reply.text is None
    assert reply.error_kind == "bad_request"
    assert "grounded" in reply.error


def test_an_option_that_it_does_not_have_is_refused():
    with pytest.raises(ConfigError):
        create_provider("matching", {"threshold": 1})
