"""Whether the questions of a table are words, which say what was asked, or only names and numbers of questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from venire.inputs.tables.record import TableRow, fold_column

LOOKED_AT = 100
"""By how many rows of a table it is decided."""

_ASKED = ("question", "题目", "问题")
"""Names of the question that hold its words rather than its number."""

_NAME_OF_A_QUESTION = re.compile(
    r"((question|task|item|题目?|问题)?\s*[a-z0-9_.:#/-]*[0-9][a-z0-9_.:#/-]*|第\s*[0-9一二三四五六七八九十百千]+\s*[题问])?",
    re.IGNORECASE,
)
"""What is the name or number of a question and not its words, such as `q1`, `Question 12` or `第三题`."""


def may_be_words(column: str) -> bool:
    """Tell whether a column of this name may hold the words of questions."""
    return fold_column(column) in _ASKED


class Questions:
    """Decides once for a table whether its questions are words, and so the task where there is no other."""

    def __init__(self) -> None:
        self.are_words = False
        """Whether they are: then each of them is a task, however short it is."""

    def decide(self, rows: Iterator[TableRow], asked: Callable[[TableRow], str | None]) -> Iterator[TableRow]:
        """Yield the rows, and decide by the first of them that `asked` has a question of.

        Questions are words unless all of those that are looked at are only names or numbers.
        """
        for row in rows:
            if asked(row) is not None:
                break
            yield row
        else:
            return
        looked_at = [row]
        while not self._decide_by(asked(looked_at[-1])) and len(looked_at) < LOOKED_AT:
            if (another := next(rows, None)) is None:
                break
            looked_at.append(another)
        yield from looked_at
        yield from rows

    def _decide_by(self, question: str | None) -> bool:
        self.are_words = question is not None and not _NAME_OF_A_QUESTION.fullmatch(question.strip())
        return self.are_words
