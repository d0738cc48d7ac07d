"""Samples in a ledger: as they went in, with the text of each material stored once."""

import msgspec
import pytest

from venire.domain.canonical import canonical_json, sha256_hex
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Bundle, Sample, Source
from venire.errors import TamperedError
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.ledger.subjects import find_material_problem, outline_of, subject_drafts, subject_of

DOCUMENT = Material("d1", MaterialKind.DOCUMENT, "A shared document, 共享文档。")
TURN = Material("t1", MaterialKind.TURN, "What is it?", "user")
WITH_MATERIALS = Sample("out-1", "text", factors={"trigger": "implicit"}, materials=(DOCUMENT, TURN))


def stored(*subjects):
    ledger = MemoryLedger()
    for subject in subjects:
        ledger.append(subject_drafts(subject))
    return ledger


@pytest.mark.parametrize(
    "subject",
    [
        Sample("out-1", "text", factors={"trigger": "implicit"}),
        WITH_MATERIALS,
        Bundle("b", (Sample("out-1", "text"), WITH_MATERIALS), "birch-2"),
    ],
    ids=["sample", "with materials", "bundle"],
)
def test_a_sample_or_bundle_comes_out_of_the_ledger_as_it_went_in(subject):
    ledger = stored(subject)
    entry = ledger.find(Kind.SAMPLE, subject.digest)
    found = subject_of(entry, ledger)
    assert (found, found.digest) == (subject, subject.digest)
    assert outline_of(entry).digest == subject.digest


def test_an_outline_has_everything_but_the_materials():
    ledger = stored(WITH_MATERIALS)
    outline = outline_of(ledger.find(Kind.SAMPLE, WITH_MATERIALS.digest))
    assert outline == msgspec.structs.replace(WITH_MATERIALS, materials=())


def test_a_text_that_many_samples_share_is_stored_once():
    samples = [Sample(f"out-{n}", "text", materials=(DOCUMENT,)) for n in range(50)]
    ledger = stored(*samples)
    (entry,) = ledger.read(kinds=[Kind.MATERIAL])
    assert (entry.blob.decode(), entry.key) == (DOCUMENT.text, sha256_hex(DOCUMENT.text.encode()))
    assert all(DOCUMENT.text.encode() not in each.payload for each in ledger.read(kinds=[Kind.SAMPLE]))
    assert len(list(ledger.read(kinds=[Kind.SAMPLE]))) == 50


def test_texts_that_are_known_to_be_stored_are_not_handed_over_again():
    key = sha256_hex(DOCUMENT.text.encode())
    assert [draft.kind for draft in subject_drafts(WITH_MATERIALS, {key})] == [Kind.MATERIAL, Kind.SAMPLE]


def forged(change):
    """Return a ledger with good links whose drafts were changed, and the entry of its sample."""
    ledger = MemoryLedger()
    ledger.append([each for draft in subject_drafts(WITH_MATERIALS) if (each := change(draft)) is not None])
    return ledger, ledger.find(Kind.SAMPLE, WITH_MATERIALS.digest)


def test_a_missing_text_is_named():
    ledger, entry = forged(lambda draft: None if draft.blob == TURN.text.encode() else draft)
    with pytest.raises(TamperedError, match="material 't1' is not in the ledger"):
        subject_of(entry, ledger)
    assert "'t1' is not in the ledger" in find_material_problem(entry, ledger)


def test_a_text_under_another_key_is_named():
    def swap(draft):
        return Draft(draft.kind, draft.payload, draft.key, b"forged") if draft.blob else draft

    ledger, entry = forged(swap)
    with pytest.raises(TamperedError, match="holds another text"):
        subject_of(entry, ledger)
    problems = [find_material_problem(each, ledger) for each in ledger.read()]
    assert all("holds another text" in problem for problem in problems)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda sample: sample.update(materials=sample["materials"][::-1]), "holds another sample"),
        (lambda sample: sample.update(materials=sample["materials"][:1]), "holds another sample"),
        (lambda sample: sample["materials"][0].update(id="d2"), "holds another sample"),
        (lambda sample: sample["materials"][0].update(kind="page"), "cannot be read"),
        (lambda sample: sample["materials"][0].update(text_sha256=7), "cannot be read|not in the ledger"),
    ],
)
def test_a_sample_that_refers_to_other_materials_is_named(change, words):
    def forge(draft):
        if draft.kind is Kind.SAMPLE:
            change(draft.payload["sample"])
        return draft

    ledger, entry = forged(forge)
    problem = find_material_problem(entry, ledger)
    assert any(each in problem for each in words.split("|"))


def test_nothing_is_wrong_with_what_was_stored():
    ledger = stored(WITH_MATERIALS, Sample("out-2", "text"))
    assert [find_material_problem(entry, ledger) for entry in ledger.read()] == [""] * 4


@pytest.mark.parametrize("factors", [{"b": "1", "a": "2"}, {"\ue000": "1", "\U0001f600": "2"}])
def test_a_sample_is_recorded_as_canonical_json(factors):
    sample = Sample(
        "o", 'a "text"\n é', factors=factors, notes={"z": "", "y": "2"}, source=Source("f", "0" * 64, (0, 3))
    )
    (draft,) = subject_drafts(sample)
    assert draft.payload_bytes == canonical_json({"sample": sample})
