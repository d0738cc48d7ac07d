"""Who judged whom, by the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.inputs.artifacts.replies import Artifact, read_artifacts


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def one(path: Path) -> Artifact:
    (artifact,) = read_artifacts([path])
    return artifact


@pytest.mark.parametrize(
    ("name", "judge", "target", "self_judged"),
    [
        ("judge_glm_bundle_gpt-4.json", "glm", "gpt-4", False),
        ("JUDGE_GLM_BUNDLE_GPT_V2.JSON", "GLM", "GPT", False),
        ("deep/er/judge_glm_4_bundle_gpt_4_v2.json", "glm_4", "gpt_4", False),
        ("self_judge_glm.json", "glm", "glm", True),
        ("Self_Judge_glm_v2.json", "glm", "glm", True),
        ("judge_GLM_bundle_glm.json", "GLM", "glm", True),
        ("reply.json", "", "", None),
    ],
)
def test_judge_and_target_come_from_the_file_name(
    tmp_path: Path, name: str, judge: str, target: str, self_judged: bool | None
) -> None:
    write(tmp_path / name, b'{"judge": "someone else"}')
    artifact = one(tmp_path)
    assert (artifact.judge, artifact.target, artifact.self_judged) == (judge, target, self_judged)
