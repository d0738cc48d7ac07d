"""`venire import`: says what it found, and which versions it knows."""

from click.testing import CliRunner

from foreign_files import BY_TOOL, changed, foreign
from venire.cli.import_results import _TOOLS
from venire.cli.main import cli
from venire.workflows.import_results import TOOLS


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments], standalone_mode=False)


def test_the_tools_of_the_option_are_those_that_can_be_read():
    assert tuple(_TOOLS) == TOOLS


def test_files_of_several_tools_are_imported_at_once_and_told_by_scorer(tmp_path):
    files = [foreign(name) for name in BY_TOOL.values()]
    ledger = tmp_path / "ledger.sqlite"
    first = run("import", *files, "--ledger", ledger)
    assert first.return_value != 2
    assert (
        "inspect/model_graded_qa: 12 judgements of mockllm/ash, mockllm/birch, mockllm/cedar; new: 12" in first.output
    )
    assert "1 without a score that counts: invalid, not 0" in first.output
    again = run("import", *files, "--ledger", ledger)
    assert "new: none" in again.output
    assert "new: 12" not in again.output


def test_an_unknown_version_is_refused_with_the_known_ones_unless_partial(tmp_path):
    strange = changed("inspect-agent.json", tmp_path, lambda log: log.update(version=99))
    refused = run("import", strange, "--ledger", tmp_path / "l.sqlite")
    assert refused.return_value == 2
    assert "in version 2, found 99" in refused.output
    assert "--partial" in refused.output
    assert "2 judgements" in run("import", strange, "--ledger", tmp_path / "l.sqlite", "--partial").output
