"""A third language made by a script: English with every letter replaced, so that what was not said by a code shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Formatter, ascii_letters
from unittest.mock import patch

from venire.words import language as words_of_languages

LOOK_ALIKE = str.maketrans(ascii_letters, "àƀçđéƒĝĥîĵķľɱñöþǫŕšťüṽŵẋýžÀƁÇĐÉƑĜĤÎĴĶĽṀÑÖÞǪŔŠŤÜṼŴẊÝŽ")
KEPT = frozenset({"language.tag", "archive.folder.valid", "archive.folder.invalid"})
"""What is no sentence: names for machines."""


def in_pseudo_language(text: str) -> str:
    """Return a sentence with other letters; its fields stay, and their nouns change with the rest.

    >>> in_pseudo_language("a {count:row/rows} of {name!r}")
    '⟦à {count:ŕöŵ/ŕöŵš} öƒ {name!r}⟧'
    """
    return "⟦" + "".join(map(_piece, *zip(*Formatter().parse(text), strict=True))) + "⟧"


def _piece(literal: str, name: str | None, form: str | None, conversion: str | None) -> str:
    shown = literal.translate(LOOK_ALIKE).replace("{", "{{").replace("}", "}}")
    if name is None:
        return shown
    spec = (form or "").translate(LOOK_ALIKE) if "/" in (form or "") else form
    return f"{shown}{{{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}"


@contextmanager
def pseudo_language(folder: Path, name: str = "xx") -> Iterator[str]:
    """Have a third language: one more file in the folder of words."""
    for path in words_of_languages.FOLDER.glob("*.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    english = json.loads((folder / "en.json").read_text("utf-8"))
    other = {
        code: text if code in KEPT or not text.strip() else in_pseudo_language(text) for code, text in english.items()
    }
    (folder / f"{name}.json").write_text(json.dumps(other, ensure_ascii=False), "utf-8")
    with patch.object(words_of_languages, "FOLDER", folder):
        yield name
