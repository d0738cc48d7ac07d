"""How replies are checked."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.tables.materials import Judged
from venire.validation.terms import Profile


class CheckOptions(msgspec.Struct, frozen=True):
    """How replies are checked."""

    protocol: EvalProtocol
    """The protocol they are held to."""
    profile: Profile = "contract"
    """How much of its contract is asked for."""
    evidence: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level at which a quote counts as verbatim."""
    scale: str | None = None
    """The scale that the judges scored on; None for the protocol's default."""
    sources: Path | None = None
    """Where the judged outputs are: a table, a folder of texts, or folders of bundles; None if they are not at hand."""
    columns: dict[str, str] = {}
    """For tables, which column holds which field of a sample."""
    pattern: str | None = None
    """For folders, the pattern of file names."""
    category: str = ""
    """The category of samples that do not say one themselves."""
    pdf_limits: PdfLimits = PdfLimits()
    """What the parsing of one PDF may cost."""
    judged: Judged = "last"
    """Of conversations in tables, what was judged."""
    documents: Path | None = None
    """The folder that holds the documents, where a table only names their files."""
    source_names: dict[str, str] = {}
    """For bundles, the folder that holds a target's texts, by the target's name, where the two names differ."""

    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of names that mean the same model, for telling whether a judge judges itself."""

    @property
    def compares_quotes(self) -> bool:
        """Whether quotes are held against the judged texts: the protocol asks for them and the texts are given."""
        is_on = self.evidence is not EvidenceLevel.OFF and self.sources is not None
        return is_on and self.protocol.asks_for_quotes

    @property
    def evidence_used(self) -> EvidenceLevel:
        """The level at which quotes are looked up, as each record says it; `off` if they are not."""
        return self.evidence if self.compares_quotes else EvidenceLevel.OFF
