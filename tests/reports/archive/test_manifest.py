"""The manifest of an archive: what it counts, what it does not name, and when it is not believed."""

import msgspec
import pytest

from venire.domain.canonical import sha256_hex
from venire.errors import InputError
from venire.protocols.catalogue import find_protocol
from venire.reports.archive.manifest import (
    FORMAT,
    ArchiveCounts,
    ArchiveEntry,
    Manifest,
    is_archive,
    open_archive,
)

PROTOCOL = find_protocol("drift-sample")


def write(folder, **changes):
    encoded = msgspec.json.encode(PROTOCOL)
    entry = ArchiveEntry("valid_evaluations/a.json", "s", "valid_evaluations/a.record.json", "r", "a", True)
    manifest = Manifest(
        FORMAT, "venire", PROTOCOL.id, PROTOCOL.digest, sha256_hex(encoded), "contract", "nfkc", [entry],
        files={"prompts/p.txt": "d"},
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / "protocol.json").write_bytes(encoded)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(manifest, **changes)))
    return folder


def test_counts_are_by_status_judge_and_quotes_in_order():
    counts = ArchiveCounts()
    for judge, status, quotes in (
        ("oak", "valid", "compared"),
        ("elm", "invalid", "compared"),
        ("oak", "valid", "none"),
    ):
        counts.add({"judge": judge, "status": status, "quotes": quotes})
    counts.add({"judge": "oak", "status": "invalid"})
    assert counts.stated() == {
        "evaluations": 4,
        "by_status": {"invalid": 2, "valid": 2},
        "by_judge": {"elm": {"invalid": 1}, "oak": {"invalid": 1, "valid": 2}},
        "quotes": {"": 1, "compared": 2, "none": 1},
        "time_range": None,
    }


def test_times_are_those_that_a_ledger_vouches_for():
    counts = ArchiveCounts()
    for time, known in (
        ("2026-02-02", "ledger"),
        ("2026-01-01", "ledger"),
        ("2025-01-01", "reply"),
        ("2026-03-03", "ledger"),
    ):
        counts.add({"judge": "oak", "status": "valid", "time": time, "known_from": known})
    assert counts.stated()["time_range"] == ["2026-01-01", "2026-03-03"]


def test_an_archive_is_told_by_its_manifest_in_whatever_version(tmp_path):
    assert is_archive(write(tmp_path / "a"))
    (tmp_path / "a" / "manifest.json").write_text('{"format": "venire-archive/9"}')
    assert is_archive(tmp_path / "a")
    (tmp_path / "a" / "manifest.json").write_text('{"format": "other/1"}')
    assert not is_archive(tmp_path / "a")
    assert not is_archive(tmp_path)


def test_an_archive_is_opened_with_its_protocol(tmp_path):
    found = open_archive(write(tmp_path / "a"))
    assert found.protocol == PROTOCOL
    assert found.manifest.entries[0].name == "a"


@pytest.mark.parametrize("field", ["protocol_sha256", "protocol_digest", "protocol_id"])
def test_a_protocol_that_is_another_one_is_not_believed(tmp_path, field):
    with pytest.raises(InputError) as caught:
        open_archive(write(tmp_path / "a", **{field: "other"}))
    assert caught.value.message.code == "error.archive.other_protocol"


def test_an_archive_that_cannot_be_read_says_so(tmp_path):
    write(tmp_path / "a")
    (tmp_path / "a" / "protocol.json").unlink()
    with pytest.raises(InputError) as caught:
        open_archive(tmp_path / "a")
    assert caught.value.message.code == "error.archive.unreadable"


def test_files_are_read_inside_the_archive_only(tmp_path):
    found = open_archive(write(tmp_path / "a"))
    (tmp_path / "secret").write_text("no")
    assert found.read("protocol.json") == (tmp_path / "a" / "protocol.json").read_bytes()
    assert [found.read(path) for path in ("../secret", "none", "a\0b")] == [None, None, None]


def test_files_that_nobody_names_are_found_in_all_folders(tmp_path):
    folder = write(tmp_path / "a")
    for name in ("valid_evaluations/a.json", "valid_evaluations/a.record.json", "prompts/p.txt", "prompts/deep/q.txt",
                 "无效评测/x.json", "elsewhere/y.json"):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    assert open_archive(folder).unlisted_files() == ["无效评测/x.json", "prompts/deep/q.txt"]
