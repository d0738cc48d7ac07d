"""The versions of judges that a ledger holds, and how a user names one of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from venire.errors import UsageError
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger


class JudgeVersion(msgspec.Struct, frozen=True):
    """One version of a judge: the instrument with its prompt."""

    judge: str
    """The judge's name."""
    digest: str
    """The digest of the judge as an instrument."""
    prompt: str
    """The digest of the template that its prompts are made from."""
    label: str = ""
    """The label that the configuration gave to the version of the question."""
    judgements: int = 0
    """How many judgements the ledger holds of it."""

    def is_meant_by(self, name: str) -> bool:
        """Tell whether a user means this version: by its label, or the beginning of either digest."""
        return bool(name) and (self.label == name or self.digest.startswith(name) or self.prompt.startswith(name))

    def __str__(self) -> str:
        label = f" ({self.label})" if self.label else ""
        return f"{self.judge} {self.digest[:12]}{label}, prompt {self.prompt[:12]}, {self.judgements} judgements"


def versions_in(ledger: Ledger) -> tuple[JudgeVersion, ...]:
    """Return all versions of judges in a ledger, in the order of their first judgements."""
    labels = {
        judge["digest"]: str(judge.get("prompt_version", ""))
        for entry in ledger.read(kinds=[Kind.RUN_OPENED])
        for judge in entry.content["judges"]
    }
    counts: dict[tuple[str, str, str], int] = {}
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        task = entry.content["task"]
        key = (task["judge"], task["judge_digest"], task["prompt_digest"])
        counts[key] = counts.get(key, 0) + 1
    return tuple(
        JudgeVersion(judge, digest, prompt, labels.get(digest, ""), count)
        for (judge, digest, prompt), count in counts.items()
    )


def pair_versions(
    versions: Iterable[JudgeVersion], old: str, new: str
) -> tuple[tuple[JudgeVersion, JudgeVersion], ...]:
    """Return the old and the new version of each judge that has both; raises `UsageError` if none has."""
    held = tuple(versions)
    before, after = _meant(held, old), _meant(held, new)
    pairs = tuple((before[judge], after[judge]) for judge in before if judge in after)
    if any(one == two for one, two in pairs):
        raise UsageError(f"expected two versions, found that {old!r} and {new!r} mean the same", hint=_listed(held))
    if not pairs:
        raise UsageError(f"expected a judge with versions {old!r} and {new!r}, found none", hint=_listed(held))
    return pairs


def _meant(versions: tuple[JudgeVersion, ...], name: str) -> dict[str, JudgeVersion]:
    found: dict[str, JudgeVersion] = {}
    for version in versions:
        if not version.is_meant_by(name):
            continue
        if version.judge in found:
            raise UsageError(
                f"expected {name!r} to mean one version of judge {version.judge!r}, found several",
                hint=f"Write more of the digest. {_listed(versions)}",
            )
        found[version.judge] = version
    return found


def _listed(versions: tuple[JudgeVersion, ...]) -> str:
    return f"The ledger holds: {'; '.join(map(str, versions)) or 'no judgements'}."
