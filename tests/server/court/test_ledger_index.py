"""What a ledger holds beside votes, in memory."""

from __future__ import annotations

from making_courts import open_bar, sample_of, write_samples
from venire.domain.sample import Sample
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger


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
