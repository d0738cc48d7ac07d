"""Replies about a pair: which of two outputs is better, by how much, why, and the words in each that show it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from venire.domain.judgement import Winner
from venire.domain.protocol import PairPolicy
from venire.domain.sample import PLACES, Pair
from venire.errors import RuleError
from venire.shapes.pair_reader import PairReader
from venire.shapes.shape import Scores, ScoreSample, ShownTexts, Signature, Telling, code, summarise, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle, Sample
    from venire.validation.terms import Terms


class PairShape:
    """The form of replies about a pair."""

    id = "pair"
    judges = "pair"
    uses = frozenset({"materials", "pairs", "no dimensions"})
    needs_design = False
    is_read_without_text = False
    names: Mapping[str, str] = {"blind": "blind_pair", "open": "open_pair"}
    template = "pair"

    def reader(self, terms: Terms) -> PairReader:
        """Return what reads replies under these terms."""
        return PairReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply names a winner and has no scores."""
        return "winner" in value and "scores" not in value

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the dimensions that a reply gives reasons for."""
        reasons = value.get("reasons")
        return set(reasons) if type(reasons) is dict else set()

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced."""
        words, protocol = telling.words, telling.protocol
        quotes = [words["all_quotes"]] if protocol.asks_for_quotes else []
        return [*code(("winner", protocol.overall.field)), *quotes, words["all_reasons"]]

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields."""
        words, protocol = telling.words, telling.protocol
        ties = policy_of(protocol).ties
        field = protocol.overall.field
        lines = [
            words["winner" if ties else "winner_without_tie"],
            words["strength" if ties else "strength_without_tie"].format(
                field=field, numbers=telling.numbers, low=telling.low
            ),
            words["pair_reasons" if protocol.dimensions else "pair_reason"],
        ]
        if protocol.asks_for_quotes:
            ellipsis = words["same_ellipsis" if protocol.evidence.allow_ellipsis else "no_ellipsis"]
            lines.append(words["pair_quotes"].format(ellipsis=ellipsis))
        return lines

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply that leans to neither side where it may; the prompt says that it is a placeholder."""
        protocol, words = telling.protocol, telling.words
        winner = Winner.TIE if policy_of(protocol).ties else Winner.FIRST
        reply: dict[str, Any] = {"winner": winner.value, protocol.overall.field: telling.low}
        if protocol.dimensions:
            reply["reasons"] = dict.fromkeys(protocol.dimension_ids, words["reason"])
        else:
            reply["reason"] = words["reason"]
        if protocol.asks_for_quotes:
            reply["quotes"] = [{"output": place, "quote": words[f"quote_{place}"]} for place in PLACES]
        return reply

    def material(self, words: Mapping[str, str], subject: Pair, attached: frozenset[str]) -> ShownTexts:
        """Return both outputs with their task."""
        task = subject.samples[0].task
        shown = [
            (words[f"output_{place}"], sample.text)
            for place, sample in zip(PLACES, subject.samples, strict=True)
            if sample.output_id not in attached
        ]
        judged = "judged_pair_with_task" if task else "judged_pair"
        return ShownTexts(judged, (*([(words["task"], task)] if task else []), *shown))

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Write the reply of a rule judge: the output whose dimensions have the higher sum is better."""
        if not isinstance(subject, Pair):
            raise RuleError("error.rules.needs_pair")
        if not protocol.dimensions:
            raise RuleError("error.rules.pair_dimensions", protocol=protocol.id)
        scores = [score(sample, protocol.dimension_ids) for sample in subject.samples]
        apart = _total(scores[0]) - _total(scores[1])
        winner = Winner.TIE if not apart else Winner.FIRST if apart > 0 else Winner.SECOND
        if not apart and not policy_of(protocol).ties:
            # Nothing tells them apart, and one must be named: whichever it is, it is the same in the other order.
            winner = Winner.FIRST if subject.samples[0].digest < subject.samples[1].digest else Winner.SECOND
        quotes = [(place, _first_quote(given)) for place, given in zip(PLACES, scores, strict=True)]
        told = {
            one.dimension: signed.words("check.of_pair", first=one.reason, second=two.reason)
            for one, two in zip(*scores, strict=True)
        }
        return {
            "winner": winner.value,
            protocol.overall.field: tidy(_strength(winner, apart, protocol)),
            "reasons": told,
            "quotes": [{"output": place, "quote": quote} for place, quote in quotes if quote],
            "notes": signed.words(
                "check.of_pair", first=summarise(scores[0], signed.words), second=summarise(scores[1], signed.words)
            ),
        }

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reply that a person's form stands for: a winner, its strength, reasons, and a quote from each."""
        reply: dict[str, Any] = {"winner": form["winner"]} if form.get("winner") else {}
        strength = form.get("strength", "")
        if reply.get("winner") == Winner.TIE:  # Nobody has to say that neither is better by nothing.
            reply[protocol.overall.field] = int(protocol.scale().minimum)
        elif strength.isascii() and strength.isdigit():
            reply[protocol.overall.field] = int(strength)
        if protocol.dimensions:
            reply["reasons"] = {name: form.get(f"reason.{name}", "") for name in protocol.dimension_ids}
        else:
            reply["reason"] = form.get("reason", "")
        # Browsers send line ends of forms as CR LF; the judged text keeps its own.
        quotes = {place: form.get(f"quote.{place}", "").replace("\r\n", "\n").strip() for place in PLACES}
        reply["quotes"] = [{"output": place, "quote": quote} for place, quote in quotes.items() if quote]
        if protocol.dimensions and form.get("reason"):
            reply["notes"] = form["reason"]
        return reply


def policy_of(protocol: EvalProtocol) -> PairPolicy:
    """Return how a protocol compares two outputs."""
    return protocol.pairs or PairPolicy()


def _strength(winner: Winner, apart: float, protocol: EvalProtocol) -> float:
    """Return the share of the largest possible difference as a step of the scale, at least the lowest of a winner."""
    scale = protocol.scale()
    steps = scale.maximum - scale.minimum
    share = abs(apart) / (len(protocol.dimensions) * steps)
    return scale.minimum + (0 if winner is Winner.TIE else max(1, math.ceil(share * steps)))


def _total(scores: Scores) -> float:
    return sum(each.score for each in scores)


def _first_quote(scores: Scores) -> str:
    return next((each.quote for each in scores if each.quote), "")
