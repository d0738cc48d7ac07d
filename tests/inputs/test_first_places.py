"""Ids are remembered with the place where they were found first, many of them outside of memory."""

from contextlib import closing

import pytest

from venire.errors import InputError
from venire.inputs.first_places import MOST_IN_MIND, FirstPlaces


@pytest.fixture
def places():
    with closing(FirstPlaces()) as made:
        yield made


def test_an_id_that_is_new_has_no_earlier_place(places):
    assert [places.note(name, "here") for name in ("a", "A", "a ", "", "評")] == [None] * 5


def test_an_id_that_stands_again_was_found_at_its_first_place(places):
    places.note("a", "file:1")
    assert [places.note("a", f"file:{line}") for line in (2, 3)] == ["file:1", "file:1"]


def test_an_id_that_stands_twice_in_one_place_is_told_of_too(places):
    place = "file"
    assert [places.note("a", place) for _ in range(2)] == [None, place]


def test_names_of_files_that_are_not_unicode_are_remembered_too(places):
    places.note("caf\udce9", "folder/caf\udce9.txt")
    assert places.note("caf\udce9", "elsewhere") == "folder/caf\udce9.txt"


def test_ids_outgrow_memory_and_are_still_known(places):
    rows = [(f"{'long ' * 40}{number}", f"file:{number}") for number in range(30_000)]
    assert {places.note(*row) for row in rows} == {None}
    assert [places.note(name, "again") for name, _ in rows[::1000]] == [place for _, place in rows[::1000]]


def test_a_reader_without_room_for_its_temporary_file_is_told_so(places):
    places._database.execute("PRAGMA max_page_count = 10")
    rows = [(f"{'long ' * 40}{number}", "here") for number in range(MOST_IN_MIND + 1000)]
    with pytest.raises(InputError, match=r"temporary file: .*full"):
        [places.note(*row) for row in rows]
