"""`venire labels`: what a terminal lists of the outputs to label, and what an import says of its rows."""

import csv

import pytest

from report_ledger import design, scoring, write_ledger
from venire.cli.labels import labels


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "ledger.sqlite"
    return write_ledger(path, design(questions=8), {"oak": scoring(), "elm": scoring(severity=1)})


def run(capsys, *words):
    code = labels.main([str(word) for word in words], standalone_mode=False)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize(("count", "more"), [(20, ""), (21, "1 more")])
def test_twenty_outputs_are_listed_and_the_others_counted(ledger, tmp_path, capsys, count, more):
    copy = tmp_path / "ledger.sqlite"
    copy.write_bytes(ledger.read_bytes())
    code, text, _ = run(capsys, "next", copy, "--n", count, "--csv", tmp_path / "sheet.csv", "--random")
    assert code == 0
    assert text.count("by chance") == 20
    assert (more in text) if more else "more" not in text
    with (tmp_path / "sheet.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == count
    assert "sheet.csv" in text.replace("\n", "")


def test_without_a_sheet_none_is_told_of_and_half_a_hundred_are_drawn(ledger, tmp_path, capsys):
    copy = tmp_path / "ledger.sqlite"
    copy.write_bytes(ledger.read_bytes())
    _, text, _ = run(capsys, "next", copy)
    assert "sheet.csv" not in text
    assert "30 more" in text


def test_an_import_tells_what_is_new_and_what_matches_nothing(ledger, tmp_path, capsys):
    copy = tmp_path / "ledger.sqlite"
    copy.write_bytes(ledger.read_bytes())
    first, second = (sample.output_id for sample in design(questions=8)[:2])
    file = tmp_path / "labels.csv"
    file.write_text(f"output_id,score\n{first},7\n{second},3\n")
    code, text, errors = run(capsys, "import", file, "--ledger", copy)
    assert (code, errors) == (0, "")
    assert "2" in text
    assert "model" not in text
    file.write_text(f"output_id,score\n{first},7\n{second},4\nnobody,3\n")
    code, text, errors = run(capsys, "import", file, "--ledger", copy)
    assert code == 1
    assert "nobody" in errors
    code, text, _ = run(capsys, "import", file, "--ledger", copy, "--by-model", "judgey")
    assert "model" in text
