"""A judge that finds claims without a model: by the words and numbers that an output shares with its documents.

kind: matching
name: literal

It is weak: it takes each sentence for one claim and knows no paraphrase. It is for trying things out offline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from venire.domain.claim import ClaimFinding
from venire.judges.options import read_options
from venire.judges.provider import Reply, Request
from venire.judges.rule_judge.matching import Match, match_claims
from venire.shapes.shape import only_sample
from venire.words.said import say


class MatchingOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the judge is configured with."""

    name: str = "matching"
    """What the judge calls itself."""


def create(options: Mapping[str, Any]) -> MatchingProvider:
    """Make the judge from configuration."""
    return MatchingProvider(read_options(options, MatchingOptions, "matching"))


class MatchingProvider:
    """Replies by comparing sentences. Needs the request's protocol, of the shape `claims`, and its sample."""

    def __init__(self, options: MatchingOptions) -> None:
        self._options = options

    async def ask(self, request: Request) -> Reply:
        """Find the claims of the request's sample; a protocol that asks for something else is a reply with an error."""
        protocol = request.protocol
        if protocol is None or request.subject is None or protocol.shape != "claims":
            error = say("error.judge.matching_claims_only", judge=self._options.name)
            return Reply(None, error=error, error_kind="bad_request")
        sample = only_sample(request.subject)
        documents = {each.id: each.text for each in sample.materials_of(protocol.quoted_kinds)}
        write = _cited if protocol.evidence.cite == "sentences" else _quoted
        text = json.dumps(write(list(match_claims(sample.text, documents))), ensure_ascii=False, indent=1)
        return Reply(text, body=text.encode(), finish_reason="stop", model=self._options.name)

    async def close(self) -> None:
        """Let go of nothing: there are no connections."""


def _quoted(matches: list[Match]) -> dict[str, Any]:
    claims = [
        {"words": each.words, "finding": each.finding.value, **_where(each, each.passage)}
        for each in matches
        if each.finding
    ]
    return {"claims": claims, "nothing_to_check": [each.words for each in matches if not each.finding]}


def _cited(matches: list[Match]) -> dict[str, Any]:
    claims = [
        {"sentence": each.number, "finding": each.finding.value, **_where(each, each.passage_number)}
        for each in matches
        if each.finding
    ]
    return {"claims": claims, "nothing_to_check": [each.number for each in matches if not each.finding]}


def _where(match: Match, passage: str | int) -> dict[str, str | int]:
    return {} if match.finding is ClaimFinding.ABSENT else {"source": match.source, "passage": passage}
