"""Votes come from a table or a ledger, whichever is named."""

import pytest

from making_votes import vote_frame, vote_row
from venire.errors import UsageError
from venire.ledger.location import open_ledger
from venire.votes.reading.source import open_vote_source
from venire.votes.reading.table import VoteOptions
from venire.workflows.import_votes import import_votes, votes_of_frame

ROWS = [vote_row(0.5, prompt="p"), vote_row(1.0, voter="y", prompt="q")]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "votes.PARQUET"
    vote_frame(ROWS).write_parquet(path)
    return str(path)


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "votes.sqlite")
    opened = open_ledger(path)
    import_votes(opened, votes_of_frame(vote_frame(ROWS)))
    opened.close()
    return path


def test_a_table_brings_its_account_and_a_ledger_its_prompts(table, ledger):
    of_table, of_ledger = open_vote_source(table), open_vote_source(ledger)
    assert (of_table.table.votes, of_table.ledger, of_table.labels) == (2, None, False)
    assert (of_ledger.table, of_ledger.ledger.superseded, of_ledger.labels) == (None, 0, False)
    assert of_table.frame["vote"].to_list() == of_ledger.frame["vote"].to_list() == [0.5, 1.0]
    assert open_vote_source(table, VoteOptions(labels=True)).labels


@pytest.mark.parametrize("source", ["table", "ledger"])
def test_only_votes_under_the_named_prompt_are_left_and_another_one_is_refused(source, request):
    location = request.getfixturevalue(source)
    assert open_vote_source(location, prompt="q").frame["vote"].to_list() == [1.0]
    with pytest.raises(UsageError, match="no votes under the voter prompt 'r'") as caught:
        open_vote_source(location, prompt="r")
    assert caught.value.hint == "There are: 'p', 'q'."
