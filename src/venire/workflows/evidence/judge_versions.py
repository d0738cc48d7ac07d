"""The versions of judges that a ledger holds, and how a user names one of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from venire.errors import UsageError
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.runner.task import is_probe
from venire.words.said import Said, say


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

    @property
    def said(self) -> Said:
        """The version in words, for someone who has to name it."""
        label = f" ({self.label})" if self.label else ""
        return say(
            "problem.judge_version",
            version=f"{self.judge} {self.digest[:12]}{label}",
            prompt=self.prompt[:12],
            judgements=self.judgements,
        )


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
        if is_probe(task["repeat"]):
            continue
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
        raise UsageError("error.evidence.same_version", old=old, new=new, held=_listed(held))
    if not pairs:
        raise UsageError("error.evidence.no_versions", old=old, new=new, held=_listed(held))
    return pairs


def _meant(versions: tuple[JudgeVersion, ...], name: str) -> dict[str, JudgeVersion]:
    found: dict[str, JudgeVersion] = {}
    for version in versions:
        if not version.is_meant_by(name):
            continue
        if version.judge in found:
            raise UsageError("error.evidence.several_versions", name=name, judge=version.judge, held=_listed(versions))
        found[version.judge] = version
    return found


def _listed(versions: tuple[JudgeVersion, ...]) -> tuple[Said, ...] | Said:
    return tuple(each.said for each in versions) or say("problem.no_judgements")
