"""The ledger as the court sees it."""

from __future__ import annotations

import pytest

from making_courts import open_bar, write_samples
from venire.ledger.checkpoint import create_key
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.server.options import DEFAULT_PROMPT


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    public_key = create_key(folder / "key")
    with open_bar(folder, signing_key=folder / "key") as opened:
        opened.public_key = public_key
        for number in range(9):
            body = {"item": "secretmodel-1", "vote": 1, "voter_id": f"voter-{number}"}
            opened.ask("operator", "POST", "/api/v1/votes", json=body)
        yield opened


def test_a_court_knows_the_end_of_a_ledger_also_if_nothing_is_counted_there(tmp_path):
    write_samples(tmp_path / "ledger.sqlite", 2)
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.VOTE, {"voter_prompt": DEFAULT_PROMPT}, f"voter-prompt:{DEFAULT_PROMPT.id}")])
    end = ledger.append([Draft(Kind.REPLY, {"text": "not read when a court opens"}, "task")])
    ledger.close()

    with open_bar(tmp_path) as bar:
        assert bar.court.state.head == end
