"""Which of the listed judgements are behind a number."""

from typing import NamedTuple

from venire.reports.report import ListedLines, Rows


def test_lines_are_found_by_whether_they_count_by_their_entries_and_by_what_they_are_about():
    class Line(NamedTuple):
        sequence: int
        counted: bool
        model: str

        def value_of(self, name):
            return getattr(self, name)

    listed = ListedLines([Line(3, True, "a"), Line(5, False, "a"), Line(7, True, "b"), Line(9, True, "a")])
    asked = (
        Rows(), Rows(among="recorded"), Rows(sequences=(5, 7, 8)), Rows(among="recorded", sequences=(5, 7)),
        Rows(where={"model": ("a",)}), Rows(where={"model": ("a", "b")}, sequences=(9,)), Rows(where={"model": ()}),
    )  # fmt: skip
    assert [listed.places_behind(rows) for rows in asked] == [[0, 2, 3], [0, 1, 2, 3], [2], [1, 2], [0, 3], [3], []]
    assert listed.places_behind(Rows(among="votes")) is None
