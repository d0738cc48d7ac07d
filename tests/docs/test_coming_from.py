"""The pages for people who come from another tool: their commands run, and say what the pages show."""

import gzip
import re
import shlex
import shutil

import pytest
from click.testing import CliRunner

from doc_scripts import DOCS
from foreign_files import FOLDER
from venire.cli.main import cli

PAGES = sorted((DOCS / "how-to").glob("coming-from-*.md"))


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def without_blanks(text):
    return re.sub(r"\s+", "", text)


def commands_of(page):
    """Return the commands of a page: those in blocks, in order, and those inside sentences behind them."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    inside = [" ".join(each.split()) for each in re.findall(r"`(venire [a-z]+ [^`]+)`", prose)]
    return [*lines, *dict.fromkeys(each for each in inside if each not in lines)]


def test_each_tool_has_a_page_in_both_languages():
    names = {page.name for page in PAGES}
    tools = ("inspect", "promptfoo", "deepeval", "ragas", "mlflow", "openai-evals")
    assert names == {f"coming-from-{tool}{ending}" for tool in tools for ending in (".md", ".zh.md")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch):
    for path in FOLDER.glob("*.*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "mlflow.db").write_bytes(gzip.decompress((FOLDER / "mlflow-store.db.gz").read_bytes()))
    for place, block in enumerate(blocks(page, "yaml")):
        (tmp_path / ("venire.yaml" if not place else f"venire-{place}.yaml")).write_text(block, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("output_id,score\nnobody,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VENIRE_LANG", "zh" if page.name.endswith(".zh.md") else "en")
    said = ""
    for command in commands_of(page):
        if " new.sqlite" in command:
            shutil.copy("old.sqlite", "new.sqlite")
        result = CliRunner().invoke(cli, shlex.split(command)[1:], standalone_mode=False)
        assert result.exception is None, (command, result.output, result.exception)
        # 1 of `judge`: outputs that were never given are named; whatever else is wrong gives 2 or more.
        assert result.return_value in (None, 0, 1), (command, result.output)
        said += result.output
    for line in [line for block in blocks(page, "text") for line in block.splitlines()]:
        assert without_blanks(line) in without_blanks(said), line
