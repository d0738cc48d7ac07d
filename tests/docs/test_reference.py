"""The reference says what the code says, and an outsider can verify a ledger with the page on its format."""

import json
import sqlite3
import subprocess
import sys

import pytest

import venire
from doc_scripts import DOCS, blocks, load_script
from venire.cli.main import main

GENERATED = load_script("generate_reference").pages()

CONFIG = """
samples: outputs.jsonl
ledger: ledger.sqlite
judges:
  length: {type: rules, rules: {dimensions: {"*": [{check: length, minimum: 3}]}}}
"""


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_a_generated_page_is_up_to_date(name):
    kept = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert kept == GENERATED[name], "run: python docs/generate_reference.py"


def test_no_mark_for_the_formatter_of_help_is_shown():
    assert "\\b" not in GENERATED["cli.md"]


def test_every_command_and_every_rule_is_in_the_reference():
    assert "## `venire protocol schema`" in GENERATED["cli.md"]
    assert "`evidence.not-verbatim`" in GENERATED["rules.md"]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """A folder with a real ledger, a checkpoint of it, and the outsider's script."""
    folder = tmp_path_factory.mktemp("outsider")
    lines = [json.dumps({"output_id": f"a{number}", "text": f"water boils {number}"}) for number in range(5)]
    (folder / "outputs.jsonl").write_text("\n".join(lines))
    (folder / "venire.yaml").write_text(CONFIG)
    venire.run(folder / "venire.yaml")
    options = ["--checkpoint", str(folder / "checkpoint.json"), "--key", str(folder / "key.pem")]
    with pytest.raises(SystemExit):
        main(["audit", str(folder / "ledger.sqlite"), *options])
    (folder / "verify.py").write_text(blocks("reference/ledger-format.md", "python")[0])
    return folder


def verdict_of(folder, ledger, *more):
    command = [sys.executable, "-I", folder / "verify.py", ledger, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if done.stdout.startswith("intact") else 1)
    assert not done.stderr
    return done.stdout.strip()


def tampered(folder, tmp_path, statement):
    """Return a copy of the ledger that somebody has worked on."""
    copy = tmp_path / "ledger.sqlite"
    copy.write_bytes((folder / "ledger.sqlite").read_bytes())
    connection = sqlite3.connect(copy)
    for trigger in ("entry_is_never_updated", "entry_is_never_deleted"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(statement)
    connection.commit()
    connection.close()
    return copy


def test_the_outsiders_script_agrees_with_venire_on_a_sound_ledger(experiment):
    ledger = venire.open_ledger(str(experiment / "ledger.sqlite"), read_only=True)
    head = ledger.head()
    ledger.close()
    found = verdict_of(experiment, experiment / "ledger.sqlite", experiment / "checkpoint.json")
    assert found == f"intact: {head.sequence} entries, head {head.hash}"


def test_the_outsiders_script_finds_a_changed_payload(experiment, tmp_path):
    statement = "UPDATE entry SET payload = CAST(payload || ' ' AS BLOB) WHERE sequence = 4"
    assert verdict_of(experiment, tampered(experiment, tmp_path, statement)) == "broken at entry 4"


def test_the_outsiders_script_finds_a_dropped_entry(experiment, tmp_path):
    statement = "DELETE FROM entry WHERE sequence = 3"
    assert verdict_of(experiment, tampered(experiment, tmp_path, statement)) == "broken at entry 3"


def test_the_outsiders_script_finds_a_cut_end_by_the_checkpoint(experiment, tmp_path):
    cut = tampered(experiment, tmp_path, "DELETE FROM entry WHERE sequence = (SELECT max(sequence) FROM entry)")
    assert verdict_of(experiment, cut).startswith("intact")
    assert verdict_of(experiment, cut, experiment / "checkpoint.json").startswith("contradicts the checkpoint")


def test_the_outsider_can_verify_the_signature(experiment, tmp_path):
    from cryptography.exceptions import InvalidSignature

    names: dict = {}
    exec(blocks("reference/ledger-format.md", "python")[1], names)
    checkpoint = json.loads((experiment / "checkpoint.json").read_text())
    names["verify_signature"](str(experiment / "checkpoint.json"), checkpoint["public_key"])
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps({**checkpoint, "sequence": 1}))
    with pytest.raises(InvalidSignature):
        names["verify_signature"](str(forged), checkpoint["public_key"])
