"""Finds the sentences that stand under the fields of the code's types, for pages that are made from them."""

from __future__ import annotations

import ast
import inspect

NOTICE = "<!-- Made by docs/generate_reference.py; change the code, then run it again. -->"
"""What stands below the title of every page that is made."""


def field_sentences(kind: type) -> dict[str, str]:
    """Return the sentence under each field of a class and of those that it inherits from, by field."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if each.__module__.partition(".")[0] != "venire":
            continue
        body = ast.parse(inspect.getsource(each).lstrip()).body[0]
        for statement, after in zip(body.body, body.body[1:], strict=False):  # type: ignore[attr-defined]
            name = _assigned(statement)
            if name and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[name] = table_cell(" ".join(str(after.value.value).split()))
    return found


def _assigned(statement: ast.stmt) -> str:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def table_cell(text: str) -> str:
    """Return a text as it may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")
