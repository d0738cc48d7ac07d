"""Outputs of tables, of what a check wrote, and of reports: what the file holds, and nothing that it does not."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from report_ledger import design, write_ledger
from shaped_ledgers import write_judged_pairs
from venire.cli.main import cli
from venire.errors import InputError, ReadOnlyError
from venire.protocols.catalogue import find_protocol
from venire.reports.formats.table_files import encode_report
from venire.reports.outputs.asked import Only, OutputFilter
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.outputs.file_outputs import FileOutputs, read_file_outputs
from venire.workflows.outputs.listing import list_outputs

EXAMPLES = Path(__file__).parents[3] / "examples" / "drift"
TABLE = """output_id,judge,model,question_id,score,verdict
a1,oak,alder-1,q1,2,FAIL
a1,elm,alder-1,q1,4,PASS
b/1?,oak,birch-2,q1,5,PASS
"""


@pytest.fixture
def table(tmp_path: Path) -> FileOutputs:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE, encoding="utf-8")
    found = read_file_outputs(path, Choices(scale=(1, 5)))
    assert found is not None
    return found


def test_the_outputs_of_a_table_have_scores_and_verdicts_but_no_text(table):
    rows = list_outputs(table.index, OutputFilter()).rows
    assert [(row.output_id, row.model, row.score, row.verdicts) for row in rows] == [
        ("a1", "alder-1", pytest.approx(5.0), 2),
        ("b/1?", "birch-2", pytest.approx(10.0), 1),
    ]
    one = table.show(rows[0])
    assert one.text is None
    assert [(each.judge, each.overall, each.reply) for each in one.judgements] == [("oak", 2, None), ("elm", 4, None)]
    table.close()


def test_marks_are_not_kept_in_files(table):
    with pytest.raises(ReadOnlyError):
        table.check_mark(type("Named", (), {"output_id": "a1"})())
    table.close()


def test_an_archive_shows_replies_quotes_and_what_is_wrong(tmp_path):
    arguments = ["check", str(EXAMPLES / "replies"), "--protocol", "drift-sample", "--archive", str(tmp_path / "kept")]
    CliRunner().invoke(cli, [*arguments, "--sources", str(EXAMPLES / "outputs.jsonl")])
    found = read_file_outputs(tmp_path / "kept", Choices())
    assert found is not None
    invalid = list_outputs(found.index, OutputFilter(only=Only.INVALID)).rows[0]
    shown = next(each for each in found.show(invalid).judgements if each.status == "invalid")
    assert shown.findings
    assert shown.reply
    valid = next(each for row in list_outputs(found.index, OutputFilter()).rows for each in found.show(row).judgements
                 if each.counted)  # fmt: skip
    assert valid.evidence[0].quote in valid.reply
    assert set(found.show(invalid).names) == {each.id for each in find_protocol("drift-sample").dimensions}
    found.close()


def test_an_archive_of_judged_pairs_says_why_one_was_preferred(tmp_path):
    write_judged_pairs(tmp_path / "ledger.sqlite")
    assert CliRunner().invoke(cli, ["export", str(tmp_path / "ledger.sqlite"), str(tmp_path / "kept")]).exit_code == 0
    found = read_file_outputs(tmp_path / "kept", Choices())
    assert found is not None
    rows = list_outputs(found.index, OutputFilter()).rows
    judgements = [each for row in rows for each in found.show(row).judgements]
    assert [each.strength for each in judgements] == [2.0, 2.0]
    assert all(set(each.reasons.values()) == {"It is worth more."} for each in judgements)
    found.close()


def test_a_report_shows_the_judgements_that_it_lists_and_says_of_quotes_that_they_were_found(tmp_path):
    ledger = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    path = tmp_path / "report.json"
    path.write_bytes(encode_report(analyse(ledger, Choices()), "en"))
    found = read_file_outputs(path, Choices())
    assert found is not None
    page = list_outputs(found.index, OutputFilter())
    assert page.total == 8
    quotes = [item for each in found.show(page.rows[0]).judgements for item in each.evidence]
    assert quotes
    assert all(item.start is not None for item in quotes)
    found.close()


def test_a_report_that_lists_no_judgement_says_what_to_open_instead(tmp_path):
    path = tmp_path / "report.json"
    ledger = write_ledger(tmp_path / "ledger.sqlite", [])
    path.write_bytes(encode_report(analyse(ledger, Choices()), "en"))
    with pytest.raises(InputError, match="lists its judgements"):
        read_file_outputs(path, Choices())


def test_a_ledger_is_no_file_of_these(tmp_path):
    assert read_file_outputs(write_ledger(tmp_path / "ledger.sqlite", design(questions=1)), Choices()) is None


def test_an_archive_knows_no_weights_so_a_score_is_the_mean_of_its_judges(tmp_path):
    arguments = ["check", str(EXAMPLES / "replies"), "--protocol", "drift-sample", "--archive", str(tmp_path / "kept")]
    CliRunner().invoke(cli, [*arguments, "--sources", str(EXAMPLES / "outputs.jsonl")])
    found = read_file_outputs(tmp_path / "kept", Choices())
    assert found is not None
    assert not found.show(list_outputs(found.index, OutputFilter()).rows[0]).is_weighted
    found.close()
