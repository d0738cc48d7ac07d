"""The section of a page that holds the outputs, so that they can be looked at without a server."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from venire.reports.outputs.asked import MOST_ENTRIES, AskedList, Only, outputs_behind
from venire.reports.outputs.drawn import drawn_output
from venire.reports.outputs.in_report import MOST_OUTPUTS, KeptOutput, ReportOutputs
from venire.reports.page.environment import SHARED, page_environment
from venire.reports.words import ReportWords

if TYPE_CHECKING:
    import jinja2

    from venire.reports.report import Report

_TEXT = Markup("<!--text-->")
_BORDER = Markup("<!--border-->")


class ListedJudgement(msgspec.Struct, frozen=True):
    """What filters ask of a judgement."""

    judge: str
    """Who judged."""
    verdict: str
    """The verdict."""
    status: str
    """Whether it is valid."""
    run: str
    """The run that judged."""
    repeat: str
    """Which asking it was."""
    method: str
    """Whether the judge judged itself."""
    judgement: str
    """What it is found by."""
    counted: bool
    """Whether the report counts it."""
    entry: int | None
    """Its entry in the ledger."""


@cache
def outputs_script() -> Markup:
    """Return the script of the page; it is ours, and nothing that was judged is in it."""
    return Markup(files(SHARED).joinpath("outputs.js").read_text("utf-8"))  # noqa: S704


def script_digest() -> str:
    """Return what a content security policy calls the script by: no other one is run."""
    return f"'sha256-{b64encode(sha256(outputs_script().encode()).digest()).decode()}'"


def outputs_section(report: Report, outputs: ReportOutputs, language: str) -> Markup:
    """Return the section on outputs in a language."""
    rendered = _environment().get_template("outputs_section.html").render(
        words=ReportWords(language, report.names),
        outputs=outputs,
        facets=outputs.facets(),
        asked=AskedList(),
        kinds=list(Only),
        most=MOST_OUTPUTS,
        data=_script_json(_data(report, outputs, language)),
    )  # fmt: skip
    return Markup(rendered)  # noqa: S704 - the template escapes


def _data(report: Report, outputs: ReportOutputs, language: str) -> dict[str, Any]:
    cells = [cell for cell in report.cells() if cell.unit != "word"]
    behind = ((cell.id, outputs_behind(cell)) for cell in cells)
    return {
        "outputs": [_output(each, language) for each in outputs.kept],
        "cells": {name: address.partition("?")[2] for name, address in behind if address},
        "entries": {cell.id: cell.rows.sequences for cell in cells if len(cell.rows.sequences or ()) > MOST_ENTRIES},
        "requests": [cell.id for cell in cells if cell.rows.among == "attempts"],
    }


def _output(kept: KeptOutput, language: str) -> dict[str, Any]:
    row, one = kept.row, kept.one
    words = ReportWords(language, one.names)
    drawn = drawn_output(one, words)
    text, drawn["text"] = drawn["text"], None if drawn["text"] is None else _TEXT
    template = _environment().get_template("kept_output.html")
    page = template.render(words=words, row=row, one=one, border=_BORDER, **drawn)
    article, _, aside = page.partition(_BORDER)
    head, _, rest = article.partition(_TEXT)
    return {
        **{name: getattr(row, name) for name in ("key", "model", "variant", "question", "protocol", "same", "levels")},
        **{name: getattr(row, name) for name in ("score", "apart", "good", "voted", "verdicts", "number")},
        "unit": row.digest,
        "name": row.output_id,
        "factors": kept.factors,
        "kinds": kept.kinds,
        "judged": [
            ListedJudgement(
                each.judge,
                each.verdict,
                each.status,
                each.run,
                each.repeat,
                each.method,
                each.key,
                each.counted,
                each.sequence,
            )
            for each in one.judgements
        ],
        "votes": [
            {"voter": each.kind, "prompt": each.prompt, "item": each.item, "vote": each.sequence}
            for each in one.votes
            if each.vote is not None
        ],
        "scores": [each.score for each in one.judgements],
        "against": [words("view.against", output=each.against) if each.against else "" for each in one.judgements],
        "head": head,
        "text": str(text or ""),
        "rest": rest,
        "aside": aside,
    }


def _script_json(data: dict[str, Any]) -> Markup:
    """Write data so that nothing in it can end the element that holds it."""
    written = msgspec.json.encode(data).decode()
    return Markup(written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704


@cache
def _environment() -> jinja2.Environment:
    return page_environment()
