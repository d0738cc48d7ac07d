"""A judge made of declared checks: it scores dimensions and quotes real evidence, so it sits on a panel like any other.

kind: rules
name: strict
headings: ["[事实快照]", "[ChatGPT 联网搜索指令]", "[Gemini 深度挖掘指令]"]
dimensions:
FORMAT_COMPLIANCE:
- {check: headings, points: 2}
- {check: sections_filled, cap: 1}
"*":
- {check: length, section: "[事实快照]", maximum: 50}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from venire.domain.protocol import EvalProtocol, Scale
from venire.domain.sample import Sample
from venire.errors import ConfigError, RuleError
from venire.judges.options import read_options
from venire.judges.provider import Reply, Request
from venire.judges.rule_judge.checks import Check, Headings, NothingOutside, SectionsFilled
from venire.judges.rule_judge.document import Heading, read_document, spellings_of
from venire.judges.rule_judge.scoring import score_text
from venire.shapes.registry import shape_of
from venire.shapes.shape import Scores, Signature
from venire.words.language import Words
from venire.words.said import say


class RulesOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rule judge is configured with."""

    dimensions: dict[str, tuple[Check, ...]]
    """The checks of each dimension; those under `*` serve every dimension that has none of its own."""
    headings: tuple[Heading, ...] = ()
    """The headings of the sections that the text must have, in order; a list holds spellings of one heading."""
    name: str = "rules"
    """What the judge calls itself in its replies."""
    scale: str | None = None
    """The id of the protocol's scale to score on; None for its first."""
    date: str = "1970-01-01"
    """The date in its replies; the clock is not asked, so that the same request gives the same bytes."""


def create(options: Mapping[str, Any]) -> RulesProvider:
    """Make the judge from configuration; raises `ConfigError` for checks that cannot be run."""
    checks = ", ".join(str(check.__struct_config__.tag) for check in get_args(Check))
    read = read_options(options, RulesOptions, "rules", hint="error.judge.rule_options", checks=checks)
    _refuse_lost_sections(read)
    return RulesProvider(read)


class RulesProvider:
    """Replies by running checks. Needs the request's protocol and subject."""

    def __init__(self, options: RulesOptions) -> None:
        self._options = options

    async def ask(self, request: Request) -> Reply:
        """Score the request's subject; a protocol that the checks cannot serve is a reply with an error."""
        try:
            text = self._judge(request)
            body = text.encode()
        except RuleError as error:
            return Reply(
                None,
                error=say("error.judge.rules_failed", judge=self._options.name, reason=error.message),
                error_kind="bad_request",
            )
        except UnicodeEncodeError:
            words = say("error.judge.text_surrogates")
            return Reply(
                None,
                error=say("error.judge.rules_failed", judge=self._options.name, reason=words),
                error_kind="bad_request",
            )
        return Reply(text, body=body, finish_reason="stop", model=self._options.name)

    async def close(self) -> None:
        """Let go of nothing: there are no connections."""

    def _judge(self, request: Request) -> str:
        protocol, subject, options = request.protocol, request.subject, self._options
        if protocol is None or subject is None:
            raise RuleError("error.rules.nothing_to_judge")
        scale, words = _scale(protocol, options.scale), Words(request.language)

        def score(sample: Sample, dimensions: tuple[str, ...]) -> Scores:
            document = read_document(sample.text, options.headings)
            return score_text(document, options.dimensions, dimensions, protocol, scale, words)

        signed = Signature(options.name, request.handle, options.date, words)
        return json.dumps(shape_of(protocol).compose(subject, protocol, score, signed), ensure_ascii=False, indent=1)


def _scale(protocol: EvalProtocol, scale_id: str | None) -> Scale:
    try:
        return protocol.scale(scale_id)
    except KeyError:
        known = tuple(scale.id for scale in protocol.scales)
        raise RuleError("error.rules.no_scale", protocol=protocol.id, scale=scale_id, known=known) from None


def _refuse_lost_sections(options: RulesOptions) -> None:
    spellings = [spellings_of(heading) for heading in options.headings]
    if not all(each and all(map(str.strip, each)) for each in spellings):
        raise ConfigError("error.judge.empty_heading", where=say("error.judge.rule_judge", name=options.name))
    names = [each[0] for each in spellings]
    for dimension, checks in options.dimensions.items():
        for check in checks:
            section = getattr(check, "section", None)
            if section is not None and section not in names:
                raise ConfigError(
                    "error.judge.no_such_section",
                    where=say("error.judge.rule_judge", name=options.name),
                    dimension=dimension,
                    section=section,
                )
            if isinstance(check, Headings | SectionsFilled | NothingOutside) and not options.headings:
                raise ConfigError(
                    "error.judge.no_headings",
                    where=say("error.judge.rule_judge", name=options.name),
                    dimension=dimension,
                )
