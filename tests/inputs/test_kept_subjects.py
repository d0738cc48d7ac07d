"""Samples that are read once are the same again, and come from their place where they cannot be kept."""

import pytest

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Bundle, Pair, Sample, Source
from venire.inputs.kept_subjects import KeptSubjects

FIRST = Sample("a", "one", question_id="q", factors={"语言": "中文"}, notes={"latency": "3"})
SECOND = Sample(
    "b", "two", source=Source("b.pdf", "0" * 64, (0, 7)), materials=(Material("m", MaterialKind.DOCUMENT, "told"),)
)
SUBJECTS = [FIRST, SECOND, Bundle("both", (FIRST, SECOND), "m"), Pair("a|b", (FIRST, SECOND))]


class Shelf:
    """Gives subjects, and counts how often it was asked for them."""

    def __init__(self, subjects):
        self.subjects = subjects
        self.times = 0

    def read(self):
        self.times += 1
        yield from self.subjects


def test_subjects_are_read_once_and_are_the_same_again():
    shelf = Shelf(SUBJECTS)
    with KeptSubjects(shelf.read) as kept:
        assert [list(kept.subjects()) for _ in range(3)] == [SUBJECTS] * 3
        again = list(kept.subjects())
    assert shelf.times == 1
    assert [type(each) for each in again] == [type(each) for each in SUBJECTS]
    assert [each.digest for each in again] == [each.digest for each in SUBJECTS]
    assert [type(each)(**fields_of(each)).digest for each in again] == [each.digest for each in SUBJECTS]


def fields_of(subject):
    return {name: getattr(subject, name) for name in subject.__struct_fields__}


def test_many_readers_at_once_do_not_disturb_one_another():
    shelf = Shelf([Sample(f"o{number}", "word " * 500) for number in range(100)])
    with KeptSubjects(shelf.read) as kept:
        list(kept.subjects())
        together = list(zip(kept.subjects(), kept.subjects(), strict=True))
    assert together == [(each, each) for each in shelf.subjects]
    assert shelf.times == 1


@pytest.mark.parametrize(
    ("subjects", "most_bytes"),
    [([Sample(f"o{number}", "x" * 1000) for number in range(200)], 100_000), ([Sample("\udcff", "x"), FIRST], 2**20)],
)
def test_what_is_too_much_or_cannot_be_written_is_read_from_its_place(subjects, most_bytes):
    shelf = Shelf(subjects)
    with KeptSubjects(shelf.read, most_bytes) as kept:
        assert [list(kept.subjects()) for _ in range(2)] == [subjects] * 2
    assert shelf.times == 2


def test_what_was_not_read_to_its_end_is_read_anew():
    shelf = Shelf(SUBJECTS)
    with KeptSubjects(shelf.read) as kept:
        next(kept.subjects())
        assert list(kept.subjects()) == SUBJECTS
    assert shelf.times == 2
