"""What an adaptive jury leaves open waits on the curators' page, without any vote, until somebody decides it."""

from contextlib import closing

import pytest

from making_courts import open_bar, sample_of, write_samples
from venire.domain.jury import JuryChoice, JuryTerms
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger


@pytest.fixture
def bar(tmp_path):
    path = tmp_path / "ledger.sqlite"
    write_samples(path, 3)
    outputs = tuple(sample_of(number).digest for number in range(3))
    terms = JuryTerms(protocol="abc" * 20, asks=(), start=0, scale=(0, 8), seed=0)
    first = JuryChoice(jury="j", number=0, rule="start", terms=terms, outputs=outputs, models=("oak",) * 3)
    end = JuryChoice(jury="j", number=1, rule="end", open=(1,))
    with closing(open_ledger(str(path))) as ledger:
        ledger.append([Draft(Kind.CHOICE, each, "j") for each in (first, end)])
    with open_bar(tmp_path) as opened:
        yield opened


def test_an_open_output_waits_with_the_reason_and_without_votes(bar):
    [item] = bar.ask("curator", "GET", "/api/v1/queue").json()["items"]
    assert (item["inference_id"], item["left_open"], item["votes"]) == ("secretmodel-1", True, [])
    page = bar.ask("curator", "GET", "/queue").text
    assert "no stage was sure enough of its verdict" in page
    assert "The answer 1 of SecretModel is fine." in page


def test_a_decision_on_an_open_output_takes_it_off_the_queue(bar):
    body = {"inference_id": "secretmodel-1", "voter_prompt_id": "jury:abcabcabcabc", "outcome": "accept"}
    assert bar.ask("curator", "POST", "/api/v1/queue/decisions", json=body).status_code == 201
    assert bar.ask("curator", "GET", "/api/v1/queue").json()["items"] == []
    assert bar.ask("curator", "POST", "/api/v1/queue/decisions", json=body).status_code == 409
