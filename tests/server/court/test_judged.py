"""What was judged: which judgement is shown, and how its findings can be said again."""

from __future__ import annotations

import msgspec

from courthouse import SPLIT, write_judged_ledger
from valid_replies import DRIFT_SAMPLE, JUDGE, SAMPLE
from venire.domain.flag import Finding
from venire.domain.judgement_key import JudgementKey
from venire.server.court.court import Court
from venire.server.court.judged import say_again
from venire.server.options import ServerOptions
from venire.shapes.check import Checker
from venire.words.said import Said


def test_findings_that_were_derived_alike_know_their_codes_and_others_stay_as_they_are_stored():
    derived = Checker(DRIFT_SAMPLE).check(b"{}", SAMPLE, judge=JUDGE)
    plain = [msgspec.convert(msgspec.to_builtins(each, enc_hook=str), Finding) for each in derived.findings]
    changed = msgspec.structs.replace(plain[0], found="something else")
    kept = msgspec.structs.replace(derived, findings=(changed, *plain[1:]))

    again = say_again(kept, derived, None)

    assert again == kept
    assert [isinstance(each.expected, Said) for each in again.findings] == [False] + [True] * (len(plain) - 1)
    assert say_again(kept, None, None) is kept


def test_a_judgement_is_found_by_its_key_and_no_entry_of_a_bundle_where_there_is_none(tmp_path):
    court = Court(ServerOptions(ledger=str(write_judged_ledger(tmp_path / "ledger.sqlite"))))
    row = next(each for each in court.state.index.judgements if each.sample == SPLIT)

    found = court.judged.view(JudgementKey(row.key))

    assert found is not None
    assert (found.identity["target_model"], found.identity["question_id"]) == ("birch-2", "q0")
    assert court.judged.view(JudgementKey(row.key, 0)) is None
    assert court.judged.view(JudgementKey("none")) is None
    court.state.close()
