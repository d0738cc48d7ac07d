"""What a provider is made with: limits, addresses and keys where it is a server, places from the configuration's."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.config.file import JudgeConfig
from venire.config.provider_options import provider_options
from venire.judges.panel import JudgeLimits
from venire.runner.options import RunnerOptions

FOLDER = Path("/study")
RUNNER = RunnerOptions(timeout_seconds=9, max_reply_bytes=1000)


def options(given, runner=RUNNER, folder=FOLDER, rules=None):
    return provider_options("oak", given, runner, rules or {}, "1-5", folder)


@pytest.mark.parametrize("kind", ["deepseek", "openai_compatible", "anthropic_compatible"])
def test_a_server_is_given_limits_its_address_and_where_its_key_is(kind):
    given = JudgeConfig(
        kind, base_url="https://judge.example", api_key_env="KEY", limits=JudgeLimits(concurrency=3),
        options={"structured": "object"},
    )  # fmt: skip
    assert options(given) == {
        "timeout_seconds": 9, "max_reply_bytes": 1000, "max_connections": 3, "base_url": "https://judge.example",
        "api_key_env": "KEY", "structured": "object",
    }  # fmt: skip


def test_plain_http_is_allowed_only_where_it_is_written():
    assert "insecure_http" not in options(JudgeConfig("deepseek"))
    open_to_all = RunnerOptions(insecure_http=True)
    assert options(JudgeConfig("deepseek"), open_to_all)["insecure_http"] is True
    assert options(JudgeConfig("a-plugin"), open_to_all) == {}


def test_a_rule_judge_is_given_its_checks_and_its_scale():
    made = options(JudgeConfig("rules", options={"more": 1}), rules={"checks": []})
    assert made == {"name": "oak", "scale": "1-5", "checks": [], "more": 1}


def test_a_local_model_beside_the_configuration_is_found_from_anywhere(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    made = options(JudgeConfig("local", model="model.gguf"), folder=tmp_path)
    assert made == {
        "model": str(tmp_path / "model.gguf"), "timeout_seconds": 9, "max_reply_bytes": 1000, "parallel": 1,
    }  # fmt: skip
    assert options(JudgeConfig("local", model="by-name"), folder=tmp_path)["model"] == "by-name"
    assert options(JudgeConfig("local"), folder=tmp_path)["model"] == ""


def test_recordings_are_found_from_anywhere_unless_they_are_addresses():
    given = JudgeConfig("replay", options={"path": "replies", "ledger": "postgresql://db/x", "strict": True})
    assert options(given) == {
        "judge": "oak", "path": "/study/replies", "ledger": "postgresql://db/x", "strict": True,
    }  # fmt: skip
