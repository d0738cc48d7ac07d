"""`venire audit`: every judgement follows from its reply, and what does not is named."""

import pytest

from experiment import make_samples, served_judge, serving, venire, write_config, write_samples
from venire.domain.canonical import canonical_json
from venire.ledger.checkpoint import decode_checkpoint
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger


@pytest.fixture
def ledger_path(tmp_path):
    with serving([{"fault": "none"}, {"fault": "fenced"}, {"fault": "wrong_model"}]) as server:
        write_samples(tmp_path, make_samples(5, "oak-small"))
        judges = {
            "oak": served_judge(server.base_url, family="oak", mask_identity=True),
            "elm": served_judge(server.base_url, "anthropic_compatible", blind_evaluation=False, language="zh"),
        }
        venire("judge", write_config(tmp_path, judges), "--quiet")
    return tmp_path / "ledger.sqlite"


def rewrite(source, target, change):
    """Copy a ledger with changed contents and good links, as a forger would who knows how it is made."""
    old, new = open_ledger(str(source), read_only=True), open_ledger(str(target))
    try:
        for entry in old.read():
            content = entry.content
            change(entry, content)
            new.append([Draft(entry.kind, content, entry.key, entry.blob)])
    finally:
        old.close()
        new.close()


def sequences(path, kind):
    ledger = open_ledger(str(path), read_only=True)
    try:
        return [entry.sequence for entry in ledger.read(kinds=[kind])]
    finally:
        ledger.close()


def test_every_judgement_is_derived_again(ledger_path, capsys):
    assert venire("audit", ledger_path) == 0
    shown = capsys.readouterr().out
    assert "every link holds" in shown
    assert "10 judgements derived again, of which 0 do not follow" in shown


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        (Kind.JUDGEMENT, lambda content: content["judgement"].update(overall=1.0), "overall differ"),
        (Kind.JUDGEMENT, lambda content: content["judgement"].update(status="valid", findings=[]), "differ"),
        (Kind.JUDGEMENT, lambda content: content["judgement"].update(status="splendid"), "cannot be read"),
        (Kind.JUDGEMENT, lambda content: content["judgement"].pop("protocol"), "cannot be read"),
        (Kind.REPLY, lambda content: content.update(text=content["text"] + " "), "reply_sha256"),
        (Kind.REPLY, lambda content: content.update(model="maple"), "findings differ"),
        (Kind.REPLY, lambda content: content.update(text=7), "cannot be read"),
        (Kind.REPLY, lambda content: content["task"].update(judge="birch"), "another task"),
        (Kind.SAMPLE, lambda content: content["sample"].update(text="other"), "does not hold its sample"),
        (Kind.PROTOCOL, lambda content: content.update(dimensions=[]), "differ"),
        (Kind.RUN_OPENED, lambda content: content.update(judges=[]), "no run that was opened before it"),
        (Kind.RUN_OPENED, lambda content: content.update(judges=[{"digest": 1}]), "no run that was opened before it"),
    ],
)
def test_a_forged_entry_with_good_links_is_named(ledger_path, tmp_path, capsys, kind, change, words):
    chosen = sequences(ledger_path, kind)[1 if kind in (Kind.JUDGEMENT, Kind.REPLY) else 0]

    def forge(entry, content):
        if entry.sequence == chosen:
            before = canonical_json(content)
            change(content)
            assert canonical_json(content) != before

    forged = tmp_path / "forged.sqlite"
    rewrite(ledger_path, forged, forge)
    assert venire("audit", forged) == 1
    shown = capsys.readouterr().out
    assert "every link holds" in shown
    assert " not follow" in shown
    assert words in shown
    if kind is Kind.JUDGEMENT:
        assert f"entry {chosen}: " in shown


@pytest.mark.parametrize("change", [{"repeat": "retest-1"}, {"prompt_digest": "0" * 64}])
def test_a_task_that_is_passed_off_as_another_is_named(ledger_path, tmp_path, capsys, change):
    def forge(entry, content):
        if entry.kind in (Kind.REPLY, Kind.JUDGEMENT):
            content["task"].update(change)

    rewrite(ledger_path, tmp_path / "forged.sqlite", forge)
    assert venire("audit", tmp_path / "forged.sqlite") == 1
    assert "the id of its task does not follow from the task" in capsys.readouterr().out


def test_a_checkpoint_by_somebody_else_is_refused_and_named(ledger_path, tmp_path, capsys):
    for name in ("ours", "theirs"):
        signing = ("--checkpoint", tmp_path / f"{name}.json", "--key", tmp_path / f"{name}.key")
        assert venire("audit", ledger_path, *signing) == 0
    ours = decode_checkpoint((tmp_path / "ours.json").read_bytes()).public_key
    capsys.readouterr()
    assert venire("audit", ledger_path, "--against", tmp_path / "theirs.json", "--public-key", ours) == 2
    assert f"{tmp_path / 'theirs.json'}: expected a checkpoint signed by {ours}" in capsys.readouterr().err


def test_a_changed_entry_breaks_the_chain_and_what_stands_behind_it_is_not_read(ledger_path, capsys):
    import apsw

    chosen = sequences(ledger_path, Kind.JUDGEMENT)[2]
    connection = apsw.Connection(str(ledger_path))
    triggers = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
    for name in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    table = connection.execute("SELECT tbl_name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").get
    name = table if isinstance(table, str) else table[0]
    connection.execute(f"UPDATE {name} SET kind = 'nonsense' WHERE sequence = ?", (chosen,))
    connection.close()
    assert venire("audit", ledger_path) == 1
    shown = capsys.readouterr().out
    assert f"the chain breaks at entry {chosen}" in shown
    assert "2 judgements derived again, of which 0 do not follow" in shown


def test_a_checkpoint_holds_against_a_longer_ledger_and_not_against_a_rewritten_one(ledger_path, tmp_path, capsys):
    checkpoint, key = tmp_path / "checkpoint.json", tmp_path / "audit.key"
    assert venire("audit", ledger_path, "--checkpoint", checkpoint, "--key", key) == 0
    with serving() as server:
        write_samples(tmp_path, make_samples(7, "oak-small"))
        assert venire("judge", write_config(tmp_path, {"oak": served_judge(server.base_url)}), "--quiet") == 0
    assert venire("audit", ledger_path, "--against", checkpoint) == 0
    assert "was changed, dropped or reordered" in capsys.readouterr().out
    forged = tmp_path / "forged.sqlite"
    rewrite(ledger_path, forged, lambda entry, content: content.update(x=1) if entry.sequence == 1 else None)
    assert venire("audit", forged, "--against", checkpoint) == 1
