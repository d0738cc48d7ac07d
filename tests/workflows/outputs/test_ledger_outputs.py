"""One output of a ledger with everything that is known of it."""

from datetime import UTC, datetime

import pytest

from courthouse import SPLIT
from report_ledger import design, scoring, write_ledger
from venire.domain.reader_mark import ReaderMark, Remark
from venire.errors import UsageError
from venire.ledger.location import open_ledger
from venire.reports.outputs.asked import Only, OutputFilter
from venire.reports.outputs.rows import OutputRow
from venire.workflows.audit import audit
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.listing import list_outputs

MOMENT = datetime(2025, 3, 14, tzinfo=UTC)


def row_of(outputs: LedgerOutputs, name: str) -> OutputRow:
    return next(row for row in list_outputs(outputs.index, OutputFilter(text=name)).rows if row.output_id == name)


def mark(row: OutputRow, **said: object) -> ReaderMark:
    return ReaderMark(
        output_id=row.output_id, output=row.digest, remark=Remark.WRONG, author="ann", marked_at=MOMENT, **said
    )


def test_an_output_is_shown_with_text_task_judgements_and_votes(outputs):
    one = outputs.show(row_of(outputs, SPLIT))
    assert one.text == "An answer of worth 6. It names line 0."
    assert one.task == "Answer question q0 in two sentences."
    assert {each.judge for each in one.judgements} == {"oak", "elm"}
    assert sorted(each.vote for each in one.people) == [0, 0, 1, 1]


def test_a_judgement_is_shown_with_reply_quotes_tokens_and_cost(outputs):
    oak = next(each for each in outputs.show(row_of(outputs, SPLIT)).judgements if each.judge == "oak")
    assert (oak.overall, oak.overall_maximum, oak.score, oak.verdict) == (6, 8, 7.5, "PARTIAL")
    assert '"overall_score": 6' in oak.reply
    assert [item.quote for item in oak.evidence][:1] == ["An answer of worth 6. It names line 0."]
    assert (oak.input_tokens, oak.output_tokens) == (10, 5)
    assert oak.cost == pytest.approx((10 * 1.0 + 5 * 2.0) / 1e6)


def test_an_invalid_reply_is_shown_with_what_is_wrong_and_does_not_count(outputs):
    row = list_outputs(outputs.index, OutputFilter(only=Only.INVALID)).rows[0]
    invalid = next(each for each in outputs.show(row).judgements if each.status == "invalid")
    assert not invalid.counted
    assert invalid.findings
    assert invalid.reply == "I would rather not say."


def test_marks_stand_in_the_ledger_with_their_author_and_leave_it_intact(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1), {"oak": scoring()})
    ledger = open_ledger(str(path))
    outputs = LedgerOutputs(ledger, str(path))
    while outputs.catch_up():
        pass
    row = list_outputs(outputs.index, OutputFilter()).rows[0]
    judgement = outputs.show(row).judgements[0].key
    ledger.append([outputs.check_mark(mark(row, judgement=judgement, text="It does name the line."))])
    while outputs.catch_up():
        pass
    assert outputs.show(row).marks == (mark(row, judgement=judgement, text="It does name the line."),)
    assert [each.key for each in list_outputs(outputs.index, OutputFilter(only=Only.MARKED)).rows] == [row.key]
    assert list_outputs(outputs.index, OutputFilter()).rows[0].score == row.score
    audited = audit(ledger)
    assert (audited.intact, audited.counts["note"]) == (True, 1)
    outputs.close()
    ledger.close()


def test_a_mark_on_a_judgement_that_is_not_there_is_refused(outputs):
    with pytest.raises(UsageError, match="key of a judgement"):
        outputs.check_mark(mark(row_of(outputs, SPLIT), judgement="nothing"))
