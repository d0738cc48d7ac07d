"""Who judged whom, as an artifact's file name says it; what a reply says about itself is never asked."""

from __future__ import annotations

import re

import msgspec

from venire.domain.judge import JudgeIdentity

_CROSS = re.compile(r"judge_(?P<judge>.+?)_bundle_(?P<target>.+?)(?P<version>_v2)?", re.IGNORECASE)
_SELF = re.compile(r"self_judge_(?P<judge>.+?)(?P<version>_v2)?", re.IGNORECASE)


class ArtifactName(msgspec.Struct, frozen=True):
    """What a file name says about the artifact."""

    judge: str = ""
    """The judge; empty if the name does not say."""
    target: str = ""
    """The model that was judged; empty if the name does not say."""
    self_judged: bool | None = None
    """Whether the judge judged its own outputs; None if the name does not say."""
    version: str = ""
    """The version of the judge's prompt: `v2` with the suffix `_v2`, `v1` without; empty if the name says nothing."""

    @classmethod
    def parse(cls, stem: str) -> ArtifactName:
        """Read a file name without its ending; one that fits neither form says nothing.

        >>> ArtifactName.parse("judge_glm_bundle_gpt-4_v2")
        ArtifactName(judge='glm', target='gpt-4', self_judged=False, version='v2')
        >>> ArtifactName.parse("Self_Judge_glm")
        ArtifactName(judge='glm', target='glm', self_judged=True, version='v1')
        """
        alone = _SELF.fullmatch(stem)
        if alone:
            return cls(alone["judge"], alone["judge"], self_judged=True, version=_version(alone))
        cross = _CROSS.fullmatch(stem)
        if cross is None:
            return cls()
        itself = JudgeIdentity(cross["judge"]).is_judging_itself(cross["target"])
        return cls(cross["judge"], cross["target"], self_judged=itself, version=_version(cross))


def _version(name: re.Match[str]) -> str:
    return "v2" if name["version"] else "v1"
