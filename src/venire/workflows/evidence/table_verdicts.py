"""Verdicts in tables: which columns hold them, and who won where two outputs were compared in an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from venire.reports.recorded.outputs_read import ShownPair

Text = Mapping[str, Sequence[str | None]]
"""A table, column by column."""

VERDICT_NAMES = ("label", "decision", "grade", "result", "outcome", "winner", "preference", "choice")
"""Under which names a verdict is recognised in a table without scores."""

ORDER_NAMES = {
    "first": ("model_a", "first_model", "output_a", "response_a", "candidate_a", "system_a", "left"),
    "second": ("model_b", "second_model", "output_b", "response_b", "candidate_b", "system_b", "right"),
}
"""Under which names the two outputs of a comparison are recognised, in the order in which the judge saw them."""

PAIR_NAMES = ("pair_id", "pair")
"""Under which names what two compared outputs are called together is recognised; else it is their question."""

LABEL_NAMES = ("human_verdict", "human_label", "gold", "gold_label", "true_label", "truth")
"""Under which names a person's verdict on the same output is recognised."""

TIE = "tie"
"""The verdict that neither of two outputs won."""

_WON = {
    "first": {"a", "first", "1", "left", "model_a", "output_a", "response_a"},
    "second": {"b", "second", "2", "right", "model_b", "output_b", "response_b"},
    TIE: {"tie", "draw", "equal", "c", "both", "neither", "tie (bothbad)", "bothbad"},
}
"""How tables write who won by its place."""


def are_words(column: Sequence[str | None]) -> bool:
    """Tell whether a column holds words and no number at all, such as C and I in place of scores."""
    given = [value for value in column if value is not None]
    return bool(given) and not any(_is_number(value) for value in given)


def winner(verdict: str | None, first: str | None, second: str | None) -> str | None:
    """Return the name of the output that won, or `tie`; a verdict that says neither is kept as it is.

    >>> winner("A", "alder", "birch"), winner("birch", "alder", "birch"), winner("Tie", "alder", "birch")
    ('alder', 'birch', 'tie')
    """
    if verdict is None or verdict in (first, second):
        return verdict
    for place, name in (("first", first), ("second", second), (TIE, TIE)):
        if verdict.strip().casefold() in _WON[place]:
            return name
    return verdict


def are_shown_both_ways(names: Iterable[str | None], order: Iterable[tuple[str | None, str | None]]) -> bool:
    """Tell whether some two outputs were shown in both orders under one name.

    >>> are_shown_both_ways(["p1", "p1"], [("alder", "birch"), ("birch", "alder")])
    True
    """
    seen = {(name, *pair) for name, pair in zip(names, order, strict=True)}
    return any((name, second, first) in seen for name, first, second in seen if first != second)


class ComparedOutputs(NamedTuple):
    """A table of comparisons: each pair in the order in which it was shown is a unit."""

    units: list[str | None]
    """The name of each row's unit: what was asked, and the two outputs in their order."""
    winners: list[str | None]
    """The output that won in each row, `tie`, or a verdict that says neither."""
    outputs: dict[str, str]
    """The name that a pair has in either order, by unit."""
    pairs: tuple[ShownPair, ...]
    """The comparisons whose outcome is known; one with another verdict is undecided and not among them."""
    sides: dict[str, tuple[str, str]]
    """The two models of each unit, in the order in which they were shown."""


def compared_outputs(text: Text, columns: Mapping[str, str]) -> ComparedOutputs:
    """Read a table whose columns say which two outputs were compared, in which order, and which of them won."""
    names = text[columns.get("unit", "unit")]
    questions = text.get(columns.get("question_id", "question_id"), names)
    order = list(zip(text[columns["first"]], text[columns["second"]], strict=True))
    stated = text[columns.get("verdict", "verdict")]
    winners = [winner(verdict, *pair) for verdict, pair in zip(stated, order, strict=True)]
    unordered = {(name, frozenset(pair)) for name, pair in zip(names, order, strict=True)}
    is_one_pair = len(unordered) == len({name for name, _ in unordered})
    units: list[str | None] = []
    outputs: dict[str, str] = {}
    sides: dict[str, tuple[str, str]] = {}
    for name, pair in zip(names, order, strict=True):
        shown = (str(pair[0]), str(pair[1]))
        unit = f"{name}: {' | '.join(shown)}"
        units.append(unit if name else None)
        outputs[unit] = str(name) if is_one_pair else f"{name}: {' | '.join(sorted(shown))}"
        sides[unit] = shown
    pairs = []
    judges = text[columns.get("rater", "rater")]
    # The same two may meet several times in a question, as they do with several prompt variants.
    meetings = names if are_shown_both_ways(names, order) else [None] * len(names)
    for judge, question, meeting, (first, second), won in zip(judges, questions, meetings, order, winners, strict=True):
        outcome = {first: 1.0, second: 0.0, TIE: 0.5}.get(won)
        if judge and first and second and first != second and outcome is not None:
            pairs.append(
                ShownPair(
                    judge=judge, question=question or "", meeting=meeting or "", first=first, second=second,
                    outcome=outcome,
                )
            )  # fmt: skip
    return ComparedOutputs(units, winners, outputs, tuple(pairs), sides)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
