"""The queue of disputed items, and what curators decide."""

from datetime import UTC, datetime, timedelta

import pytest

from venire.domain.curation import Outcome
from venire.domain.vote import Vote, VoterPrompt
from venire.errors import UsageError
from venire.ledger.memory import MemoryLedger
from venire.votes.entries import VoteEntry, read_ledger_votes, record_prompt, vote_draft
from venire.votes.queue import decide, vote_queue
from venire.words.language import Words

START = datetime(2025, 1, 1, tzinfo=UTC)


def ledger_of(**items):
    """Return a ledger with the votes on each item, an hour apart."""
    ledger = MemoryLedger()
    record_prompt(ledger, VoterPrompt("p", "Is it good?\nLook twice."))
    for item, votes in items.items():
        for hour, vote in enumerate(votes):
            moment = START + timedelta(hours=hour)
            cast = Vote(inference_id=item, vote=vote, voter_id=f"v{hour}", vote_time=moment, voter_prompt_id="p")
            ledger.append([vote_draft(VoteEntry(cast))])
    return ledger


def queued(ledger, **options):
    return vote_queue(read_ledger_votes(ledger), **options)


def settle(ledger, item, outcome=Outcome.ACCEPT, **keys):
    return decide(
        ledger, **({"curator": "c", "now": START + timedelta(days=1)} | keys), inference_id=item, outcome=outcome
    )


def test_only_disputed_items_are_queued_the_most_disputed_first():
    found = queued(ledger_of(calm=[0.5] * 4, some=[0.2, 0.8] * 2, most=[0.0, 1.0, None, 0.0, 1.0], few=[0.0, 1.0]))
    assert [item.inference_id for item in found] == ["most", "some"]
    assert found[0].prompt == "Is it good?"
    times = [START + timedelta(hours=hour) for hour in range(5)]
    assert found[0].votes == tuple(
        (f"v{hour}", vote, times[hour]) for hour, vote in ((0, 0.0), (1, 1.0), (3, 0.0), (4, 1.0))
    )
    assert found[1].reason == "variance of the last batch 0.0900 > 0.05; variance of all votes 0.0900 > 0.05"
    assert Words("zh").of(found[1].reason).startswith("最近一批的方差 0.0900")


def test_a_queue_as_of_a_moment_has_only_votes_up_to_it():
    ledger = ledger_of(a=[0.0, 1.0, 0.0, 1.0])
    assert queued(ledger, as_of=START + timedelta(hours=1)) == []
    assert len(queued(ledger, as_of=START + timedelta(hours=2))[0].votes) == 3


def test_a_settled_item_leaves_the_queue_but_not_the_queue_of_an_earlier_moment():
    ledger = ledger_of(a=[0.0, 1.0, 0.0, 1.0])
    decided = settle(ledger, "a")
    assert (decided.score, decided.votes, decided.voter_prompt_id) == (0.5, 4, "p")
    assert decided.variance == pytest.approx(0.25)
    assert queued(ledger) == []
    (earlier,) = queued(ledger, as_of=START + timedelta(hours=2))
    assert earlier.decisions == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"curator": " "}, "the pseudonym of the curator"),
        ({"voter_prompt_id": "q"}, "nobody voted on 'a' under the prompt 'q'"),
    ],
)
def test_a_decision_needs_a_curator_and_a_prompt_that_was_asked(change, said):
    with pytest.raises(UsageError, match=said):
        settle(ledger_of(a=[0.0, 1.0]), "a", **change)


def test_a_decision_names_the_prompt_where_there_are_several():
    ledger = ledger_of(a=[0.0, 1.0])
    other = Vote(inference_id="a", vote=1.0, voter_id="x", vote_time=START)
    ledger.append([vote_draft(VoteEntry(other))])
    with pytest.raises(UsageError, match="cast under 2 prompts") as caught:
        settle(ledger, "a")
    assert "--prompt ''" in caught.value.hint
    assert settle(ledger, "a", voter_prompt_id="").votes == 1
    with pytest.raises(UsageError, match="nobody voted on the output 'b'"):
        settle(ledger, "b")
