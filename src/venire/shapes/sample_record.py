"""A reply on one sample as a record: what most replies are read into, before anything is said about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, defstruct

from venire.domain.flag import Flag
from venire.domain.judgement import Evidence, EvidenceLevel, Method
from venire.validation.compiled import UNREADABLE
from venire.validation.contract import Anything
from venire.validation.evidence import BLANKS
from venire.validation.strict_json import MAX_REPLY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.domain.material import MaterialKind
    from venire.domain.protocol import EvalProtocol
    from venire.validation.contract import Node
    from venire.validation.evidence import PreparedSample

_EXACT = EvidenceLevel.EXACT
Identifier = Annotated[str, msgspec.Meta(min_length=1)]


class StatedMeta(Struct, forbid_unknown_fields=True, gc=False):
    """What a judge that knows the sample writes about it and itself."""

    judge_model: str
    target_model: Identifier
    question_id: Identifier
    prompt_variant: Identifier
    output_id: Identifier
    method: Method
    timestamp: str


_PLAIN = Anything().wire_type() | UnsetType
_FREE = [(name, _PLAIN, UNSET) for name in StatedMeta.__struct_fields__ if name != "output_id"]
_BlindMeta = defstruct("_BlindMeta", [("output_id", Identifier), *_FREE], forbid_unknown_fields=True, gc=False)
"""What a blind judge writes: the handle of the sample, and what else it likes."""


DimensionT = TypeVar("DimensionT")


class GivenQuote(Struct, Generic[DimensionT], forbid_unknown_fields=True, gc=False):
    """Words of the output."""

    dimension: DimensionT
    quote: str
    reason: str


class SourcedQuote(GivenQuote[DimensionT], forbid_unknown_fields=True, gc=False):
    """Words of the output or of a material."""

    source: str | UnsetType = UNSET


MetaT = TypeVar("MetaT")
ScoresT = TypeVar("ScoresT")
QuoteT = TypeVar("QuoteT")


class SampleRecord(Struct, Generic[MetaT, ScoresT, QuoteT], forbid_unknown_fields=True, gc=False):
    """A reply with all that the contract asks for."""

    meta: MetaT
    scores: ScoresT
    flags: list[Flag]
    evidence: list[QuoteT]
    verdict: Literal["PASS", "PARTIAL", "FAIL"] | UnsetType = UNSET
    notes: str | UnsetType = UNSET


class SampleRecords:
    """Reads replies to one protocol into records; None for any that the contract may have something to say about."""

    def __init__(self, protocol: EvalProtocol, scores: Node, *, blind: bool) -> None:
        meta, quote = _BlindMeta if blind else StatedMeta, SourcedQuote if protocol.quoted_kinds else GivenQuote
        kind = SampleRecord[meta, scores.wire_type(), quote[Literal[protocol.dimension_ids]]]  # type: ignore[misc,valid-type]
        self._decode: Callable[[bytes], SampleRecord[Any, dict[str, float], Any]] = msgspec.json.Decoder(kind).decode
        self._has_sources, self._blind = bool(protocol.quoted_kinds), blind
        stated = 0 if blind else 2 * len(StatedMeta.__struct_fields__)
        # Four fields that are no strings themselves, and the scores with the overall score.
        self._fixed = 4 + len(protocol.dimension_ids) + 1 + stated

    def read(self, raw: bytes) -> SampleRecord[Any, dict[str, float], Any] | None:
        """Return the reply as a record.

        The last of duplicate keys is kept: then the reply has more quotation marks than its record accounts for.
        """
        if len(raw) > MAX_REPLY_BYTES:
            return None
        try:
            record = self._decode(raw)
        except UNREADABLE:
            return None
        strings = self._fixed + len(record.flags) + 6 * len(record.evidence)
        if record.verdict is not UNSET:
            strings += 2
        if record.notes is not UNSET:
            strings += 2
        if self._has_sources:
            strings += 2 * sum(item.source is not UNSET for item in record.evidence)
        if self._blind:
            strings += sum(
                1 + (type(each) is str) for each in msgspec.structs.astuple(record.meta) if each is not UNSET
            )
        return record if raw.count(b'"') == 2 * strings else None


def exact_evidence(
    quotes: list[GivenQuote[str]], sample: PreparedSample, kinds: frozenset[MaterialKind]
) -> list[Evidence] | None:
    """Return the quotes with their places if each stands in its text to the letter; else None, for a second look."""
    evidence: list[Evidence] = []
    if kinds or sample.is_paged:
        return _exact_by_source(quotes, sample, kinds)
    find = sample.find
    for item in quotes:
        quote = item.quote
        start = find(quote)
        if start < 0 or not quote or quote[0] in BLANKS:
            return None
        evidence.append(Evidence(item.dimension, quote, item.reason, _EXACT, start, start + len(quote)))
    return evidence


def _exact_by_source(
    quotes: list[GivenQuote[str]], sample: PreparedSample, kinds: frozenset[MaterialKind]
) -> list[Evidence] | None:
    """Do the same for quotes with pages, or from materials."""
    evidence = []
    for item in quotes:
        quote, named = item.quote, (item.source or "") if isinstance(item, SourcedQuote) else ""
        source = sample.source(named, kinds)
        start = source.find(quote) if source is not None else -1
        if source is None or start < 0 or not quote or quote[0] in BLANKS:
            return None
        place = (_EXACT, start, start + len(quote), source.page_at(start) if source.is_paged else None)
        material = "" if source is sample else named
        evidence.append(Evidence(item.dimension, quote, item.reason, *place, material))
    return evidence
