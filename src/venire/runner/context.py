"""What a run is about, and what whoever does its work is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Claims, Ledger
from venire.runner.options import RunnerOptions
from venire.runner.request import Documents, RequestBuilder
from venire.runner.stop import StopSignal
from venire.validation.terms import Profile


class RunSpec(msgspec.Struct, frozen=True):
    """What a run is about: who judges what, and how."""

    protocol: EvalProtocol
    """The protocol."""
    judges: tuple[Judge, ...]
    """The panel."""
    subjects: Callable[[], Iterator[Sample | Bundle]]
    """Begins to read the samples; each judge reads them for itself, so that none waits for another."""
    options: RunnerOptions
    """How the run is done."""
    profile: Profile = "contract"
    """How much of the protocol's contract is asked for."""
    evidence: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level at which a quote counts as verbatim."""
    documents: Documents | None = None
    """Reads the files behind a subject, for judges that get them as documents."""
    settings: dict[str, Any] = {}
    """What else the record of the run should say, such as where samples were read from."""
    run: str = ""
    """The id of the run, which all that it records carries; the run makes one for itself if it is empty."""

    def builder(self, judge: Judge) -> RequestBuilder:
        """Return who puts the questions to a judge."""
        return RequestBuilder(
            judge,
            self.protocol,
            seed=self.options.seed,
            profile=self.profile,
            evidence=self.evidence,
            documents=self.documents,
        )


class RunContext(msgspec.Struct, frozen=True):
    """A run that is under way."""

    spec: RunSpec
    """What it is about."""
    ledger: Ledger
    """Where it is recorded."""
    writer: GroupCommit
    """Where this process commits."""
    stop: StopSignal
    """How it is told to end."""
    claims: Claims
    """How other runs are kept from asking the same meanwhile."""
    paused: dict[str, str]
    """The judges that are asked nothing more in this run, and why; executors add to it."""
    is_paused: Callable[[str], bool]
    """Tells with a task in hand whether a judge is to be asked nothing more; pauses one whose replies are no use."""
