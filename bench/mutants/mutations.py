"""The small changes that a source file allows: found in its syntax tree, made in its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "+", "**": "*"}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
OPERATOR = re.compile(rb"is\s+not\b|not\s+in\b|is\b|in\b|and\b|or\b|[<>=!]=|//|\*\*|[-+*/%<>]")
CODE = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
"""A string that names something: a key, a column, a code of a message, a choice."""
DECLARATIONS = {"frozen", "gc", "kw_only", "maxsize", "slots", "strict"}
"""Keywords that guard against slips of programmers (of types, and of `zip`), sizes of caches, garbage: no behaviour."""


@dataclass(frozen=True, order=True)
class Mutation:
    """One change to the bytes of one file."""

    file: str
    """Path from the root of the repository."""
    line: int
    """Where it is, from 1."""
    start: int
    end: int
    replacement: bytes
    kind: str
    lines: range
    """The lines of the statement it is in, by which tests are found."""

    def apply(self, source: bytes) -> bytes:
        """Give the file with this change."""
        return source[: self.start] + self.replacement + source[self.end :]

    def texts(self, source: bytes) -> tuple[str, str]:
        """Give the changed line before and after, without indentation."""
        after = self.apply(source).splitlines()[self.line - 1]
        return source.splitlines()[self.line - 1].decode().strip(), after.decode().strip()


def find_mutations(file: str, source: bytes) -> list[Mutation]:
    """All changes to a file, in its order; each leaves it a Python file."""
    return sorted(_Finder(file, source).found(), key=lambda each: (each.start, each.end, each.replacement))


class _Finder:
    """Walks one file's tree."""

    def __init__(self, file: str, source: bytes) -> None:
        self._file = file
        self._source = source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._line_starts = starts

    def found(self) -> Iterator[Mutation]:
        """Find the changes of all statements."""
        yield from self._in_body(ast.parse(self._source).body)

    def _in_body(self, body: list[ast.stmt]) -> Iterator[Mutation]:
        for statement in body:
            if _is_text(statement) or _is_for_types_only(statement):
                continue
            lines = _own_lines(statement)
            yield from self._of_statement(statement, lines)
            for field, value in ast.iter_fields(statement):
                if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    yield from self._in_body(value)
                    continue
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.ExceptHandler | ast.match_case):
                        yield from self._in_body(part.body)
                    elif isinstance(part, ast.AST):
                        yield from self._in_expression(part, lines, typing=field in {"annotation", "returns"})

    def _of_statement(self, statement: ast.stmt, lines: range) -> Iterator[Mutation]:
        match statement:
            case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
                yield self._replace(value, "None", "returned value", lines)
            case ast.Expr() | ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign():
                yield self._replace(statement, "pass", "removed statement", lines)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._replace(statement, "pass", "removed statement", lines)
            case ast.AugAssign(target=target, value=value):
                yield from self._operator(target, value, ARITHMETIC, lines)
            case ast.If(test=test) | ast.While(test=test) if isinstance(test, ast.Name | ast.Call | ast.Attribute):
                yield self._replace(test, f"not {self._text(test)}", "condition", lines)

    def _in_expression(self, node: ast.AST, lines: range, *, typing: bool = False) -> Iterator[Mutation]:
        if isinstance(node, ast.JoinedStr):  # Python 3.11 does not know where its parts are.
            return
        if isinstance(node, ast.keyword) and node.arg in DECLARATIONS:
            return
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return
        yield from self._of_expression(node, lines, typing=typing)
        for field, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from self._in_expression(part, lines, typing=typing or field == "annotation")

    def _of_expression(self, node: ast.AST, lines: range, *, typing: bool) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                for left, right in zip([node.left, *node.comparators[:-1]], node.comparators, strict=True):
                    yield from self._operator(left, right, COMPARISONS, lines)
            case ast.BinOp(left=left, right=right) if not (_is_string(left) or _is_string(right)):
                yield from self._operator(left, right, ARITHMETIC, lines)
            case ast.BoolOp():
                for left, right in zip(node.values[:-1], node.values[1:], strict=True):
                    yield from self._operator(left, right, {"and": "or", "or": "and"}, lines)
            case ast.UnaryOp(op=ast.Not()):
                yield self._replace(node, self._text(node).removeprefix("not").strip(), "not", lines)
            case ast.IfExp(test=ast.Name() | ast.Call() | ast.Attribute() as test):
                yield self._replace(test, f"not {self._text(test)}", "condition", lines)
            case ast.Call(func=ast.Name(id=name) as called) if name in CALLS:
                yield self._replace(called, CALLS[name], name, lines)
            case ast.Constant(value=bool(value)):
                yield self._replace(node, str(not value), "boolean", lines)
            case ast.Constant(value=int(value)) if self._text(node).isdecimal():
                yield self._replace(node, str(value + 1), "number", lines)
                yield self._replace(node, str(value - 1), "number", lines)
            case ast.Constant(value=str(value)) if not typing and CODE.fullmatch(value):
                text = self._text(node)
                if text[1:-1] == value:
                    yield self._replace(node, f"{text[:-1]}x{text[-1]}", "code", lines)

    def _operator(self, left: ast.expr, right: ast.expr, swaps: dict[str, str], lines: range) -> Iterator[Mutation]:
        """Swap the operator between two expressions."""
        after_left, before_right = self._end(left), self._start(right)
        between = re.sub(rb"#[^\n]*", lambda note: b" " * len(note[0]), self._source[after_left:before_right])
        operator = OPERATOR.search(between)
        name = " ".join(operator[0].decode().split()) if operator else ""
        if operator and name in swaps:
            start = after_left + operator.start()
            yield self._change(start, after_left + operator.end(), swaps[name], name, lines)

    def _replace(self, node: ast.AST, text: str, kind: str, lines: range) -> Mutation:
        return self._change(self._start(node), self._end(node), text, kind, lines)

    def _change(self, start: int, end: int, text: str, kind: str, lines: range) -> Mutation:
        line = self._source.count(b"\n", 0, start) + 1
        return Mutation(self._file, line, start, end, text.encode(), kind, lines)

    def _text(self, node: ast.AST) -> str:
        return self._source[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.AST) -> int:
        return self._line_starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.AST) -> int:
        return self._line_starts[node.end_lineno - 1] + node.end_col_offset


def _own_lines(statement: ast.stmt) -> range:
    """Give a statement's lines: of an `if` or a loop its head; of a function or class all, its head runs at import."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return range(statement.lineno, statement.end_lineno + 1)
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    return range(statement.lineno, max(first.lineno, statement.lineno + 1))


def _is_text(statement: ast.stmt) -> bool:
    """Say whether it is a docstring, a sentence under a field, or an ellipsis."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_for_types_only(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "ParamSpec"))):
            return True
    return False
