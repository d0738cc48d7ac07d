"""Judgements as votes: by a stated rule, marked, and never more than the judgements allow."""

from datetime import UTC, datetime

import msgspec
import pytest

from venire.domain.canonical import sha256_hex
from venire.domain.judgement import Judgement, Method, Status
from venire.domain.vote import VoterKind
from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.records import JudgementRecord
from venire.runner.task import make_task
from venire.votes.analysis.judges_against_people import judges_against_people
from venire.votes.entries import read_ledger_votes
from venire.votes.from_judgements import votes_of_judgements
from venire.workflows.import_votes import import_votes

PROTOCOL = find_protocol("drift-sample")
NOW = datetime(2025, 1, 1, tzinfo=UTC)


def ledger_with(*judged, protocol=True):
    ledger = MemoryLedger(now=lambda: NOW)
    if protocol:
        ledger.append([Draft(Kind.PROTOCOL, PROTOCOL, PROTOCOL.digest)])
    for name, changes, repeat in judged:
        task = make_task("glm", "f" * 64, PROTOCOL.digest, "p" * 64, sha256_hex(name.encode()), repeat)
        judgement = Judgement(
            protocol=PROTOCOL.digest, profile="", reply_sha256="", sample=name, sample_digest=task.sample_digest,
            status=Status.VALID, overall=6.0, verdict="PARTIAL", scale=PROTOCOL.scales[0].id,
        )  # fmt: skip
        record = JudgementRecord(task, msgspec.structs.replace(judgement, **changes))
        ledger.append([Draft(Kind.JUDGEMENT, record, f"{name} {repeat}")])
    return ledger


def test_an_overall_score_is_scaled_to_a_vote():
    (vote,) = votes_of_judgements(ledger_with(("a", {}, "0")), "overall").votes
    assert vote.vote == 0.75
    assert (vote.inference_id, vote.voter_id, vote.voter_kind) == ("a", "judge:glm@ffffffff", VoterKind.JUDGE)
    assert (vote.rule, vote.vote_time) == ("overall", NOW)
    assert vote.voter_prompt_id == f"protocol:{PROTOCOL.digest[:12]}"


@pytest.mark.parametrize(("verdict", "value"), [("PASS", 1.0), ("PARTIAL", 0.5), ("FAIL", 0.0)])
def test_a_verdict_is_a_vote(verdict, value):
    (vote,) = votes_of_judgements(ledger_with(("a", {"verdict": verdict}, "0")), "verdict").votes
    assert vote.vote == value


def test_what_is_not_valid_or_was_a_check_becomes_no_vote_and_is_counted():
    ledger = ledger_with(
        ("a", {"status": Status.INVALID}, "0"),
        ("b", {"overall": None}, "0"),
        ("c", {"method": Method.SELF_JUDGE}, "0"),
        ("d", {}, "0"),
        ("d", {"overall": 0.0}, "retest-1"),
    )
    found = votes_of_judgements(ledger, "overall")
    assert [vote.inference_id for vote in found.votes] == ["d"]
    assert found.left_out == {
        "invalid": 1,
        "without an overall score": 1,
        "self-judged": 1,
        "asked to check consistency": 1,
    }


def test_the_entries_of_a_bundle_vote_one_by_one():
    entry = Judgement(
        protocol=PROTOCOL.digest, profile="", reply_sha256="", sample="x", sample_digest="", status=Status.VALID,
        overall=8.0, scale=PROTOCOL.scales[0].id,
    )  # fmt: skip
    entries = (entry, msgspec.structs.replace(entry, sample="y", overall=0.0))
    found = votes_of_judgements(ledger_with(("bundle", {"entries": entries}, "0")), "overall")
    assert [(vote.inference_id, vote.vote) for vote in found.votes] == [("x", 1.0), ("y", 0.0)]


def test_a_ledger_without_its_protocol_is_not_trusted():
    with pytest.raises(LedgerError, match="protocol"):
        votes_of_judgements(ledger_with(("a", {}, "0"), protocol=False), "overall")


def test_votes_of_judges_stay_marked_in_the_ledger():
    ledger = ledger_with(("a", {}, "0"))
    done = import_votes(ledger, votes_of_judgements(ledger, "overall", voter_prompt_id="funny").votes)
    frame = read_ledger_votes(ledger).frame
    assert done.added == 1
    assert frame.select("voter_kind", "rule", "voter_prompt_id").cast(str).rows() == [("judge", "overall", "funny")]


def test_judges_without_people_beside_them_are_not_compared():
    ledger = ledger_with(("a", {}, "0"))
    import_votes(ledger, votes_of_judgements(ledger, "overall").votes)
    assert judges_against_people(read_ledger_votes(ledger).frame) == ()


def test_the_first_valid_reply_counts_where_a_judge_was_asked_again():
    ledger = ledger_with(("a", {"status": Status.INVALID, "overall": 1.0}, "0"), ("a", {"overall": 8.0}, "reask-1"))
    found = votes_of_judgements(ledger, "overall")
    assert [vote.vote for vote in found.votes] == [1.0]
    assert found.left_out == {}
