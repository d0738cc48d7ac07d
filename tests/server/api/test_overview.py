"""What the server says of itself and of who asks."""

from __future__ import annotations

from venire.version import __version__


def test_anyone_may_ask_whether_the_server_answers(bar):
    assert bar.ask("stranger", "GET", "/api/v1/health").json() == {"status": "ok", "version": __version__}
    assert bar.ask("stranger", "GET", "/api/v1/ready").json() == {"status": "ok"}


def test_a_person_is_told_role_and_pseudonym(bar):
    asked = bar.ask("juror", "GET", "/api/v1/me").json()
    assert asked == {"role": "juror", "pseudonym": bar.pseudonym("juror")}


def test_the_overview_counts_what_the_ledger_holds(bar):
    bar.ask("operator", "POST", "/api/v1/votes", json={"item": "secretmodel-1", "vote": 1, "voter_id": "ann"})
    counted = bar.ask("reader", "GET", "/api/v1/overview").json()
    assert (counted["samples"], counted["votes"], counted["voters"], counted["items"]) == (3, 1, 1, 1)
    assert counted["mean_score"] == 1
