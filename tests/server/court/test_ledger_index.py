"""What a ledger holds beside votes, in memory."""

from __future__ import annotations

import pytest

from making_courts import open_bar, sample_of, write_samples
from report_ledger import design, scoring, write_ledger
from venire.domain.sample import Sample
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.server.court.ledger_index import LedgerIndex
from venire.server.people.court_secret import CourtSecret


def test_an_output_that_is_brought_again_with_another_text_takes_the_place_of_the_first(tmp_path):
    write_samples(tmp_path / "ledger.sqlite", 2)
    later = Sample(sample_of(0).output_id, "Another text.", target_model="SecretModel")
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.SAMPLE, {"sample": later}, later.digest)])
    ledger.close()

    with open_bar(tmp_path) as bar:
        index = bar.court.state.index
        assert [each.output_id for each in index.samples] == ["secretmodel-0", "secretmodel-1"]
        known = index.sample("secretmodel-0")
        assert (known.digest, known.characters) == (later.digest, len("Another text."))
        assert index.sample(known.handle) is known
        assert index.sample("none") is None


def test_what_a_run_has_cost_is_what_its_last_entry_says(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=2), {"oak": scoring(), "elm": scoring()})
    ledger = open_ledger(str(path))
    try:
        index = LedgerIndex(CourtSecret(b"a secret"))
        for entry in ledger.read():
            index.add(entry)
        told = next(ledger.read(kinds=[Kind.RUN_CLOSED])).content["counts"]
    finally:
        ledger.close()
    assert index.runs[-1].costs == {judge: pytest.approx(counts["cost"]) for judge, counts in told.items()}
    assert all(cost > 0 for cost in index.runs[-1].costs.values())
