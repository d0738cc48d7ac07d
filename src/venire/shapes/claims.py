"""Replies by claims: what an output states, and the passage of a document that supports or contradicts each statement.

The judge gives no score: the score is the share of claims that are supported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain.claim import ClaimFinding
from venire.errors import RuleError
from venire.shapes.claims_reader import ClaimsReader
from venire.shapes.shape import ScoreSample, ShownTexts, Signature, Telling, code, shown_sample
from venire.validation.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle, Sample
    from venire.validation.terms import Terms


class ClaimsShape:
    """The form of replies by claims."""

    id = "claims"
    judges = "sample"
    needs_design = False
    uses = frozenset({"verdict", "materials", "quoted materials", "cited sentences"})
    is_read_without_text = False
    names: Mapping[str, str] = {"blind": "blind", "open": "open"}
    template = "claims"

    def reader(self, terms: Terms) -> ClaimsReader:
        """Return what reads replies under these terms."""
        return ClaimsReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply has a list of claims and no scores."""
        return type(value.get("claims")) is list and "scores" not in value

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return nothing: no reply of this form scores a dimension."""
        return set()

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced."""
        return code(("claims", "nothing_to_check"))

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields."""
        words, names = telling.words, telling.listed(code(ClaimFinding))
        if telling.cites:
            return [words["cited_claims"].format(findings=names), words["cited_nothing"]]
        ellipsis = words["same_ellipsis" if telling.protocol.evidence.allow_ellipsis else "no_ellipsis"]
        quotes = words["claim_quotes"].format(ellipsis=ellipsis)
        return [words["claims"].format(findings=names), quotes, words["nothing_to_check"]]

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply with one claim of each finding."""
        words = telling.words
        if telling.cites:
            found: list[dict[str, Any]] = [
                {"sentence": 1, "finding": "supported", "source": words["document_id"], "passage": 1},
                {"sentence": 1, "finding": "absent"},
            ]
            return {"claims": found, "nothing_to_check": []}
        said = {"source": words["document_id"], "passage": words["passage"]}
        found = [
            {"words": words["quote"], "finding": "supported", **said},
            {"words": words["quote"], "finding": "contradicted", **said, "reason": words["differs"]},
            {"words": words["quote"], "finding": "absent"},
        ]
        return {"claims": found, "nothing_to_check": [words["quote"]]}

    def material(self, words: Mapping[str, str], subject: Sample, attached: frozenset[str]) -> ShownTexts:
        """Return the output with its task."""
        return shown_sample(words, subject, attached)

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Refuse: checks score dimensions, and a claim is none; a judge of the kind `matching` finds claims."""
        raise RuleError("error.rules.needs_matching", protocol=protocol.id)

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reply that a person's form stands for: a finding for each sentence, with a passage where needed."""
        cites = protocol.evidence.cite == "sentences"
        claims: list[dict[str, Any]] = []
        nothing: list[str | int] = []
        for number in _sentences_of(form):
            finding, passage = form.get(f"claim.{number}.finding", ""), _field(form, number, "passage")
            words: str | int = number if cites else _field(form, number, "words")
            if finding == "nothing":
                nothing.append(words)
            elif finding:
                claim = {"sentence" if cites else "words": words, "finding": finding}
                if passage:
                    claim["source"] = form.get(f"claim.{number}.source", "")
                    claim["passage"] = int(passage) if cites and passage.isdecimal() else passage
                if reason := _field(form, number, "reason"):
                    claim["reason"] = reason
                claims.append(claim)
        reply: dict[str, Any] = {"claims": claims, "nothing_to_check": nothing}
        if form.get("reason"):
            reply["notes"] = form["reason"]
        return reply


def sentences_to_check(text: str) -> list[tuple[int, str]]:
    """Return the sentences of an output that a person is asked about, each with its number from 1."""
    numbered = enumerate(split_sentences(text), start=1)
    return [(number, text[each.start : each.end]) for number, each in numbered if each.states]


def sentence_starts(text: str) -> tuple[int, ...]:
    """Return where each sentence of a text begins, in the order of their numbers."""
    return tuple(each.start for each in split_sentences(text))


def _sentences_of(form: Mapping[str, str]) -> list[int]:
    """Return the numbers of the sentences that a form has a finding for."""
    parts = [name.split(".") for name in form if name.startswith("claim.")]
    return sorted({int(part[1]) for part in parts if len(part) == 3 and part[1].isdecimal()})


def _field(form: Mapping[str, str], number: int, name: str) -> str:
    # Browsers send line ends of forms as CR LF; the judged text keeps its own.
    return form.get(f"claim.{number}.{name}", "").replace("\r\n", "\n").strip()
